"""How fast the analyzer is on one core, beside the least a Python analyzer can do: finding words with one regex.

The text is this Python's own standard library: code and prose that every machine has.
"""

import re
import sysconfig
from collections.abc import Callable
from pathlib import Path
from time import process_time

from waymeet.analysis import count_terms

WORDS = re.compile(r"\w+")


def texts() -> list[str]:
    """Read some megabytes of source text."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    return [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.py"))]


def measure() -> dict[str, float]:
    """Give terms per second and the time as a multiple of the bare regex."""
    corpus = texts()
    terms = sum(sum(count_terms(text).values()) for text in corpus)  # also fills the cache of known words
    ours = _fastest(lambda: [count_terms(text) for text in corpus])
    bare = _fastest(lambda: [WORDS.findall(text) for text in corpus])
    return {
        "terms": terms,
        "million_terms_per_second": round(terms / ours / 1e6, 2),
        "million_characters_per_second": round(sum(map(len, corpus)) / ours / 1e6, 1),
        "times_the_bare_regex": round(ours / bare, 2),
    }


def _fastest(work: Callable[[], object], rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)
