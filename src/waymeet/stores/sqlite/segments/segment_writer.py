"""Writing the file of a segment: the terms of some documents, and weights that hold as long as the averages do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.settings import Bm25
from waymeet.stores.segments import array_file
from waymeet.stores.segments.impacts import baked
from waymeet.stores.segments.postings import arrays
from waymeet.stores.segments.reader import Segment
from waymeet.stores.shared import bm25f
from waymeet.stores.sqlite.segments import registry
from waymeet.types import FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from waymeet.stores.segments.posting_codec import Leaf
    from waymeet.stores.sqlite.database.sessions import Session


def write(path: Path, session: Session, leaves: Sequence[Leaf], *, anew: bool) -> None:
    """Write a segment of documents; those written `anew` are on other segments already and so in their averages."""
    made, facts = arrays(leaves)
    dead = registry.dead(session.connection)
    living = [Segment(each, dead.get(number, ())) for number, each in session.segments.items()]
    lengths = {}
    for field in FIELDS:
        parts = [segment.lengths(field) for segment in living] + ([] if anew else [facts["lengths"][field]])
        lengths[field] = (sum(total for total, _ in parts), sum(filled for _, filled in parts))
    numbers = Bm25()
    weights, recipe = baked(made, bm25f.scales(numbers, bm25f.averages(lengths)), numbers.k1)
    array_file.write(path, made | weights, facts | recipe)
