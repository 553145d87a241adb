"""What documents refer to and may be missing: files that are not indexed, and symbols that a file may not have."""

import re
import stat
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from waymeet.analysis import normalise_text
from waymeet.types import Chunk, Symbol

_LINES = re.compile(r"l?\d+(?:c\d+)?(?:-l?\d+(?:c\d+)?)?", re.IGNORECASE)
_SIGNS = (
    r"^[ \t]*(?:[\w.<>\[\]*&]{1,80}[ \t]){0,6}[*&$@]?NAME[ \t]?(?::|=(?!=))",
    r"^#[ \t]*define[ \t]NAME\b",
    r"^[ \t]*(?:from|import|export|use|pub use|using)\b[^\n]{0,300}\bNAME\b",
    r"^[ \t]*NAME(?:[ \t]as[ \t]\w+)?,?[ \t]*$",
    r"""["']NAME["']""",
)
"""How a file has a name that it does not define: as a constant, from elsewhere, or in a list of names."""
_INHERITS = (
    r"\bclass[ \t]+NAME[ \t]*(?:\[[^\]\n]{0,200}\])?\(\s*(?!object\s*\)|\))",
    r"\b(?:class|interface|struct|record)[ \t]+NAME\b[^{;:\n]{0,200}(?:\b(?:extends|implements)\b|[ \t][<:][ \t])",
    r"\b(?:class|interface|struct|record)[ \t]+NAME:[ \t]*\w[^\n]{0,200}\{",
)
"""How a class says that it has more than is written there: in Python; in Java, TypeScript, Ruby, C++, C#; in Swift."""
_MOST_BEGINS = 50
"""Places at which a symbol may begin that are looked at."""


def find_unindexed(root: Path, names: Collection[str]) -> dict[str, tuple[str, int]]:
    """Find files by names whose case is not known, with their paths and times; no link is followed.

    The path of a folder ends with a slash.
    """
    found = {}
    for name in names:
        path = _spelled(root, name.rstrip("/"))
        if path is not None:
            try:
                state = (root / path).lstat()
            except OSError:  # gone this very moment
                continue
            found[name] = path + "/" * stat.S_ISDIR(state.st_mode), state.st_mtime_ns
    return found


def _spelled(root: Path, name: str) -> str | None:
    """Walk down to a file or folder, comparing each step without regard to case."""
    here: list[str] = []
    for step in name.split("/"):
        folder = root.joinpath(*here)
        try:
            if step in {"", ".", ".."} or not stat.S_ISDIR(folder.lstat().st_mode):
                return None
            entries = sorted(each.name for each in folder.iterdir())
        except OSError:
            return None
        match = next((entry for entry in entries if entry == step), None)
        match = match or next((entry for entry in entries if entry.casefold() == step.casefold()), None)
        if match is None:
            return None
        here.append(match)
    return "/".join(here)


def digest_of(symbol: str, chunks: Sequence[Chunk]) -> str | None:
    """Give a digest of the text of a symbol; None if a file has nothing of that name.

    It is empty for what has a name but is no symbol, such as a heading or a constant.
    """
    if found := _meant(symbol, chunks):
        text = "\n".join(line for each in found for line in _text(each, chunks))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return "" if _named(symbol, chunks) else None


def held(symbol: str, chunks: Sequence[Chunk], text: str) -> bool:
    """Tell whether another version of a file surely has a symbol with the text it has in the chunks."""
    lines = [line.rstrip() for line in text.splitlines()]
    found = _meant(symbol, chunks)
    return bool(found) and all(_holds(lines, list(_text(each, chunks))) for each in found)


def _holds(lines: Sequence[str], part: Sequence[str]) -> bool:
    """Tell whether lines have a part as a whole: with an empty line or nothing before it, and not going on after it.

    >>> _holds(["x = 1", "", "def f():", "    g()", "", "    h()"], ["def f():", "    g()"])
    False
    >>> _holds(["x = 1", "", "def f():", "    g()", "", "    h()"], ["def f():", "    g()", "    h()"])
    True
    """
    full = [number for number, line in enumerate(lines) if line]
    begins = [at for at, number in enumerate(full) if part and lines[number] == part[0]]
    for at in begins[:_MOST_BEGINS]:
        end = at + len(part)
        alone = full[at] == 0 or not lines[full[at] - 1]
        if alone and [lines[number] for number in full[at:end]] == list(part):
            return end == len(full) or _indent(lines[full[end]]) <= _indent(part[0])
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _meant(symbol: str, chunks: Sequence[Chunk]) -> list[Symbol]:
    """Find the symbols of a name, else those that lie in others and have it as their last part."""
    name = symbol.removesuffix("()").replace("::", ".")
    every = [each for chunk in chunks for each in chunk.symbols]
    found = [each for each in every if each.name in {symbol, name}]
    return found or [each for each in every if each.name.endswith(f".{name}")]


def _text(symbol: Symbol, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield the lines of a symbol that are not empty, however they are divided into chunks."""
    lines: dict[int, dict[str, None]] = {}
    for chunk in chunks:
        if chunk.start <= symbol.end and chunk.end >= symbol.start:
            for number, line in enumerate(chunk.text.split("\n"), chunk.start):
                if symbol.start <= number <= symbol.end and line.strip():
                    lines.setdefault(number, {})[line.rstrip()] = None
    for number in sorted(lines):
        yield from lines[number]


def _named(symbol: str, chunks: Sequence[Chunk]) -> bool:
    """Tell whether a file has a heading, a line or a mark of some name, or shows signs of a name."""
    anchors = {anchor for chunk in chunks for anchor in chunk.anchors}
    folded = {anchor.casefold() for anchor in anchors}
    if not chunks or _LINES.fullmatch(symbol) or {symbol.casefold(), normalise_text(symbol).replace(" ", "-")} & folded:
        return True
    *owners, last = re.split(r"[.:/]+", symbol.removesuffix("()"))
    signs = _SIGNS if any(chunk.symbols for chunk in chunks) else (r"(?<!\w)NAME(?!\w)",)
    return _shown(signs, last, chunks) or (bool(owners) and _from_elsewhere(owners[-1], chunks))


def _from_elsewhere(owner: str, chunks: Sequence[Chunk]) -> bool:
    """Tell whether what an owner has may stand in another file: it comes from there, or it inherits."""
    if not _meant(owner, chunks):
        return _shown(_SIGNS, owner, chunks)
    return _shown(_INHERITS, owner, chunks)


def _shown(signs: Sequence[str], name: str, chunks: Sequence[Chunk]) -> bool:
    found = re.compile("|".join(signs).replace("NAME", re.escape(name)), re.IGNORECASE | re.MULTILINE)
    return any(found.search(chunk.text) for chunk in chunks)
