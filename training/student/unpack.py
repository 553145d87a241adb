"""Unpacking of packages into folders that Waymeet can read.

Compressed files are decompressed. Formats that Waymeet does not read become Markdown: dictionaries, ontologies, tables
of strings, manual pages.
"""

import bz2
import gzip
import lzma
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from heapq import heappush, heapreplace
from io import BytesIO
from pathlib import Path
from typing import IO

_ENTRIES = 40
"""Entries of a dictionary or ontology in one page."""
_MAX_FILE = 300_000
_MAX_PDF = 2_000_000
_MAX_DICTIONARY = 60_000_000
_DIGITS = {c: n for n, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_GAME_TEXT = {".cfg", ".ruleset", ".lua", ".json", ".yaml", ".txt"}
_MARKUP = re.compile(r"[=\[\]{}#<>;_]")


class Sample:
    """The files of a package that come first by the digest of their path."""

    def __init__(self, size: int, priority: Callable[[str], int | None]) -> None:
        self._size = size
        self._priority = priority
        self._heap: list[tuple[int, int, str, bytes]] = []

    def offer(self, name: str, size: int, read: Callable[[], bytes]) -> None:
        """Keep a file if it is wanted and comes before one that is kept.

        Other files are not read.
        """
        priority = self._priority(name)
        if priority is None or not 80 < size < _max_bytes(name):
            return
        order = int.from_bytes(blake2b(name.encode(errors="replace"), digest_size=8).digest(), "big")
        key = (-priority, -order)
        if len(self._heap) < self._size:
            heappush(self._heap, (*key, name, read()))
        elif key > self._heap[0][:2]:
            heapreplace(self._heap, (*key, name, read()))

    def write(self, folder: Path) -> None:
        """Write the kept files, converted."""
        for _, _, name, raw in sorted(self._heap):
            path = folder / name.lstrip("./")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            _convert(path)


def _max_bytes(name: str) -> int:
    """Return how large a file of that name may be."""
    if name.endswith((".dict.dz", ".index", ".obo")):
        return _MAX_DICTIONARY
    return _MAX_PDF if name.lower().endswith(".pdf") else _MAX_FILE


def unpack(archive: Path, folder: Path, sample: Sample) -> None:
    """Unpack a sample of the files of a package and convert them."""
    if archive.suffix == ".deb":
        command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            _read_tar(process.stdout, sample)
    elif zipfile.is_zipfile(archive):
        with archive.open("rb") as file:
            _read_zip(file, sample)
    else:
        with archive.open("rb") as file:
            _read_tar(file, sample)
    folder.mkdir(parents=True, exist_ok=True)
    sample.write(folder)


def _read_tar(stream: IO[bytes], sample: Sample) -> None:
    with tarfile.open(fileobj=stream, mode="r|*") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            if member.name.endswith((".tar.xz", ".tar.gz", ".tar.bz2")):
                _read_tar(file, sample)
            elif member.name.endswith("/src.zip"):
                _read_zip(BytesIO(file.read()), sample)
            else:
                sample.offer(member.name, member.size, file.read)


def _read_zip(stream: IO[bytes], sample: Sample) -> None:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                sample.offer(info.filename, info.file_size, partial(archive.read, info))


def _convert(path: Path) -> None:
    """Convert a file in place, if its format asks for it."""
    name = path.name.lower()
    if name.endswith(".dict.dz"):
        _write_pages(path, _read_dictionary(path))
    elif name.endswith((".gz", ".bz2", ".xz")):
        _decompress(path)
    elif name.endswith(".obo"):
        _write_pages(path, _read_ontology(path.read_text(encoding="utf-8", errors="replace")))


def _decompress(path: Path) -> None:
    openers: dict[str, Callable[[Path], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}  # type: ignore[dict-item]
    target = path.with_suffix("")
    try:
        with openers[path.suffix.lower()](path) as file:
            raw = file.read(4 * _MAX_FILE)
    except (OSError, EOFError, lzma.LZMAError):
        return
    path.unlink()
    if re.search(r"\.[1-8][a-z]*$", target.name):
        _write_manual(target, raw.decode(errors="replace"))
    else:
        # the documentation of Debian packages is often a compressed text file without an extension
        (target if target.suffix else target.with_suffix(".txt")).write_bytes(raw)


def _write_manual(target: Path, text: str) -> None:
    """Write a manual page as Markdown: headings and paragraphs, without the commands of roff."""
    lines = [f"# {target.name}"]
    for line in text.splitlines():
        if match := re.match(r'\.\s*S[hHsS]\s+"?([^"]*)"?', line):
            lines += ["", f"## {match[1].strip().capitalize()}", ""]
        elif re.match(r"\.\s*(P|PP|LP|Pp|TP|IP|It|sp)\b", line):
            lines += ["", _strip_roff(line[4:])]
        elif match := re.match(r"\.\s*(B|I|BR|BI|IR|RB|RI|Nm|Nd|Fl|Ar|Xr|Cm|Dv|Va|Fn)\b(.*)", line):
            lines.append(_strip_roff(match[2].replace('"', "")))
        elif not line.startswith((".", "'")):
            lines.append(_strip_roff(line))
    target.with_name(target.name + ".md").write_text("\n".join(lines), encoding="utf-8")


def _strip_roff(text: str) -> str:
    text = re.sub(r"\\f(\[[A-Z]*\]|\([A-Z]{2}|[A-Z0-9])", "", text)
    text = text.replace(r"\-", "-").replace(r"\&", "").replace(r"\e", "\\").replace(r"\(aq", "'").replace(r"\(cq", "'")
    return re.sub(r"\\\*?\([a-zA-Z]{2}|\\\*?\[[^\]]*\]|\\s[-+]?\d|\\[,/|]", "", text).strip()


def _read_dictionary(path: Path) -> Iterator[tuple[str, str]]:
    """Read headwords and definitions of a dictionary in dictd's format."""
    index = path.with_name(path.name.removesuffix(".dict.dz") + ".index")
    with gzip.open(path) as file:
        content = file.read(_MAX_DICTIONARY)
    seen = set()
    for line in index.read_text(encoding="utf-8", errors="replace").splitlines():
        word, start, length = line.split("\t")[:3]
        first = _decode_number(start)
        if first in seen or word.startswith("00"):
            continue
        seen.add(first)
        text = content[first : first + _decode_number(length)].decode(errors="replace")
        yield word, re.sub(r"\n\s+", "\n", text).strip()


def _decode_number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 64 + _DIGITS[digit]
    return number


def _read_ontology(text: str) -> Iterator[tuple[str, str]]:
    """Read names, definitions and synonyms of the terms of an ontology in the OBO format."""
    for stanza in text.split("\n[Term]\n")[1:]:
        name = re.search(r"^name: (.+)$", stanza, re.MULTILINE)
        definition = re.search(r'^def: "((?:[^"\\]|\\.)+)"', stanza, re.MULTILINE)
        if name and definition:
            others = [f"Comment: {text}" for text in re.findall(r"^comment: (.+)$", stanza, re.MULTILINE)]
            synonyms = re.findall(r'^synonym: "([^"]+)"', stanza, re.MULTILINE)
            yield name[1], "\n\n".join([definition[1], *others, ", ".join(synonyms)])


def _write_pages(path: Path, entries: Iterator[tuple[str, str]]) -> None:
    """Write entries as pages with one heading for each."""
    title = path.name.partition(".")[0]
    folder = path.parent / f"{title}-entries"
    folder.mkdir(exist_ok=True)
    page: list[str] = []
    number = 0
    for word, text in entries:
        page.append(f"## {word}\n\n{text}\n")
        if len(page) == _ENTRIES:
            (folder / f"{title}-{number}.md").write_text("\n".join(page), encoding="utf-8")
            page, number = [], number + 1
    if page:
        (folder / f"{title}-{number}.md").write_text("\n".join(page), encoding="utf-8")
    path.unlink()


def write_strings(path: Path) -> Path | None:
    """Write the long strings of a game's data file as a text, or return None if it has none."""
    if path.suffix.lower() not in _GAME_TEXT:
        return None
    texts = []
    for text in _STRING.findall(path.read_text(encoding="utf-8", errors="replace")):
        text = " ".join(re.sub(r"\\n|\\$", " ", text).split())  # noqa: PLW2901 - the same text, cleaned
        if len(text) > 60 and text.count(" ") > 8 and len(_MARKUP.findall(text)) < 0.02 * len(text):
            texts.append(text)
    if len(texts) < 3:
        return None
    target = path.with_name(path.name.partition(".")[0] + ".strings.txt")
    target.write_text("\n\n".join(texts), encoding="utf-8")
    return target
