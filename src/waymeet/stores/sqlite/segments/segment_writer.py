"""Writing a segment: the postings of documents, and impacts for the current averages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.settings.bm25 import AUTO_BM25
from waymeet.stores.segments import array_file
from waymeet.stores.segments.impacts import compute_impacts
from waymeet.stores.segments.postings import build_arrays
from waymeet.stores.segments.reader import Segment
from waymeet.stores.shared import bm25f
from waymeet.stores.sqlite.segments import registry
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from pathlib import Path

    from waymeet.stores.segments.postings import SegmentContent
    from waymeet.stores.sqlite.database.sessions import Session


def write_segment(path: Path, session: Session, content: SegmentContent, *, is_merge: bool) -> None:
    """Write a segment.

    In a merge the documents are in other segments already, so their lengths are part of the averages.
    """
    arrays, attributes = build_arrays(content)
    deleted = registry.deleted_positions(session.connection)
    segments = [Segment(file, deleted.get(id_, ())) for id_, file in session.segments.items()]
    lengths = {}
    for field in FIELDS:
        parts = [segment.total_length(field) for segment in segments]
        parts += [] if is_merge else [attributes["lengths"][field][:2]]
        lengths[field] = (sum(total for total, _ in parts), sum(filled for _, filled in parts))
    scales = bm25f.field_scales(AUTO_BM25, bm25f.average_lengths(lengths))
    impacts, parameters = compute_impacts(content, scales, AUTO_BM25.k1)
    array_file.write_arrays(path, arrays | impacts, attributes | parameters)
