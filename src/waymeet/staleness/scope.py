"""Selection of the documents to check, and batches of ids for queries over a whole store."""

from collections.abc import Collection, Iterator

DESCRIBED = frozenset({"code", "files", "folders"})
"""Kinds of documents that others describe; they are not checked for staleness themselves."""
_BATCH = 500


def batches(ids: Collection[str]) -> Iterator[list[str]]:
    """Divide ids into batches small enough for one store query."""
    ordered = sorted(ids)
    yield from (ordered[start : start + _BATCH] for start in range(0, len(ordered), _BATCH))


def is_below(id_: str, paths: Collection[str]) -> bool:
    """Check whether a document is one of the paths or lies below one (without paths: always)."""
    return not paths or any(path in {"", ".", id_} or id_.startswith(f"{path.rstrip('/')}/") for path in paths)
