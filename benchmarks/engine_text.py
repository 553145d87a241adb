"""Real text for the engine's benchmark: source and documentation of well-known packages, fetched when needed.

The packages come through the ordinary package client and are never committed. Files are cut into chunks of about 700
characters; no chunk is taken twice.
"""

import random
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

PACKAGES = (
    "sympy==1.14.0",
    "pandas==3.1.1",
    "scipy==1.17.1",
    "scikit-learn==1.9.1",
    "statsmodels==0.15.0",
    "networkx==3.6.1",
    "astropy==8.0.2",
)
_ENDINGS = (".py", ".pyi", ".rst", ".md", ".txt")
_SIZE = 700
_LEAST = 200
_LARGEST_FILE = 2_000_000
_SENTENCE = re.compile(r"[A-Z][a-z]+(?: [a-z]+){4,11}[.,]")


class File(NamedTuple):
    """One file, cut into pieces."""

    path: str
    pieces: tuple[str, ...]


def files(
    folder: Path, chunks: int, packages: tuple[str, ...] = PACKAGES, endings: tuple[str, ...] = _ENDINGS
) -> list[File]:
    """Fetch packages into a folder and give files, in a random but fixed order, until there are so many chunks."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), *packages], check=True)
    seen: set[str] = set()
    found = [file for wheel in sorted(folder.glob("*.whl")) for file in _in(wheel, endings, seen)]
    random.Random(1).shuffle(found)  # noqa: S311 - a fixed order, not a secret
    kept, count = [], 0
    for file in found:
        pieces = file.pieces[: chunks - count]
        if pieces:
            kept.append(File(file.path, pieces))
            count += len(pieces)
    return kept


def sentences(corpus: list[File], count: int) -> list[str]:
    """Choose sentences from the text, at random but always the same."""
    chance = random.Random(2)  # noqa: S311 - likewise
    found: list[str] = []
    while len(found) < count:
        there = _SENTENCE.findall(chance.choice(chance.choice(corpus).pieces))
        found += [chance.choice(there).rstrip(".,")] if there else []
    return found


def _in(wheel: Path, endings: tuple[str, ...], seen: set[str]) -> list[File]:
    found = []
    with ZipFile(wheel) as archive:
        for item in archive.infolist():
            if item.filename.endswith(endings) and item.file_size < _LARGEST_FILE:
                text = archive.read(item).decode("utf-8", "replace")
                cut = [text[start : start + _SIZE] for start in range(0, len(text), _SIZE)]
                pieces = tuple(piece for piece in dict.fromkeys(cut) if len(piece) >= _LEAST and piece not in seen)
                seen.update(pieces)
                if pieces:
                    found.append(File(item.filename, pieces))
    return found
