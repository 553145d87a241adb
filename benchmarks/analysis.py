"""Measure the analyzer on one core, compared with a regular expression that finds words.

The text is the source of Python's standard library, which every machine has.
"""

import re
import sysconfig
from collections.abc import Callable
from pathlib import Path
from time import process_time

from waymeet.analysis import count_terms

WORDS = re.compile(r"\w+")


def read_texts() -> list[str]:
    """Read some megabytes of source text."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    return [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.py"))]


def measure() -> dict[str, float]:
    """Return terms per second and the time as a multiple of the bare regex."""
    corpus = read_texts()
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
    """Return the shortest CPU time of several rounds."""
    times = []
    for _ in range(rounds):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)
