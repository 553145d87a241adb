"""Unpacking of packages into folders that Waymeet can read.

Compressed files are decompressed. Formats that Waymeet does not read become Markdown: dictionaries, ontologies, tables
of strings, manual pages.
"""

import bz2
import gzip
import lzma
import re
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

_ENTRIES = 40
"""Entries of a dictionary or ontology in one page."""
_MAX_FILE = 400_000
_MAX_DICTIONARY = 60_000_000
_DIGITS = {c: n for n, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_GAME_TEXT = {".cfg", ".ruleset", ".lua", ".json", ".yaml", ".txt"}
_MARKUP = re.compile(r"[=\[\]{}#<>;_]")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a package and convert its files."""
    partial = folder.with_name(folder.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    if archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "--extract", str(archive), str(partial)], check=True, capture_output=True)
    else:
        _extract(archive, partial)
    for path in [path for path in partial.rglob("*") if path.is_file() and not path.is_symlink()]:
        _convert(path)
    partial.rename(folder)


def _extract(archive: Path, folder: Path) -> None:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
    else:
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")


def _convert(path: Path) -> None:
    """Convert a file in place, if its format asks for it."""
    name = path.name.lower()
    if name.endswith(".dict.dz"):
        _write_pages(path, _read_dictionary(path))
    elif name.endswith((".tar.xz", ".tar.gz", ".tar.bz2")) or name == "src.zip":
        _extract(path, path.parent)
        path.unlink()
    elif name.endswith((".gz", ".bz2", ".xz")) and path.stat().st_size < _MAX_FILE:
        _decompress(path)
    elif name.endswith(".obo"):
        _write_pages(path, _read_ontology(path.read_text(encoding="utf-8", errors="replace")))


def _decompress(path: Path) -> None:
    openers = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    target = path.with_suffix("")
    try:
        with openers[path.suffix.lower()](path, "rb") as file:
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
    """Write entries as pages with one heading for each; every entry is long enough to be a section."""
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
