"""Lookup of references that the index cannot resolve: unindexed files, symbols in a file."""

import re
import stat
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from waymeet.analysis import normalise_text
from waymeet.types import Chunk, Symbol

_LINE_RANGE = re.compile(r"l?\d+(?:c\d+)?(?:-l?\d+(?:c\d+)?)?", re.IGNORECASE)
_NAME_PATTERNS = (
    r"^[ \t]*(?:[\w.<>\[\]*&]{1,80}[ \t]){0,6}[*&$@]?NAME[ \t]?(?::|=(?!=))",
    r"^#[ \t]*define[ \t]NAME\b",
    r"^[ \t]*(?:from|import|export|use|pub use|using)\b[^\n]{0,300}\bNAME\b",
    r"^[ \t]*NAME(?:[ \t]as[ \t]\w+)?,?[ \t]*$",
    r"""["']NAME["']""",
)
"""Patterns of a name that is no symbol: a constant, an import, or an entry of a list of names."""
_INHERITANCE_PATTERNS = (
    r"\bclass[ \t]+NAME[ \t]*(?:\[[^\]\n]{0,200}\])?\(\s*(?!object\s*\)|\))",
    r"\b(?:class|interface|struct|record)[ \t]+NAME\b[^{;:\n]{0,200}(?:\b(?:extends|implements)\b|[ \t][<:][ \t])",
    r"\b(?:class|interface|struct|record)[ \t]+NAME:[ \t]*\w[^\n]{0,200}\{",
)
"""Patterns of a class that inherits: in Python; in Java, TypeScript, Ruby, C++, C#; in Swift."""
_MAX_STARTS = 50
"""Number of lines equal to the first one of a symbol that are compared."""


def find_unindexed(root: Path, names: Collection[str]) -> dict[str, tuple[str, int]]:
    """Find files by names in any case, with their paths and times, without following symlinks.

    The path of a folder ends with a slash.
    """
    files = {}
    for name in names:
        path = _find_path(root, name.rstrip("/"))
        if path is not None:
            try:
                state = (root / path).lstat()
            except OSError:  # removed meanwhile
                continue
            files[name] = path + "/" * stat.S_ISDIR(state.st_mode), state.st_mtime_ns
    return files


def _find_path(root: Path, name: str) -> str | None:
    """Find the path of a file or folder, comparing each part without regard to case."""
    parts: list[str] = []
    for part in name.split("/"):
        folder = root.joinpath(*parts)
        try:
            if part in {"", ".", ".."} or not stat.S_ISDIR(folder.lstat().st_mode):
                return None
            entries = sorted(each.name for each in folder.iterdir())
        except OSError:
            return None
        match = next((entry for entry in entries if entry == part), None)
        match = match or next((entry for entry in entries if entry.casefold() == part.casefold()), None)
        if match is None:
            return None
        parts.append(match)
    return "/".join(parts)


def digest_symbol(symbol: str, chunks: Sequence[Chunk]) -> str | None:
    """Digest the text of a symbol, or return None if the file does not contain the name.

    The digest is empty for a name that is no symbol, such as a heading or a constant.
    """
    if symbols := _find_symbols(symbol, chunks):
        text = "\n".join(line for each in symbols for line in _symbol_lines(each, chunks))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return "" if _has_name(symbol, chunks) else None


def contains_symbol(symbol: str, chunks: Sequence[Chunk]) -> bool:
    """Check whether a file contains a symbol or another name."""
    return bool(_find_symbols(symbol, chunks)) or _has_name(symbol, chunks)


def has_same_symbol(symbol: str, chunks: Sequence[Chunk], text: str) -> bool:
    """Check whether another version of a file has a symbol with the same text as in the chunks."""
    lines = [line.rstrip() for line in text.splitlines()]
    symbols = _find_symbols(symbol, chunks)
    return bool(symbols) and all(_contains_block(lines, list(_symbol_lines(each, chunks))) for each in symbols)


