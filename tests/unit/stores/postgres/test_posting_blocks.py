"""Posting lists in blocks, fetched in any order."""

import random
from collections import defaultdict

import numpy as np

from waymeet.settings import Bm25
from waymeet.stores.postgres.database.encoding import hash_key
from waymeet.stores.postgres.segments.block_segment import BlockSegment, FetchedBlocks
from waymeet.stores.postgres.segments.live_terms import find_live_terms
from waymeet.stores.postgres.segments.posting_blocks import EncodedSegment, build_segment
from waymeet.stores.postgres.segments.term_rows import join_terms, pack_hashes, pack_link_terms
from waymeet.stores.segments.posting_codec import DocumentTerms
from waymeet.stores.segments.reader import Posting
from waymeet.stores.shared.bm25f import field_scales
from waymeet.types import FIELDS

AVERAGES = dict.fromkeys(FIELDS, 10.0)
RNG = random.Random(5)  # noqa: S311 - a fixed seed
TERMS = [f"term{number}" for number in range(3000)]


def make_terms(fields: tuple[str, ...], number: int) -> dict[str, dict[str, int]]:
    """Make terms with so many different frequencies that a codebook does not hold all of them."""
    return {field: {term: RNG.randint(1, 700) for term in RNG.sample(TERMS, number)} for field in fields}


DOCUMENTS = [
    (place, make_terms(("title", "path"), 5), [make_terms(("headings", "body"), 60) for _ in range(place % 4)])
    for place in range(60)
]
LINK = {"term1": 2, "only in links": 3}
"""The terms of a link to every document."""


def encode() -> EncodedSegment:
    link = pack_link_terms(map(hash_key, LINK), LINK.values())
    rows = [
        DocumentTerms(
            place,
            join_terms((pack_hashes(own), link)),
            [(100 * place + at, pack_hashes(each)) for at, each in enumerate(chunks)],
        )
        for place, own, chunks in DOCUMENTS
    ]
    scales = field_scales(Bm25(), AVERAGES)
    return build_segment(rows, scales, Bm25().k1)


def expected_postings(deleted: set[int]) -> dict[str, set[Posting]]:
    postings = defaultdict(set)
    for place, own, chunks in DOCUMENTS:
        for at, of_chunk in enumerate(chunks if place not in deleted else ()):
            for field, terms in {**own, **of_chunk, "inbound": LINK}.items():
                for term, frequency in terms.items():
                    postings[term].add(Posting(100 * place + at, field, frequency, sum(terms.values())))
    return postings


def test_lists_are_the_same_in_whatever_order_blocks_are_fetched() -> None:
    encoded = encode()
    assert len(encoded.blocks) > 5
    blocks = FetchedBlocks(encoded.arrays, "a segment")
    segment, deleted = BlockSegment(blocks), {3, 7, 10}
    with_deletions, expected = BlockSegment(blocks, deleted), expected_postings(set())
    for term in RNG.sample([*TERMS, *LINK, "absent"], len(TERMS) // 2):
        missing = blocks.find_missing(np.array([hash_key(term)]))
        for number in missing:
            blocks.add(number, encoded.blocks[number])
            blocks.add(number, encoded.blocks[number])  # another thread fetched it, too
        assert blocks.find_missing(np.array([hash_key(term)])) == []
        assert set(segment.postings(hash_key(term))) == expected[term], term
        assert segment.count_matches(hash_key(term)) == len({posting.chunk for posting in expected[term]})
        remaining = {posting for posting in expected[term] if posting.chunk // 100 not in deleted}
        assert set(with_deletions.postings(hash_key(term))) == remaining


def test_terms_of_deleted_documents_only_do_not_count() -> None:
    encoded = encode()
    deleted = set(range(0, 60, 2))
    segment = BlockSegment(FetchedBlocks(encoded.arrays, "a segment"), deleted)
    live = {hash_key(term) for term, postings in expected_postings(deleted).items() if postings}
    assert find_live_terms(segment, encoded.blocks) == live
