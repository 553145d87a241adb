"""Read a section or lines of an indexed file."""

from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

from waymeet.analysis import replace_surrogates
from waymeet.ports import Store
from waymeet.project.backend import other_owner
from waymeet.settings import Settings

if TYPE_CHECKING:
    from waymeet.search.lookup.citation import Excerpt


def read_excerpt(
    root: Path, index: Path, store: Store, settings: Settings, reference: str, *, start: int, lines: int
) -> "Excerpt":
    """Read what a reference names, or other lines of that file, and record when it was read.

    `start` and `lines` are the first of those lines and their number; 0 for those of the reference.
    """
    from waymeet.ingest.reload import join_chunks, reload_document
    from waymeet.search.feedback.storage import record_read
    from waymeet.search.lookup.citation import LineRange, cut_excerpt, locate_reference

    line_range = locate_reference(store, replace_surrogates(reference))
    if start or lines:
        first = start or line_range.start
        line_range = LineRange(line_range.document, first, first + lines - 1 if lines else None)
    document = line_range.document
    loaded = join_chunks(store, document) if other_owner(store) else reload_document(root, store, settings, document)
    is_changed = loaded.digest != document.digest
    changed_note = "the file changed since it was indexed: its lines may have moved" if is_changed else ""
    excerpt = cut_excerpt(line_range, reference, loaded.text, (changed_note, loaded.warning))
    record_read(index, document, time_ns())
    return excerpt
