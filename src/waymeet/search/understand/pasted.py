"""From a pasted trace or diff to a question: which files of the project it names, and which words to look for."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from waymeet.analysis import file_name_key
from waymeet.analysis.pasted import PastedText
from waymeet.analysis.pasted.location import Location
from waymeet.ports import Store

_MOST_CHARS = 10_000
"""Characters of a text that was pasted; nobody asks a longer question."""
_MOST_SPOTS = 12
_MOST_FILES = 6
_TELLING = 3
"""How often the place nearest to a failure is named, against once for the farthest."""
_MOST_WORDS = 40
"""Words of a message; what follows repeats or quotes."""
_WORD = re.compile(r"[^\W_][\w.-]*\w|\w")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{12,}\b")


class PastedQuery(Struct, frozen=True):
    """A question made of a pasted text, and what it was made of."""

    text: str
    """The question; it says nothing that has a special meaning in a query."""
    said: str
    """What was understood, for people."""
    places: tuple[str, ...] = ()
    """Places in files of the project, as `path:line`, the most telling first."""


def query_from_pasted(found: PastedText, store: Store) -> PastedQuery:
    """Make a question of what was pasted."""
    if found.kind == "text":
        return PastedQuery(found.message[:_MOST_CHARS], "read as text")
    here = _in_project(found.locations[:_MOST_SPOTS], store)
    spots = here or found.locations[:_MOST_SPOTS]
    message = _WORD.findall(_ADDRESS.sub(" ", found.message))[:_MOST_WORDS]
    text = " ".join([*message, *_names(spots, telling=found.kind == "trace"), *found.words])
    places = tuple(dict.fromkeys(f"{spot.path}:{spot.line}" if spot.line else spot.path for spot in here))
    return PastedQuery(text, _said(found, places), places)


def _names(spots: Sequence[Location], *, telling: bool) -> Iterator[str]:
    """Give the names of symbols and files; where the first spots tell most, they are named often and count more."""
    symbols = list(dict.fromkeys(spot.symbol for spot in spots if spot.symbol))
    files = list(dict.fromkeys(spot.path.rpartition("/")[2] for spot in spots))[:_MOST_FILES]
    for place, symbol in enumerate(symbols):
        yield from [symbol] * (max(_TELLING - place, 1) if telling else 1)
    for place, file in enumerate(files):
        stem = file.rpartition(".")[0] or file
        yield from [file, *[stem] * (_TELLING - 1)] if telling and not place else [stem]


def _said(found: PastedText, places: Sequence[str]) -> str:
    if found.kind == "diff":
        files = len({spot.path for spot in found.locations})
        what = f"a diff of {files} file{'' if files == 1 else 's'}"
    else:
        what = f"a stack trace of {found.language}" if found.language else "the complaints of a tool"
    message = f": {found.message}" if found.message else ""
    where = f"; in this project: {', '.join(places)}" if places else "; it names no file of this project"
    return f"read as {what}{message}{where}"


def _in_project(spots: Sequence[Location], store: Store) -> list[Location]:
    """Find the spots that lie in indexed files, by their paths there; what encloses a line is told by the index."""
    wanted = {end for spot in spots for end in _ends(spot.path)}
    known = store.documents(wanted)
    names = {file_name_key(spot.path.replace("\\", "/").rpartition("/")[2]) for spot in spots}
    carriers = store.documents_by_key(names)
    found = []
    for spot in spots:
        path = next((end for end in _ends(spot.path) if end in known), "") or _only(spot.path, carriers)
        if path:
            found.append(Location(path, spot.line, spot.symbol))
    return _enclosed(found, store)


def _ends(path: str) -> list[str]:
    """Give a path and its ends of two parts or more, the longest first: a trace may come from another machine.

    >>> _ends("/ci/src/a.py"), _ends("./a.py")
    (['ci/src/a.py', 'src/a.py'], ['a.py'])
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    return ["/".join(parts[at:]) for at in range(max(len(parts) - 1, 1))]


def _only(path: str, carriers: Mapping[str, Sequence[str]]) -> str:
    """Find the only document of that file name whose path ends like it, or the only one of that name at all."""
    name = path.replace("\\", "/").lstrip("./")
    same = carriers.get(file_name_key(name.rpartition("/")[2]), ())
    alike = [each for each in same if f"/{each}".endswith(f"/{name}")] or list(same)
    return alike[0] if len(alike) == 1 else ""


def _enclosed(spots: list[Location], store: Store) -> list[Location]:
    """Add the symbol around a line where nobody told it."""
    chunks = store.chunks_of(list({spot.path for spot in spots if not spot.symbol}))
    told = []
    for spot in spots:
        around = [
            symbol
            for chunk in chunks.get(spot.path, ())
            for symbol in chunk.symbols
            if not spot.symbol and symbol.start <= spot.line <= symbol.end
        ]
        name = min(around, key=lambda each: each.end - each.start).name if around else spot.symbol
        told.append(Location(spot.path, spot.line, name.rpartition(".")[2]))
    return told
