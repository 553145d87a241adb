"""The corpus of the engine benchmark at any size: real text, then copies whose words are shuffled.

The packages have about 100,000 chunks of real text. Beyond that, the words of each file are shuffled over its chunks:
the words of a file and their frequencies stay real, and every chunk is new. Entries are made one file at a time:
the memory of the benchmark does not hold the corpus.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from engine_text import File
from numpy.typing import NDArray

from waymeet.analysis import count_terms
from waymeet.types import Chunk, Document, IndexEntry, Link

DIMENSION = 384
_LINKS = 5
_POOL = np.random.default_rng(4).standard_normal((1 << 16, DIMENSION)).astype(np.float32)


class Corpus(NamedTuple):
    """Files of real text, and the number of chunks to make of them."""

    files: Sequence[File]
    chunks: int

    def stream_files(self) -> Iterator[File]:
        """Yield the files and their shuffled copies until there are enough chunks, the same in every call."""
        left, copy = self.chunks, 0
        while left > 0:
            for file in self.files:
                made = file if copy == 0 else _shuffle_words(file, copy)
                pieces = made.pieces[:left]
                if pieces:
                    yield File(made.path, pieces)
                left -= len(pieces)
            copy += 1

    def stream_texts(self) -> Iterator[str]:
        """Yield the texts of all chunks."""
        for file in self.stream_files():
            yield from file.pieces

    def choose_links(self) -> dict[str, tuple[str, ...]]:
        """Choose random links of each file, by path."""
        paths = [file.path for file in self.stream_files()]
        chance = random.Random(3)  # noqa: S311 - the same links each time
        return {path: tuple(chance.choice(paths) for _ in range(_LINKS)) for path in paths}


def make_entry(file: File, targets: Sequence[str]) -> IndexEntry:
    """Make what a store gets of a file."""
    path, pieces = file
    title = path.rpartition("/")[2]
    chunks = tuple(
        Chunk(f"{path}#L{ordinal + 1}-L{ordinal + 1}", path, ordinal, ordinal + 1, ordinal + 1, text)
        for ordinal, text in enumerate(pieces)
    )
    links = tuple(Link((f"p:{target}",), text="see") for target in targets)
    terms = {"title": count_terms(title), "path": count_terms(path)}
    document = Document(path, "docs", title, names=(f"p:{path}",))
    return IndexEntry(document, chunks, terms, tuple({"body": count_terms(text)} for text in pieces), links)


def project_terms(terms: Mapping[str, int]) -> NDArray[np.float32]:
    """Sum one random vector for each distinct word of a text."""
    rows = [_hash(term) for term in terms if len(term) > 3] or [0]
    summed = _POOL[rows].sum(axis=0)
    return np.asarray(summed / np.linalg.norm(summed), dtype=np.float32)


def _hash(term: str) -> int:
    """Hash a term to a number below 65,536, the same in every run."""
    code = 0
    for byte in term.encode():
        code = (code * 31 + byte) & 0xFFFF
    return code


def _shuffle_words(file: File, copy: int) -> File:
    """Shuffle the words of a file over its chunks."""
    words = " ".join(file.pieces).split()
    random.Random(f"{copy} {file.path}").shuffle(words)  # noqa: S311 - the same copy each time
    size = -(-len(words) // len(file.pieces))
    pieces = tuple(" ".join(words[start : start + size]) for start in range(0, len(words), size))
    return File(f"copy{copy}/{file.path}", pieces)
