"""The encodings of terms, numbers, texts and keys in the tables."""

from __future__ import annotations

import subprocess
import sys
import zlib
from array import array

import pytest
from conformance.make import entry, link
from hypothesis import given
from hypothesis import strategies as st

from waymeet.stores.segments.posting_codec import MAX_FREQUENCY, unpack_terms
from waymeet.stores.sqlite.database import bulk_terms, compression, term_codec, text_blocks
from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.database.rows import chunk_row, split_key
from waymeet.types import Chunk

frequencies = st.integers(1, 300) | st.integers(1, MAX_FREQUENCY)
terms = st.dictionaries(st.integers(1, 2**28), frequencies, max_size=8)
owners = st.lists(st.dictionaries(st.sampled_from(["title", "inbound", "headings", "body"]), terms), max_size=5)


def read_pairs(packed: bytes) -> list[tuple[int, str, int]]:
    return sorted(unpack_terms(packed))


@given(owners)
def test_terms_are_read_as_they_were_written(fields: list[dict[str, dict[int, int]]]) -> None:
    ids = {term: term for own in fields for counts in own.values() for term in counts}
    packed = term_codec.pack_document_terms(fields, ids)
    expected = [
        sorted((term, field, number) for field, counts in own.items() for term, number in counts.items())
        for own in fields
    ]
    assert list(map(read_pairs, term_codec.unpack_document_terms(packed))) == expected


@given(owners)
def test_loops_and_numpy_encode_and_decode_alike(fields: list[dict[str, dict[int, int]]]) -> None:
    ids = {term: term for own in fields for counts in own.values() for term in counts}
    lists = [counts for own in fields for counts in own.values() if counts]
    packed = b"".join(term_codec._pack_lists(lists, ids))
    assert packed == b"".join(bulk_terms.pack_lists(lists, ids))
    numbers = list(range(8, 8 + 3 * len(lists), 3))
    owners = (8 + 3 * len(lists)) // term_codec.FIELD_LISTS + 1
    by_loop = term_codec._unpack_lists(packed, 0, owners, numbers)
    assert by_loop == bulk_terms.unpack_lists(packed, 0, owners, numbers)


def test_a_higher_frequency_than_fits_is_limited() -> None:
    packed = term_codec.pack_document_terms([{"body": {"a": MAX_FREQUENCY + 5}}], {"a": 1})
    assert read_pairs(term_codec.unpack_document_terms(packed)[0]) == [(1, "body", MAX_FREQUENCY)]


@given(terms)
def test_terms_of_links_are_read_as_they_were_written(counts: dict[int, int]) -> None:
    pairs = term_codec.unpack_link_terms(term_codec.pack_link_terms(counts.items()))
    assert read_pairs(pairs) == sorted((term, "inbound", number) for term, number in counts.items())


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_numbers_are_read_as_they_were_written(numbers: list[int]) -> None:
    packed = compression.pack_numbers(numbers)
    assert compression.unpack_numbers(b"xyz" + packed, 3) == (numbers, 3 + len(packed))


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\x00",
        b"no zlib",
        zlib.compress(b""),
        zlib.compress(b"\x01\x00\x00\x00\x09"),
        zlib.compress(b"\x02\x00\x00\x00\x01\x01\x08"),
    ],
)
def test_what_cannot_have_been_written_is_reported(damage: bytes) -> None:
    with pytest.raises(UnreadableError):
        term_codec.unpack_document_terms(damage)


@pytest.mark.parametrize("length", range(60))
def test_truncated_terms_are_reported(length: int) -> None:
    fields = [{"title": {1: 1}}, {"body": {term: term % 7 + 1 for term in range(1, 20)}}]
    data = compression.decompress(term_codec.pack_document_terms(fields, {term: term for term in range(1, 20)}))
    if length < len(data):
        with pytest.raises(UnreadableError):
            term_codec.unpack_document_terms(zlib.compress(data[:length]))


@pytest.mark.parametrize("packed", [b"\x80", b"\x03", b"\x02\x81"])
def test_truncated_terms_of_links_are_reported(packed: bytes) -> None:
    with pytest.raises(UnreadableError):
        term_codec.unpack_link_terms(packed)


def test_long_texts_are_split_into_blocks() -> None:
    chunks = entry("a.md", *("word " * 2000 for _ in range(5))).chunks
    blocks = dict(text_blocks.pack_chunks(chunks))
    assert list(blocks) == [0, 1, 2, 3, 4]
    assert [content.text for data in blocks.values() for content in text_blocks.unpack_chunks(data)] == [
        chunk.text for chunk in chunks
    ]


def test_links_are_split_into_blocks() -> None:
    links = [link(f"key {number}", says=f"text {number}") for number in range(300)]
    blocks = dict(text_blocks.pack_links(links))
    assert list(blocks) == [0, 128, 256]
    details = [detail for data in blocks.values() for detail in text_blocks.unpack_links(data)]
    assert [detail.text for detail in details] == [each.text for each in links]
    keys = [refs for data in blocks.values() for refs in text_blocks.unpack_link_keys(data)]
    assert keys == [each.refs for each in links]


@pytest.mark.parametrize(
    ("key", "suffix", "stored"),
    [
        ("a#L1-L2#L3-L4", "", None),
        ("a#L1-L2#L3-L4~2", "~2", None),
        ("a#L1-L2#L03-L4", "", "a#L1-L2#L03-L4"),
        ("b#L3-L4", "", "b#L3-L4"),
        ("anything", "", "anything"),
    ],
)
def test_only_keys_of_another_form_are_stored(key: str, suffix: str, stored: str | None) -> None:
    *_, row_suffix, row_key, _ = chunk_row(1, 1, Chunk(key, "a#L1-L2", 0, 3, 4, ""))
    assert (row_suffix, row_key) == (suffix, stored)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_key_is_split_into_its_parts(path: str, first: int, last: int) -> None:
    assert split_key(f"{path}#L{first}-L{last}") == (path, first, last, "")


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_names_are_read_as_they_were_written(path: str, names: list[str]) -> None:
    assert text_blocks.unpack_names(path, text_blocks.pack_names(path, names)) == tuple(names)


def test_decoding_terms_does_not_import_numpy() -> None:
    code = """
import sys
from waymeet.stores.sqlite.database.term_codec import pack_document_terms, unpack_document_terms
unpack_document_terms(pack_document_terms([{"body": {"a": 2}}], {"a": 1}))
sys.exit("numpy" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert array("I").itemsize == 4
