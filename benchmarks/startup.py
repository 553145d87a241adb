"""Measure a search from a cold process, compared with `python -c "import numpy"`.

The commands run in turn, so that load on the machine affects all of them; their medians are compared.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

REPOSITORY = Path(__file__).parent.parent
ROUNDS = 21


def measure() -> dict[str, float]:
    """Return medians in milliseconds and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        index = ["--index", str(Path(folder) / "index.sqlite"), "-C", str(REPOSITORY)]
        waymeet = [sys.executable, "-m", "waymeet"]
        _run([*waymeet, "index", *index])
        commands = {
            "search": [*waymeet, "search", "how are results fused", *index],
            "help": [*waymeet, "--help"],
            "import_numpy": [sys.executable, "-c", "import numpy"],
            "import_click": [sys.executable, "-c", "import click"],
            "python": [sys.executable, "-c", "pass"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                started = perf_counter()
                _run(command)
                times[name].append(perf_counter() - started)
    medians = {name: median(values) for name, values in times.items()}
    return {
        **{f"{name}_ms": round(value * 1000, 1) for name, value in medians.items()},
        "search_times_import_numpy": round(medians["search"] / medians["import_numpy"], 2),
        "help_times_import_click": round(medians["help"] / medians["import_click"], 2),
    }


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "NO_COLOR": "1"})
