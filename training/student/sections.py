"""Sections of the downloaded packages, made by Waymeet's own parsers.

Each package is unpacked, a sample of its files is parsed, a sample of the sections is kept, and the folder is removed.
Samples are chosen by digests of paths and texts, so that a second run chooses the same.
"""

import argparse
import hashlib
import re
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec
from fetch import Source, file_of, read_excluded, read_limits, read_lock, read_sources
from near_duplicates import ShingleSet, read_tested
from unpack import Sample, unpack, write_strings

from waymeet.analysis.embedded.section_text import chunk_language, embedding_text
from waymeet.ingest.filetypes import file_type, is_binary_name
from waymeet.ingest.workers.task import ParseRules, Task, run_task
from waymeet.settings import Chunking

_FILES = 250
"""Files of one package that are parsed at most."""
_PER_FILE = 20
"""Sections of one file that are kept at most."""
_CODE_SHARE = 0.15
"""Share of code in a package that is here for its prose."""
_PDF_BYTES = 2_000_000
_SECONDS = 4
_SKIPPED = {
    ".po",
    ".svg",
    ".csv",
    ".tsv",
    ".map",
    ".lock",
    ".css",
    ".min.js",
    ".log",
    ".strings",
    ".fasta",
    ".pdb",
    ".cif",
}
_NAMES = re.compile(r"changelog.*|copyright|licen[cs]e.*|copying.*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMMON = frozenset(
    "the of and to in is for that with be or this it as on are by can from you not if an was he".split()
)
_COMMON_SHARE = 0.06
"""Share of these words from which a text counts as English; real English text has about a third."""


class Section(msgspec.Struct, frozen=True):
    """A text to embed, with where it comes from."""

    text: str
    kind: str
    """`code`, `docs` or `prose`."""
    package: str


class Counts(NamedTuple):
    """What became of the sections of a package."""

    kept: int
    repeated: int
    """Sections that a test collection contains."""


_tested: list[ShingleSet] = []


def _read_tested(folders: list[Path]) -> None:
    _tested[:] = [read_tested(folders)]


