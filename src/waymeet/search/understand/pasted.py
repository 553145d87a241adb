"""Convert a pasted stack trace or diff to a query of its message, symbols and files."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from waymeet.analysis import file_name_key
from waymeet.analysis.pasted import PastedText
from waymeet.analysis.pasted.installed import InstalledFile, parse_installed
from waymeet.analysis.pasted.location import Location
from waymeet.ports import Store

_MAX_CHARS = 10_000
"""Characters of a pasted text that are searched for."""
_MAX_LOCATIONS = 12
"""Locations that are searched for."""
_MAX_LOOKED_UP = 200
"""Locations that are looked up in the project: most calls of a long trace may be those of libraries."""
_MAX_FILES = 6
_FIRST_REPEATS = 3
"""Repetitions of the location nearest to a failure, which weighs more that way; the farthest is named once."""
_MAX_WORDS = 40
"""Words of a message; the text after them mostly repeats or quotes."""
_WORD = re.compile(r"[^\W_][\w.-]*\w|\w")
_MANIFESTS = ("package.json", "go.mod", "Cargo.toml", "composer.json")
_GEM_SUFFIX = ".gemspec"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-f]{12,}\b")


class PastedQuery(Struct, frozen=True):
    """A query made from a pasted text."""

    text: str
    """The query, without operators."""
    summary: str
    """What was recognised, for the user."""
    places: tuple[str, ...] = ()
    """Locations in files of the project, as `path:line`, the most relevant first."""


def query_from_pasted(pasted: PastedText, store: Store) -> PastedQuery:
    """Make a query from a pasted text."""
    if pasted.kind == "text":
        return PastedQuery(pasted.message[:_MAX_CHARS], "read as text")
    in_project = _find_in_project(pasted.locations[:_MAX_LOOKED_UP], store)[:_MAX_LOCATIONS]
    others = [each for each in pasted.locations if not parse_installed(each.path)] or pasted.locations
    locations = in_project or others[:_MAX_LOCATIONS]
    message = _WORD.findall(_ADDRESS.sub(" ", pasted.message))[:_MAX_WORDS]
    text = " ".join([*message, *_list_names(locations, is_trace=pasted.kind == "trace"), *pasted.words])
    places = tuple(dict.fromkeys(f"{each.path}:{each.line}" if each.line else each.path for each in in_project))
    return PastedQuery(text, _summarise(pasted, places), places)


def _list_names(locations: Sequence[Location], *, is_trace: bool) -> Iterator[str]:
    """Yield the names of symbols and files, the first repeated in a trace to weigh more."""
    symbols = list(dict.fromkeys(each.symbol for each in locations if each.symbol))
    files = list(dict.fromkeys(each.path.rpartition("/")[2] for each in locations))[:_MAX_FILES]
    for position, symbol in enumerate(symbols):
        yield from [symbol] * (max(_FIRST_REPEATS - position, 1) if is_trace else 1)
    for position, file in enumerate(files):
        stem = file.rpartition(".")[0] or file
        yield from [file, *[stem] * (_FIRST_REPEATS - 1)] if is_trace and not position else [stem]


def _summarise(pasted: PastedText, places: Sequence[str]) -> str:
    if pasted.kind == "diff":
        files = len({each.path for each in pasted.locations})
        kind = f"a diff of {files} file{'' if files == 1 else 's'}"
    else:
        kind = f"a stack trace of {pasted.language}" if pasted.language else "messages of a tool"
    message = f": {pasted.message}" if pasted.message else ""
    where = f"; in this project: {', '.join(places)}" if places else "; it names no file of this project"
    return f"read as {kind}{message}{where}"


def _find_in_project(locations: Sequence[Location], store: Store) -> list[Location]:
    """Find the locations in indexed files, with their paths and symbols there."""
    known = store.documents({suffix for each in locations for suffix in _path_suffixes(each.path)})
    names = {file_name_key(each.path.replace("\\", "/").rpartition("/")[2]) for each in locations}
    by_name = store.documents_by_key(names)
    copies = {
        each.path: _find_installed(installed, by_name, store)
        for each in locations
        if (installed := parse_installed(each.path))
    }
    # If this project is installed there, the other files are those of a program that uses it.
    may_be_elsewhere = not any(copies.values())
    in_project = []
    for location in locations:
        path = copies.get(location.path)
        if path is None:
            path = next((suffix for suffix in _path_suffixes(location.path) if suffix in known), "")
            path = path or (_find_by_name(location.path, by_name) if may_be_elsewhere else "")
        if path:
            in_project.append(Location(path, location.line, location.symbol))
    return _add_symbols(in_project, store)


def _find_installed(installed: InstalledFile, by_name: Mapping[str, Sequence[str]], store: Store) -> str:
    """Find the source of a file of an installed package, if the project contains that package.

    The file name alone says nothing here: every library has a `utils.py`. A path with a folder is enough if no manifest
    in the project's root names a package.
    """
    package, inside = installed
    same_name = by_name.get(file_name_key(inside.rpartition("/")[2]), ())
    with_folder = f"/{package}/{inside}" if package else f"/{inside}"
    matches = [each for each in same_name if f"/{each}".endswith(with_folder)]
    if not package and "/" not in inside:  # a module without a package
        matches = [each for each in matches if each in {inside, f"src/{inside}"}]
    if package and not matches:
        matches = [each for each in same_name if f"/{each}".endswith(f"/{inside}")]
        documents = store.documents(matches)
        of_package = [each for each in matches if documents[each].namespace == package]
        root = [inside] if inside in matches and _may_be_root_package(installed, store) else []
        matches = of_package or root
    return min(matches, key=len, default="")


def _may_be_root_package(installed: InstalledFile, store: Store) -> bool:
    """Check whether no manifest in the project's root names another package."""
    package, inside = installed
    manifests = store.chunks_of([*_MANIFESTS, f"{package}{_GEM_SUFFIX}"])
    if not manifests:
        return "/" in inside
    if f"{package}{_GEM_SUFFIX}" in manifests:
        return True
    named = re.compile(
        rf"""^\s*(?:\{{\s*)?["']?(?:name|module)["']?\s*[:=]?\s*["']?{re.escape(package)}["']?\s*(?:,|\}}|$)""",
        re.MULTILINE,
    )
    return any(named.search(chunk.text) for chunks in manifests.values() for chunk in chunks)


