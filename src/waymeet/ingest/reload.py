"""Reading a document once more: what its file holds now."""

from pathlib import Path

from msgspec.structs import replace

from waymeet.errors import NotFoundError, NotIndexedError
from waymeet.ingest.discover.roots import place, roots_of, trouble
from waymeet.ingest.read.decode import Loaded, load
from waymeet.ingest.read.secrets import masked
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.types import Document


def loaded_again(root: Path, store: Store, settings: Settings, document: Document) -> Loaded:
    """Read an indexed file as it is now; a folder as it was indexed.

    Raises:
        NotFoundError: it is gone, cannot be read, or holds no text any more.
        NotIndexedError: nothing but its path was ever indexed.
    """
    chunks = store.chunks_of([document.id])[document.id]
    if document.kind == "folders":
        return Loaded(chunks[0].text, document.digest)
    if document.size and not document.lines and not any(chunk.text for chunk in chunks):
        raise NotIndexedError(
            f"Only the path of {document.id} is indexed: it is not text, or too large ({document.size:,} bytes).",
            "`waymeet status` says why.",
        )
    folder, inside = place(roots_of(root, store, settings), document.id)
    wrong = trouble(folder)
    if wrong:
        raise NotFoundError(f"{folder} {wrong}.", "When it is back, so are its files. Search still shows what it held.")
    loaded = load(Path(folder), inside, mask=False)
    if not settings.ingest.mask_secrets:
        return loaded
    found = masked(loaded.text, inside)
    return replace(loaded, text=found.text, note=found.note)
