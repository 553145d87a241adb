"""The terms that occur in chunks of a segment that are not deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from waymeet.stores.postgres.segments.posting_blocks import decode_block

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from waymeet.stores.postgres.segments.block_segment import BlockSegment
    from waymeet.stores.postgres.segments.posting_blocks import LevelBlock


def find_live_terms(segment: BlockSegment, blocks: Iterable[bytes]) -> frozenset[int]:
    """Return the hashes of the terms of live chunks, given all blocks of the segment."""
    is_live = np.ones(len(segment.sizes), dtype=np.bool_)
    is_live[list(segment.deleted)] = False
    live_by_level = {"document": is_live, "chunk": is_live[segment.owners]}
    found: set[int] = set()
    for content in blocks:
        block = decode_block(content, segment.blocks.chunks)
        occurs = np.zeros(len(block.terms), dtype=np.bool_)
        for level, is_live_entry in live_by_level.items():
            occurs |= _has_live_entry(block.levels[level], is_live_entry)
        found.update(block.terms[occurs].tolist())
    return frozenset(found)


def _has_live_entry(block: LevelBlock, is_live: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each term of a block whether its list has an entry that is not deleted."""
    live = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_live[block.positions])])
    has_live: NDArray[np.bool_] = np.diff(live[block.starts]) > 0
    return has_live
