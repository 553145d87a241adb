"""Indexes of test collections that are kept for later evaluations."""

import platform
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b, file_digest
from importlib import metadata
from pathlib import Path

import msgspec

import waymeet
from waymeet.evaluate.collection import Collection
from waymeet.ingest.discover.walk import FoundFile, walk
from waymeet.ingest.lock import index_lock
from waymeet.ports import Store
from waymeet.project import Project
from waymeet.project.index_settings import stored_settings
from waymeet.search.state import Tools
from waymeet.settings import Layer, resolve

_COMPLETE = "complete"
"""The file that marks an index as complete."""
_INDEXING = ("analysis", "evaluate", "formulas", "ingest", "models", "ports", "project/embedding", "stores", "types")
"""Packages whose source decides what is in an index; ranking can change without them."""
_DIGEST_BYTES = 16
_LIBRARY = re.compile(r"[\w.-]+")
"""The name at the beginning of a requirement."""


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
        store = project.create_empty_index().store
        build(store)
        (folder / _COMPLETE).touch()
        return project.tools(store)


def index_digest(collection: Collection, layers: Sequence[Layer], *, whole: bool) -> str:
    """Compute a digest of all that decides what is in the index of a collection.

    These are the documents, the settings of indexing, the source of the packages that index, and the versions of the
    libraries that they use.
    """
    digest = blake2b(digest_size=_DIGEST_BYTES)
    libraries = [*_list_libraries(), ("python", platform.python_version())]
    digest.update(msgspec.json.encode([whole, stored_settings(layers), libraries, collection.documents]))
    source = Path(waymeet.__file__).parent
    paths = [path for package in _INDEXING for path in sorted((source / package).rglob("*")) if path.is_file()]
    files = [(path.relative_to(source).as_posix(), path) for path in paths if path.suffix != ".pyc"]
    if collection.files:
        found = walk(Path(collection.files), resolve(layers).ingest)
        files += [(each.path, Path(each.absolute)) for each in found if isinstance(each, FoundFile)]
    for name, path in files:
        digest.update(msgspec.json.encode([name, _digest_content(path)]))
    return digest.hexdigest()


def _list_libraries() -> Iterator[tuple[str, str]]:
    """List the installed libraries that Waymeet requires, with their versions."""
    for requirement in sorted(metadata.requires("waymeet") or ()):
        name = _LIBRARY.match(requirement)
        with suppress(metadata.PackageNotFoundError):  # one of an extra
            if name:
                yield name[0], metadata.version(name[0])


def _digest_content(path: Path) -> str:
    """Compute a digest of a file, empty if it cannot be read and so is not indexed."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "blake2b").hexdigest()
    except OSError:
        return ""