def _path_suffixes(path: str) -> list[str]:
    """List a path and its suffixes of two parts or more, the longest first.

    A trace may come from another machine, where the project is in another folder.

    >>> _path_suffixes("/ci/src/a.py"), _path_suffixes("./a.py")
    (['ci/src/a.py', 'src/a.py'], ['a.py'])
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    return ["/".join(parts[start:]) for start in range(max(len(parts) - 1, 1))]


def _find_by_name(path: str, by_name: Mapping[str, Sequence[str]]) -> str:
    """Find the only document with the same end of its path, or the only one with the same name."""
    name = path.replace("\\", "/").lstrip("./")
    same_name = by_name.get(file_name_key(name.rpartition("/")[2]), ())
    matches = [each for each in same_name if f"/{each}".endswith(f"/{name}")] or list(same_name)
    return matches[0] if len(matches) == 1 else ""


def _add_symbols(locations: list[Location], store: Store) -> list[Location]:
    """Add the smallest symbol around the line of a location that has none."""
    chunks = store.chunks_of(list({each.path for each in locations if not each.symbol}))
    completed = []
    for location in locations:
        around = [
            symbol
            for chunk in chunks.get(location.path, ())
            for symbol in chunk.symbols
            if not location.symbol and symbol.start <= location.line <= symbol.end
        ]
        name = min(around, key=lambda symbol: symbol.end - symbol.start).name if around else location.symbol
        completed.append(Location(location.path, location.line, name.rpartition(".")[2]))
    return completed