def digest(text: str) -> bytes:
    """Return a number to order by that does not depend on the order of files."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).digest()


def make_sections(source: Source, archive: Path, build: Path, limit: int) -> Counts:
    """Write the sections of one package, unless that was done before."""
    target = build / "sections" / f"{source.group}-{source.kind}-{source.name}.jsonl"
    done = target.with_suffix(".done")
    if done.exists():
        return msgspec.json.decode(done.read_bytes(), type=Counts)
    folder = build / "unpacked" / f"{source.kind}-{source.name}"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        unpack(archive, folder, Sample(_FILES, Priority(source.group)))
        sections, repeated = _choose_sections(source, folder, limit)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"".join(msgspec.json.encode(section) + b"\n" for section in sections))
    counts = Counts(len(sections), repeated)
    done.write_bytes(msgspec.json.encode(counts))
    return counts


def _choose_sections(source: Source, folder: Path, limit: int) -> tuple[list[Section], int]:
    chosen: dict[str, Section] = {}
    repeated, code = 0, 0
    for path in _list_files(source, folder):
        if len(chosen) >= 1.15 * limit:
            break
        for section in _parse_file(source, folder, path):
            if source.group != "code" and section.kind == "code":
                code += 1
                if code > limit * _CODE_SHARE:
                    continue
            if _tested[0].repeats(section.text):
                repeated += 1
            else:
                chosen.setdefault(" ".join(section.text.split()), section)
    return sorted(chosen.values(), key=lambda section: digest(section.text))[:limit], repeated


class Priority:
    """Decides which files of a package are read.

    They have text and are not of a tested project. Where prose is wanted, code comes last.
    """

    def __init__(self, group: str) -> None:
        self._group = group
        self._excluded = read_excluded()

    def __call__(self, name: str) -> int | None:
        """Return the rank of a file, or None to leave it out."""
        path = PurePosixPath(name)
        suffix = path.suffix.lower()
        if suffix in {".dz", ".index", ".obo"}:
            return 0
        plain = path.with_suffix("") if suffix in {".gz", ".bz2", ".xz"} else path
        if is_binary_name(plain.name) or plain.suffix.lower() in _SKIPPED or _NAMES.fullmatch(plain.name):
            return None
        if self._excluded.intersection(part.lower().partition(".")[0] for part in path.parts[1:]):
            return None
        return 2 if self._group != "code" and file_type(plain.name).kind == "code" else 1


def _list_files(source: Source, folder: Path) -> list[Path]:
    """List the unpacked files in an order that is the same in every run."""
    files = sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: digest(path.name))
    if source.group != "code":
        files.sort(key=lambda path: file_type(path.name).kind == "code")
    return files


def _parse_file(source: Source, folder: Path, path: Path) -> list[Section]:
    if source.group == "prose" and (strings := write_strings(path)):
        path = strings
    elif file_type(path.name).kind == "other":
        path = path.rename(path.with_name(path.name + ".txt"))
    root = path.parent.parent if path.parent != folder else folder
    rules = ParseRules(root=str(root), max_file_bytes=_PDF_BYTES, chunking=Chunking(), mask_secrets=False)
    signal.alarm(_SECONDS)
    try:
        outcome = run_task(Task(str(path.relative_to(root))), rules)
    except TimeoutError:
        return []
    finally:
        signal.alarm(0)
    if not outcome.built:
        return []
    document = outcome.built.entry.document
    sections = []
    for chunk in outcome.built.entry.chunks:
        if chunk.is_embedded and not chunk_language(chunk, document):
            text = embedding_text(chunk, document)
            kind = "code" if document.kind == "code" else "prose" if source.group == "prose" else "docs"
            if _is_usable(text[:3000], kind):
                sections.append(Section(text, kind, f"{source.kind}-{source.name}"))
    return sorted(sections, key=lambda section: digest(section.text))[:_PER_FILE]


def _is_usable(text: str, kind: str) -> bool:
    """Return whether a text consists of words, and prose of English words."""
    words = _WORD.findall(text)
    if len(words) < 5 or sum(map(len, words)) < 0.4 * len(text.replace(" ", "")):
        return False
    return kind == "code" or sum(word.lower() in _COMMON for word in words) >= _COMMON_SHARE * len(words)


def _stop(*_: object) -> None:
    raise TimeoutError


def _work(source: Source, archive: Path, build: Path, limit: int) -> Counts:
    signal.signal(signal.SIGALRM, _stop)
    return make_sections(source, archive, build, limit)


def main() -> None:
    """Make the sections of all downloaded packages."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("build", type=Path, help="working folder; packages are in its folder downloads")
    parser.add_argument("--tested", type=Path, nargs="*", default=[], help="collections that must not be repeated")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    limits, lock = read_limits(), read_lock()
    totals: dict[str, int] = {}
    repeated = 0
    _read_tested(arguments.tested)  # before the processes start, which then share its memory
    with ProcessPoolExecutor(arguments.processes) as pool:
        futures = {}
        for source in sorted(read_sources(), key=lambda source: digest(source.name)):
            archive = file_of(arguments.build / "downloads", source)
            if archive and (source.kind, source.name) in lock:
                limit = limits[source.group]
                futures[pool.submit(_work, source, archive, arguments.build, limit)] = source
        for future in as_completed(futures):
            source = futures[future]
            if error := future.exception():
                print(f"{source.kind} {source.name}: {type(error).__name__}: {error}", flush=True)
                continue
            counts = future.result()
            totals[source.group] = totals.get(source.group, 0) + counts.kept
            repeated += counts.repeated
            print(f"{source.group} {source.kind} {source.name}: {counts.kept}", flush=True)
    print(f"{totals}, {repeated} sections of test collections left out")


def read_sections(build: Path) -> Iterator[Section]:
    """Read all sections."""
    for path in sorted((build / "sections").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield msgspec.json.decode(line, type=Section)


if __name__ == "__main__":
    main()
