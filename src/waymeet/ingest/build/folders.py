"""Index entries of folders, so that they can be found by path and followed as links."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from waymeet.analysis import count_terms, path_key
from waymeet.ingest.discover.namespaces import Namespaces
from waymeet.ingest.read.decode import content_digest
from waymeet.settings.path_contexts import contexts_of
from waymeet.types import Chunk, Document, IndexEntry, Link

_KIND = "folders"
_MAX_LISTED = 200
"""Names in the text of a folder."""
_MAX_LINKED = 1000
"""Files and folders that a folder links to."""


class Folder(Struct, frozen=True):
    """A folder with its contents."""

    id: str
    """Path with a slash at the end."""
    names: tuple[str, ...]
    """Names of its files and folders, sorted; folders with a slash."""
    context: tuple[str, ...] = ()
    namespace: str = ""

    @property
    def digest(self) -> str:
        """Digest of everything that its entry is built from."""
        return content_digest("\0".join((self.namespace, *self.context, "", *self.names)).encode())


def is_folder(document: str) -> bool:
    """Return whether the id of a document is that of a folder."""
    return document.endswith("/")


def list_folders(files: Iterable[str], contexts: Mapping[str, str], namespaces: Namespaces) -> Iterator[Folder]:
    """List the folders above the given files, without the root itself.

    >>> [(folder.id, folder.names) for folder in list_folders(["a/b/c.md", "a/d.md", "e.md"], {}, Namespaces({}))]
    [('a/', ('b/', 'd.md')), ('a/b/', ('c.md',))]
    """
    contents: dict[str, list[str]] = {}
    for file in files:
        child = file
        while end := child.rfind("/", 0, len(child) - 1) + 1:
            folder, name = child[:end], child[end:]
            names = contents.get(folder)
            if names is not None:  # the folders above it are listed already
                names.append(name)
                break
            contents[folder] = [name]
            child = folder
    for folder in sorted(contents):
        names = sorted(contents[folder])
        yield Folder(folder, tuple(names), contexts_of(folder, contexts), namespaces.of(folder))


def build_folder_entry(folder: Folder) -> IndexEntry:
    """Build the index entry of a folder."""
    title = folder.id.rstrip("/").rpartition("/")[2]
    text = "\n".join(_text_lines(folder.names, folder.context))
    lines = text.count("\n") + 1
    return IndexEntry(
        document=Document(
            id=folder.id,
            kind=_KIND,
            title=title,
            names=(path_key(folder.id),),
            digest=folder.digest,
            lines=lines,
            namespace=folder.namespace,
        ),
        chunks=(Chunk(f"{folder.id}#L1-L{lines}", folder.id, 0, 1, lines, text),),
        terms={"title": count_terms(title), "path": count_terms(folder.id)},
        # Without the names in the folder: a query for a name means the file, which has a document of its own.
        chunk_terms=({"body": count_terms("\n".join(folder.context))} if folder.context else {},),
        links=tuple(Link((path_key(folder.id + name),), "contains") for name in folder.names[:_MAX_LINKED]),
    )


def _text_lines(names: Sequence[str], context: Iterable[str]) -> Iterator[str]:
    yield from context
    yield from names[:_MAX_LISTED]
    if len(names) > _MAX_LISTED:
        yield f"… and {len(names) - _MAX_LISTED} more"