def _contains_block(lines: Sequence[str], block: Sequence[str]) -> bool:
    """Check whether lines contain a complete block, ignoring empty lines.

    A complete block follows an empty line or the start, and the line after it is not indented deeper.

    >>> _contains_block(["x = 1", "", "def f():", "    g()", "", "    h()"], ["def f():", "    g()"])
    False
    >>> _contains_block(["x = 1", "", "def f():", "    g()", "", "    h()"], ["def f():", "    g()", "    h()"])
    True
    """
    full = [number for number, line in enumerate(lines) if line]
    starts = [index for index, number in enumerate(full) if block and lines[number] == block[0]]
    for start in starts[:_MAX_STARTS]:
        end = start + len(block)
        is_separate = full[start] == 0 or not lines[full[start] - 1]
        if is_separate and [lines[number] for number in full[start:end]] == list(block):
            return end == len(full) or _indent(lines[full[end]]) <= _indent(block[0])
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _find_symbols(symbol: str, chunks: Sequence[Chunk]) -> list[Symbol]:
    """Find the symbols with a name, otherwise those nested in others with it as their last part."""
    name = symbol.removesuffix("()").replace("::", ".")
    symbols = [each for chunk in chunks for each in chunk.symbols]
    exact = [each for each in symbols if each.name in {symbol, name}]
    return exact or [each for each in symbols if each.name.endswith(f".{name}")]


def _symbol_lines(symbol: Symbol, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield the non-empty lines of a symbol from all chunks that it spans."""
    lines: dict[int, dict[str, None]] = {}
    for chunk in chunks:
        if chunk.start <= symbol.end and chunk.end >= symbol.start:
            for number, line in enumerate(chunk.text.split("\n"), chunk.start):
                if symbol.start <= number <= symbol.end and line.strip():
                    lines.setdefault(number, {})[line.rstrip()] = None
    for number in sorted(lines):
        yield from lines[number]


def _has_name(symbol: str, chunks: Sequence[Chunk]) -> bool:
    """Check whether a file has such an anchor, line or name, or may get it from another file."""
    anchors = {anchor for chunk in chunks for anchor in chunk.anchors}
    folded = {anchor.casefold() for anchor in anchors}
    if (
        not chunks
        or _LINE_RANGE.fullmatch(symbol)
        or {symbol.casefold(), normalise_text(symbol).replace(" ", "-")} & folded
    ):
        return True
    *owners, last = re.split(r"[.:/]+", symbol.removesuffix("()"))
    patterns = _NAME_PATTERNS if any(chunk.symbols for chunk in chunks) else (r"(?<!\w)NAME(?!\w)",)
    return _matches_any(patterns, last, chunks) or (bool(owners) and _may_be_elsewhere(owners[-1], chunks))


def _may_be_elsewhere(owner: str, chunks: Sequence[Chunk]) -> bool:
    """Check whether members of a class may be in another file: it is imported, or it inherits."""
    if not _find_symbols(owner, chunks):
        return _matches_any(_NAME_PATTERNS, owner, chunks)
    return inherits(owner, chunks)


def inherits(owner: str, chunks: Sequence[Chunk]) -> bool:
    """Check whether a class has a base class, which may be in another file or project."""
    return _matches_any(_INHERITANCE_PATTERNS, owner, chunks)


def _matches_any(patterns: Sequence[str], name: str, chunks: Sequence[Chunk]) -> bool:
    """Check whether a name occurs in one of the forms. Most texts do not contain it at all."""
    texts = [chunk.text for chunk in chunks if _may_contain(chunk.text, name)]
    if not texts:
        return False
    pattern = re.compile("|".join(patterns).replace("NAME", re.escape(name)), re.IGNORECASE | re.MULTILINE)
    return any(map(pattern.search, texts))


def _may_contain(text: str, name: str) -> bool:
    """Check whether a text may contain a name in any case. Beyond ASCII, case has exceptions.

    >>> _may_contain("the STORE", "Store"), _may_contain("the shop", "Store"), _may_contain("sſ", "ss")
    (True, False, True)
    """
    return not (text.isascii() and name.isascii()) or name.lower() in text.lower()
