"""Folders as documents: what is in them, so that they can be found by their path and walked through."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from waymeet.analysis import count_terms, path_key
from waymeet.ingest.read.decode import content_digest
from waymeet.ingest.discover.namespaces import Namespaces
from waymeet.settings.path_contexts import contexts_of
from waymeet.types import Chunk, Document, IndexEntry, Link

KIND = "folders"
_LISTED = 200
"""Names that a folder's text lists."""
_LINKED = 1000
"""Files and folders that a folder has an edge to."""


class Folder(Struct, frozen=True):
    """A folder with what is in it."""

    id: str
    """Its path with a slash at the end."""
    names: tuple[str, ...]
    """What lies directly in it, in order; folders with a slash."""
    context: tuple[str, ...] = ()
    namespace: str = ""

    @property
    def digest(self) -> str:
        """Name everything that its entry is made of."""
        return content_digest("\0".join((self.namespace, *self.context, "", *self.names)).encode())


def is_folder(document: str) -> bool:
    """Tell whether a document is a folder, by its id."""
    return document.endswith("/")


def folders(files: Iterable[str], contexts: Mapping[str, str], spaces: Namespaces) -> Iterator[Folder]:
    """List the folders above some files, but not the root itself.

    >>> [(each.id, each.names) for each in folders(["a/b/c.md", "a/d.md", "e.md"], {}, Namespaces({}))]
    [('a/', ('b/', 'd.md')), ('a/b/', ('c.md',))]
    """
    inside: dict[str, list[str]] = {}
    for file in files:
        child = file
        while cut := child.rfind("/", 0, len(child) - 1) + 1:
            folder = child[:cut]
            known = inside.get(folder)
            if known is not None:
                known.append(child[cut:])
                break
            inside[folder] = [child[cut:]]
            child = folder
    for folder in sorted(inside):
        yield Folder(folder, tuple(sorted(inside[folder])), contexts_of(folder, contexts), spaces.of(folder))


def entry(folder: Folder) -> IndexEntry:
    """Make what a store keeps of a folder."""
    title = folder.id.rstrip("/").rpartition("/")[2]
    text = "\n".join(_lines(folder.names, folder.context))
    lines = text.count("\n") + 1
    return IndexEntry(
        document=Document(
            id=folder.id,
            kind=KIND,
            title=title,
            names=(path_key(folder.id),),
            digest=folder.digest,
            lines=lines,
            namespace=folder.namespace,
        ),
        chunks=(Chunk(f"{folder.id}#L1-L{lines}", folder.id, 0, 1, lines, text),),
        terms={"title": count_terms(title), "path": count_terms(folder.id)},
        # Not the names in it: those who look for them mean the files, which have documents of their own.
        chunk_terms=({"body": count_terms("\n".join(folder.context))} if folder.context else {},),
        links=tuple(Link((path_key(folder.id + name),), "contains") for name in folder.names[:_LINKED]),
    )


def _lines(names: Sequence[str], context: Iterable[str]) -> Iterator[str]:
    yield from context
    yield from names[:_LISTED]
    if len(names) > _LISTED:
        yield f"… and {len(names) - _LISTED} more"
