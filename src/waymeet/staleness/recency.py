"""Commit dates of all documents, for recency and filters by date.

After a clone every file is new. The date of a document is therefore that of its front matter, else of the last commit
that changed its content. Only a file that no commit contains keeps its own time. Searches read the dates in the store
and run no git.
"""

from collections.abc import Iterator
from pathlib import Path

from waymeet.ports import Store
from waymeet.staleness.git_history import Reader, read_changed_paths, read_head, read_history
from waymeet.staleness.scope import batches
from waymeet.types import Document

_METADATA_KEY = "dated"
"""Key of the commit and generation for which documents were dated, followed by the prefix of the root."""


def update_commit_dates(store: Store, root: Path, prefix: str, read: Reader, seconds: float) -> None:
    """Date the documents of a root by its commits, if the store or the commit changed since.

    `prefix` is that of the ids of the root's documents. `read` reads a file by its path below the root.
    """
    head = read_head(root, seconds).head
    key = f"{_METADATA_KEY} {prefix}".strip()
    last_head, _, last_generation = store.metadata(key).partition(" ")
    if not head or (last_head, last_generation) == (head, str(store.generation)):
        return
    changed = read_changed_paths(root, last_head, head, seconds) if last_head not in {"", head} else frozenset[str]()
    paths = [
        document.id.removeprefix(prefix)
        for document in _iterate_documents(store, prefix)
        if document.changed_by == "file"
        or (document.changed_by == "commit" and (changed is None or document.id.removeprefix(prefix) in changed))
    ]
    history = read_history(root, paths, (), read, seconds)
    store.set_commit_dates({prefix + path: time_ns for path, time_ns in history.changed.items()})
    store.set_metadata(key, f"{head} {store.generation}")


def _iterate_documents(store: Store, prefix: str) -> Iterator[Document]:
    """Yield the files of a root, without folders and the files of other roots."""
    ids = [
        id_
        for id_ in store.fingerprints()
        if id_.startswith(prefix) and not id_.endswith("/") and (prefix or ":/" not in id_)
    ]
    for batch in batches(ids):
        yield from store.documents(batch).values()
