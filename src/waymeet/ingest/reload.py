"""Reading a document once more: what its file holds now."""

from pathlib import Path

from msgspec.structs import replace

from waymeet.errors import NotFoundError, NotIndexedError
from waymeet.ingest.discover.roots import list_roots, place, root_problem
from waymeet.ingest.read.decode import LoadedFile, load_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Document


def reload_document(root: Path, store: Store, settings: Settings, document: Document) -> LoadedFile:
    """Read an indexed file as it is now; a folder as it was indexed.

    Raises:
        NotFoundError: it is gone, cannot be read, or holds no text any more.
        NotIndexedError: nothing but its path was ever indexed.
    """
    chunks = store.chunks_of([document.id])[document.id]
    if document.kind == "folders":
        return LoadedFile(chunks[0].text, document.digest)
    if document.size and not document.lines and not any(chunk.text for chunk in chunks):
        raise NotIndexedError(
            f"Only the path of {document.id} is indexed: it is not text, or too large ({document.size:,} bytes).",
            "`waymeet status` says why.",
        )
    folder, inside = place(list_roots(root, store, settings), document.id)
    wrong = root_problem(folder)
    if wrong:
        raise NotFoundError(f"{folder} {wrong}.", "When it is back, so are its files. Search still shows what it held.")
    loaded = load_file(Path(folder), inside, mask=False)
    if not settings.ingest.mask_secrets:
        return loaded
    found = mask_secrets(loaded.text, inside)
    return replace(loaded, text=found.text, note=found.note)
