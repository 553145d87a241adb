"""True vectors of the training sections, in portions that a later run does not repeat.

First the first portion of every package is embedded, then the second portions, and so on, so that the text is broad
whenever the run is stopped. Several processes may run side by side: each portion has a file that one of them creates.
"""

import argparse
import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sections import Section

from waymeet.models.local.blas_threads import make_batches, single_threaded_blas
from waymeet.models.local.granite import GraniteEmbedder
from waymeet.models.local.kernels import unit_rows
from waymeet.models.local.transformer import BATCH_TOKENS, Tokens

PORTION = 100
"""Sections of one file of vectors."""
KINDS = ("code", "docs", "prose")
_CUT_SHARE = 0.85
"""Share of sections of which only the beginning is embedded: a valid pair of text and vector, but cheap."""
_CUT_TOKENS = 48
_LONG_TOKENS = 256
"""Tokens of the other sections, at most."""
_MAX_TOKENS = 510
_HELD_OUT = 10
"""One of so many packages is held out."""
_HELD_OUT_SECTIONS = 40
"""Sections of a held-out package."""
_BEGIN, _END = 0, 2


class Portion(NamedTuple):
    """Sections of one package, embedded in one go."""

    package: str
    number: int
    path: Path


class Pairs(NamedTuple):
    """Token numbers of sections with the true vectors."""

    tokens: NDArray[np.uint16]
    ends: NDArray[np.int64]
    """Number of tokens up to the end of each section."""
    vectors: NDArray[np.float16]
    kinds: NDArray[np.uint8]
    """Index into `KINDS`."""


def is_held_out(package: str) -> bool:
    """Return whether a package is held out for measuring."""
    return int.from_bytes(hashlib.blake2b(package.encode(), digest_size=4).digest(), "big") % _HELD_OUT == 0


def list_portions(build: Path) -> list[Portion]:
    """List what can be embedded, the first portions of all packages first."""
    portions = []
    for path in sorted((build / "sections").glob("*.done")):
        package = path.stem
        sections = sum(1 for _ in path.with_suffix(".jsonl").open("rb"))
        most = PORTION if is_held_out(package) else sections
        portions += [Portion(package, number, path.with_suffix(".jsonl")) for number in range(-(-most // PORTION))]
    order = {portion: hashlib.blake2b(portion.package.encode()).digest() for portion in portions}
    return sorted(portions, key=lambda portion: (portion.number, order[portion]))


def read_portion(portion: Portion) -> list[Section]:
    """Read the sections of a portion."""
    lines = portion.path.read_bytes().splitlines()[portion.number * PORTION : (portion.number + 1) * PORTION]
    return [msgspec.json.decode(line, type=Section) for line in lines]


def vectors_path(build: Path, portion: Portion) -> Path:
    """Name the file of vectors of a portion."""
    return build / "vectors" / f"{portion.package}-{portion.number:03}.npz"


class Teacher:
    """The model that the student learns from."""

    def __init__(self) -> None:
        self._embedder = GraniteEmbedder()

    def encode(self, text: str, limit: int = _MAX_TOKENS) -> list[int]:
        """Split a text into the model's tokens, without the marks of begin and end."""
        return [*self._embedder._encode(text).ids[1:-1]][:limit]

    def embed(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Embed token numbers by one core."""
        encoder = self._embedder._model.encoder
        vectors = np.empty((len(ids), 384), dtype=np.float32)
        with single_threaded_blas():
            for batch in make_batches([len(tokens) + 2 for tokens in ids], BATCH_TOKENS):
                texts = [Tokens([_BEGIN, *ids[number], _END]) for number in batch]
                vectors[batch] = unit_rows(encoder.embed_tokens(texts, "cls"))
        return vectors


def cut_tokens(portion: Portion, section: Section) -> int:
    """Choose how many tokens of a section are embedded, of held-out ones all."""
    if is_held_out(portion.package):
        return _MAX_TOKENS
    first = hashlib.blake2b(section.text.encode(errors="replace"), digest_size=1, salt=b"cut").digest()[0]
    return _CUT_TOKENS if first < _CUT_SHARE * 256 else _LONG_TOKENS


def embed_portion(teacher: Teacher, portion: Portion) -> Pairs:
    """Embed the sections of a portion."""
    sections = read_portion(portion)[: _HELD_OUT_SECTIONS if is_held_out(portion.package) else None]
    ids = [teacher.encode(section.text, cut_tokens(portion, section)) for section in sections]
    return Pairs(
        np.concatenate([np.asarray(tokens, dtype=np.uint16) for tokens in ids]),
        np.cumsum([len(tokens) for tokens in ids]),
        teacher.embed(ids).astype(np.float16),
        np.array([KINDS.index(section.kind) for section in sections], dtype=np.uint8),
    )


def write_pairs(path: Path, pairs: Pairs) -> None:
    """Write pairs under a temporary name first, so that a file is complete."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    with partial.open("wb") as file:
        np.savez(file, allow_pickle=False, **pairs._asdict())
    partial.replace(path)


def read_pairs(path: Path) -> Pairs:
    """Read the pairs of a portion."""
    with np.load(path) as arrays:
        return Pairs(*(arrays[name] for name in Pairs._fields))


def _claim(path: Path) -> bool:
    """Create the mark of a portion that is being embedded, unless there is one.

    The mark of a run that was killed counts for ten minutes.
    """
    mark = path.with_suffix(".claimed")
    if mark.exists() and time.time() - mark.stat().st_mtime > 600:
        mark.unlink(missing_ok=True)
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _pending(build: Path) -> Iterator[Portion]:
    """Yield portions without vectors, until there are none.

    New sections may appear meanwhile.
    """
    while True:
        missing = [portion for portion in list_portions(build) if not vectors_path(build, portion).exists()]
        claimed = 0
        for portion in missing[:40]:
            path = vectors_path(build, portion)
            if not path.exists() and _claim(path):
                claimed += 1
                yield portion
        if not missing or (not claimed and len(missing) <= 40):
            return


def main() -> None:
    """Embed the training sections until all are done or the time is over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("build", type=Path, help="working folder")
    parser.add_argument("--minutes", type=float, default=1e9, help="time after which to stop (default: none)")
    arguments = parser.parse_args()
    (arguments.build / "vectors").mkdir(parents=True, exist_ok=True)
    teacher, started, count = Teacher(), time.monotonic(), 0
    for portion in _pending(arguments.build):
        path = vectors_path(arguments.build, portion)
        pairs = embed_portion(teacher, portion)
        write_pairs(path, pairs)
        path.with_suffix(".claimed").unlink(missing_ok=True)
        count += len(pairs.vectors)
        seconds = time.monotonic() - started
        print(f"{portion.package} {portion.number}: {count} sections, {count / seconds:.1f}/s", flush=True)
        if seconds > 60 * arguments.minutes:
            break


if __name__ == "__main__":
    main()
