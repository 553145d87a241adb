"""Indexes of test collections that are kept for later evaluations."""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

import waymeet
from waymeet.evaluate.collection import Collection
from waymeet.ingest.lock import index_lock
from waymeet.ports import Store
from waymeet.project import Project
from waymeet.project.index_settings import stored_settings
from waymeet.search.state import Tools
from waymeet.settings import Layer

_COMPLETE = "complete"
"""The file that marks an index as complete."""
_INDEXING = ("analysis", "evaluate", "ingest", "models", "stores", "types")
"""Packages whose source decides what is in an index; ranking can change without them."""
_DIGEST_BYTES = 16


def open_or_build(project: Project, build: Callable[[Store], None]) -> Tools:
    """Open the index of a project if an earlier evaluation completed it, else build it.

    Other processes that need the same index wait for it.
    """
    folder = project.index_path.parent
    with index_lock(folder, wait=True):
        if (folder / _COMPLETE).exists():
            return project.tools(project.refreshed_store(refresh=False)[0])
        shutil.rmtree(folder, ignore_errors=True)  # what an interrupted evaluation left
        folder.mkdir(parents=True)
        tools = project.create_empty_index()
        build(tools.store)
        (folder / _COMPLETE).touch()
        return tools


def index_digest(collection: Collection, layers: Iterable[Layer], *, whole: bool) -> str:
    """Compute a digest of all that decides what is in the index of a collection.

    That are the documents, the settings of indexing, and the source of the packages that index.
    """
    digest = blake2b(digest_size=_DIGEST_BYTES)
    digest.update(msgspec.json.encode([whole, stored_settings(layers), collection.documents]))
    source = Path(waymeet.__file__).parent
    for folder in (*(source / name for name in _INDEXING), *map(Path, filter(None, [collection.files]))):
        for name, content in _list_files(folder):
            digest.update(msgspec.json.encode([name, content]))
    return digest.hexdigest()


def _list_files(folder: Path) -> Iterator[tuple[str, str]]:
    """List the files of a folder in their order, each with a digest of its content."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            path = Path(parent, name)
            if path.is_file():
                content = blake2b(path.read_bytes(), digest_size=_DIGEST_BYTES).hexdigest()
                yield str(path.relative_to(folder)), content
