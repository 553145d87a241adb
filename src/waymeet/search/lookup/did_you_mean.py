"""Suggest names similar to one that is not indexed."""

from collections.abc import Iterable
from difflib import get_close_matches

from waymeet.errors import NotIndexedError
from waymeet.ports import Store
from waymeet.types import Chunk

_MAX_SUGGESTIONS = 3


def not_indexed_error(store: Store, reference: str) -> NotIndexedError:
    """Make the error for an unknown reference, with similar paths, headings or symbols as hint."""
    path, _, anchor = reference.rpartition("#")
    if path and store.documents([path]):
        known = list_anchors(store.chunks_of([path]).get(path, ()))
        close = get_close_matches(anchor, known, n=_MAX_SUGGESTIONS) or known[:_MAX_SUGGESTIONS]
        hint = f"It has: {', '.join(close)}" if close else "It has no headings or symbols."
        return NotIndexedError(f"{path} has no {anchor!r}.", hint)
    close = similar_paths(reference.partition("#")[0], list(store.fingerprints()))
    hint = f"Did you mean {' or '.join(close)}?" if close else "Use an id that search shows, or the path of a file."
    return NotIndexedError(f"Nothing indexed is called {reference!r}.", hint)


def list_anchors(chunks: Iterable[Chunk]) -> list[str]:
    """List the headings and symbols that a reference to a document may name."""
    return list(
        dict.fromkeys(name for chunk in chunks for name in (*chunk.anchors, *(symbol.name for symbol in chunk.symbols)))
    )


def similar_paths(name: str, paths: list[str], limit: int = _MAX_SUGGESTIONS) -> list[str]:
    """List paths with the same or a similar file name, those with common folders first.

    >>> similar_paths("docs/stup.md", ["src/setup.md", "docs/setup.md", "docs/other.md"])
    ['docs/setup.md', 'src/setup.md']
    """
    file_name = _file_name(name)
    by_file_name: dict[str, list[str]] = {}
    for path in paths:
        full = _file_name(path)
        for form in {full, full.rpartition(".")[0] or full}:
            by_file_name.setdefault(form, []).append(path)
    if file_name in by_file_name:
        similar = [file_name]
    else:
        similar = get_close_matches(file_name, by_file_name, n=limit, cutoff=0.75)
    folders = set(name.casefold().split("/")[:-1])
    suggestions: list[str] = []
    for form in similar:
        in_order = sorted(by_file_name[form], key=lambda path: (-len(folders & set(path.casefold().split("/"))), path))
        suggestions += in_order
    return list(dict.fromkeys(suggestions))[:limit]


def _file_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2].casefold()
