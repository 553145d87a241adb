"""Reading of an indexed document's file as it is now."""

from pathlib import Path

from msgspec.structs import replace

from waymeet.errors import NotFoundError, NotIndexedError
from waymeet.ingest.discover.roots import list_roots, locate, root_problem
from waymeet.ingest.read.load import LoadedFile, load_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Document


def join_chunks(store: Store, document: Document) -> LoadedFile:
    """Return the indexed text of a document whose file is elsewhere, line by line.

    Secrets were masked when it was indexed. Lines that are in no section are empty.
    """
    chunks = store.chunks_of([document.id])[document.id]
    lines = [""] * max([document.lines, *(chunk.end for chunk in chunks)])
    for chunk in chunks:
        own = chunk.text.split("\n")[: chunk.end - chunk.start + 1]
        lines[chunk.start - 1 : chunk.start - 1 + len(own)] = own
    return LoadedFile(
        "\n".join(lines), document.digest, "the text is that of the store; the file is on another machine"
    )


def reload_document(root: Path, store: Store, settings: Settings, document: Document) -> LoadedFile:
    """Read an indexed file again, or return the indexed text of a folder.

    Raises:
        NotFoundError: the file is gone, cannot be read, or holds no text any more.
        NotIndexedError: only the path of the file is indexed.
    """
    chunks = store.chunks_of([document.id])[document.id]
    if document.kind == "folders":
        return LoadedFile(chunks[0].text, document.digest)
    if document.size and not document.lines and not any(chunk.text for chunk in chunks):
        raise NotIndexedError(
            f"Only the path of {document.id} is indexed: it is not text, or too large ({document.size:,} bytes).",
            "`waymeet status` shows the reason.",
        )
    folder, path = locate(list_roots(root, store, settings), document.id)
    problem = root_problem(folder)
    if problem:
        raise NotFoundError(
            f"{folder} {problem}.", "Its files can be read again when it is back. Search still finds its indexed text."
        )
    loaded = load_file(Path(folder), path)
    if not settings.ingest.mask_secrets:
        return loaded
    masked = mask_secrets(loaded.text, path)
    return replace(loaded, text=masked.text, warning=masked.warning)
