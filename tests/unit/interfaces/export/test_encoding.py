"""The encodings of an exported index can be decoded, and are as small as they can be."""

from collections.abc import Iterator
from importlib.resources import files

from hypothesis import given
from hypothesis import strategies as st

from waymeet.analysis.terms import stem_words
from waymeet.interfaces.export.encoding import (
    Posting,
    WordEntry,
    hash_term,
    order_utf16,
    pack_number,
    pack_numbers,
    pack_postings,
    pack_shards,
    pack_words,
)
from waymeet.interfaces.export.search_files import VERSION
from waymeet.interfaces.export.word_forms import ENDINGS, add_ending, build_words, group_forms

_WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


class _Reader:
    """Decodes what the browser decodes."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    @property
    def is_done(self) -> bool:
        return self._at >= len(self._data)

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def raw(self) -> bytes:
        length = self.number()
        self._at += length
        return self._data[self._at - length : self._at]

    def text(self) -> str:
        return self.raw().decode()

    def after(self, previous: str) -> str:
        return previous[: self.number()] + self.text()

    def postings(self, fields: int) -> Iterator[Posting]:
        owner = 0
        for _ in range(self.number()):
            code = self.number()
            owner += code >> (fields + 1)
            is_single = code >> fields & 1
            yield Posting(
                owner,
                tuple((1 if is_single else self.number()) if code >> field & 1 else 0 for field in range(fields)),
            )


@given(st.lists(st.integers(0, 2**50)))
def test_numbers_are_decoded(numbers: list[int]) -> None:
    reader = _Reader(pack_numbers(numbers))
    assert [reader.number() for _ in numbers] == numbers
    assert reader.is_done
    assert len(pack_number(127)) == 1


@given(st.dictionaries(st.integers(0, 10**6), st.tuples(*[st.integers(0, 300)] * 3).filter(any)))
def test_postings_are_decoded(by_owner: dict[int, tuple[int, ...]]) -> None:
    postings = [Posting(owner, by_owner[owner]) for owner in sorted(by_owner)]
    assert list(_Reader(pack_postings(postings, 3)).postings(3)) == postings


def test_a_usual_posting_has_one_byte() -> None:
    assert len(pack_postings([Posting(number, (0, 1)) for number in range(0, 100, 5)], 2)) == 21


@given(st.dictionaries(_WORDS, st.binary(max_size=20)))
def test_each_record_is_in_the_shard_of_its_hash(records: dict[str, bytes]) -> None:
    shards = pack_shards(records, 40)
    found = {}
    for number, shard in enumerate(shards):
        reader, term = _Reader(shard), ""
        while not reader.is_done:
            term = reader.after(term)
            found[term] = reader.raw()
            assert hash_term(term) % len(shards) == number
    assert found == records


@given(st.dictionaries(_WORDS, st.tuples(st.none() | _WORDS, st.integers(0, 500), st.integers(0, 2**30 - 1))))
def test_words_are_decoded_in_the_order_of_javascript(words: dict[str, tuple[str | None, int, int]]) -> None:
    entries = {word: WordEntry(*entry) for word, entry in words.items()}
    firsts, blocks = pack_words(entries, 30)
    found: dict[str, WordEntry] = {}
    for first, block in zip(firsts, blocks, strict=True):
        reader, word = _Reader(block), ""
        while not reader.is_done:
            word = reader.after(word)
            drop = reader.number()
            stem = (None, word)[drop] if drop < 2 else word[: len(word) - (drop - 2)] + reader.text()
            found[word] = WordEntry(stem, reader.number(), reader.number())
        assert first in found
    assert found == entries
    assert list(found) == sorted(found, key=order_utf16)


def test_the_table_has_forms_that_no_text_has() -> None:
    words = build_words({"renew", "keys", "running", "happily", "été"}, {"renew": 3, "key": 2, "run": 1, "happili": 1})
    assert words["keys"].stem == "key"
    assert words["running"].stem == "run"
    assert words["key"].chunks == 2
    assert words["été"].stem == "été"
    made = {add_ending("renew", ending) for bit, ending in enumerate(ENDINGS) if words["renew"].endings >> bit & 1}
    assert {"renewing", "renewed", "renews"} <= made
    assert set(stem_words(sorted(made))) == {"renew"}
    assert "renew" not in made


def test_the_forms_of_a_stem_are_listed_for_highlights() -> None:
    assert group_forms({"keys", "key", "tea"}) == {"key": ["key", "keys"], "tea": ["tea"]}


def test_the_scripts_have_the_version_of_the_encoding() -> None:
    script = files("waymeet.interfaces.export").joinpath("static", "index_files.js").read_text(encoding="utf-8")
    assert f"const VERSION = {VERSION};" in script
