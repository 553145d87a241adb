"""From a name that nothing has to what was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.types import Chunk

_SUGGESTED = 3


def not_indexed_error(store: Store, reference: str) -> NotIndexedError:
    """Say that nothing has that name, and which names are nearest: those of files, or of what a file holds."""
    path, _, anchor = reference.rpartition("#")
    if path and store.documents([path]):
        known = anchors(store.chunks_of([path]).get(path, ()))
        close = get_close_matches(anchor, known, n=_SUGGESTED) or known[:_SUGGESTED]
        hint = f"It has: {', '.join(close)}" if close else "It has no headings or symbols."
        return NotIndexedError(f"{path} has no {anchor!r}.", hint)
    close = similar_paths(reference.partition("#")[0], list(store.fingerprints()))
    hint = f"Did you mean {' or '.join(close)}?" if close else "Use an id that search shows, or the path of a file."
    return NotIndexedError(f"Nothing indexed is called {reference!r}.", hint)


def anchors(chunks: Iterable[Chunk]) -> list[str]:
    """List the headings and symbols by which places in a document can be named."""
    return list(dict.fromkeys(each for chunk in chunks for each in (*chunk.anchors, *(s.name for s in chunk.symbols))))


def similar_paths(name: str, paths: list[str], number: int = _SUGGESTED) -> list[str]:
    """List paths whose last part is that of a name, or is spelled much like it; those in like folders first.

    >>> similar_paths("docs/stup.md", ["src/setup.md", "docs/setup.md", "docs/other.md"])
    ['docs/setup.md', 'src/setup.md']
    """
    last = _last(name)
    ends: dict[str, list[str]] = {}
    for path in paths:
        end = _last(path)
        for form in {end, end.rpartition(".")[0] or end}:
            ends.setdefault(form, []).append(path)
    alike = [last] if last in ends else get_close_matches(last, ends, n=number, cutoff=0.75)
    folders = set(name.casefold().split("/")[:-1])
    found: list[str] = []
    for end in alike:
        found += sorted(ends[end], key=lambda path: (-len(folders & set(path.casefold().split("/"))), path))
    return list(dict.fromkeys(found))[:number]


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].casefold()
