"""Which documents a question about the whole index is about, in portions that a store can be asked about at once."""

from collections.abc import Collection, Iterator

DESCRIBED = frozenset({"code", "files", "folders"})
"""Kinds of documents that are described and do not themselves describe anything."""
_BATCH = 500


def batches(ids: Collection[str]) -> Iterator[list[str]]:
    """Divide ids into portions that a store can be asked about at once."""
    ordered = sorted(ids)
    yield from (ordered[at : at + _BATCH] for at in range(0, len(ordered), _BATCH))


def is_below(id_: str, paths: Collection[str]) -> bool:
    """Tell whether a document is one of some paths or lies below one; without any, all do."""
    return not paths or any(path in {"", ".", id_} or id_.startswith(f"{path.rstrip('/')}/") for path in paths)
