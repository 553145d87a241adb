"""The words of a query as evidence: what counts, and how much."""

import pytest

from waymeet.analysis import list_terms
from waymeet.search.shape.word_evidence import WordEvidence, weigh_words
from waymeet.search.state import Search
from waymeet.types import Query, Word

MAX_IDF = 4.0


def weigh(text: str, corrected: str = "", **idf: float) -> WordEvidence:
    """Weigh a query whose words have the given IDF, or 2."""
    words = [Word((term,), 1.0, term) for term in dict.fromkeys(list_terms(corrected or text))]
    search = Search(Query(text), text=corrected or text)
    return weigh_words(search, words, {word.text: idf.get(word.text, 2.0) for word in words}, MAX_IDF)


def test_function_words_and_common_words_count_little() -> None:
    evidence = weigh("when does the system rotate keys")
    # when, does: 0.1 × 2; system: 0.4 × 2; rotate, keys: 2
    assert evidence.find({"when", "doe"}).share == pytest.approx(0.4 / 5.2)
    assert evidence.find({"system"}).share == pytest.approx(0.8 / 5.2)
    content = evidence.find({"rotat", "key"})
    assert content.share == pytest.approx(4.0 / 5.2)
    assert content.number == 2.0
    assert [evidence.find({name}).has_match for name in ("when", "system", "key")] == [False, True, True]


def test_a_query_of_function_words_alone_has_matches() -> None:
    assert weigh("not over").find({"over"}).has_match


def test_a_corrected_word_counts_half() -> None:
    evidence = weigh("kettel tea", corrected="kettle tea")
    assert evidence.find({"kettl"})[:2] == (0.25, 0.5)
    assert evidence.known_share == 0.5


def test_words_that_occur_nowhere_are_unknown() -> None:
    assert weigh("rotate flurb", flurb=MAX_IDF).known_share == pytest.approx(2.0 / 6.0)


def test_numbers_and_single_characters_count_less() -> None:
    evidence = weigh("python 3 x")
    assert evidence.find({"3", "x"}).share == pytest.approx(1.2 / 3.2)


def test_parts_of_a_katakana_word_count_by_their_share() -> None:
    evidence = weigh("システム")
    assert evidence.find({"シス", "ステ", "テム"}).share == 1.0
    assert evidence.find({"テム"}).share == pytest.approx(1.0 / 9.0)


def test_pairs_with_hiragana_count_less() -> None:
    evidence = weigh("検索する")
    # 検索: 2; 索す: 0.25 × 2; する: 0.1 × 2
    assert evidence.find({"検索"}).share == pytest.approx(2.0 / 2.7)


def test_of_a_long_query_a_part_suffices() -> None:
    words = [f"word{letter}" for letter in "abcdefghijklmnop"]
    evidence = weigh(" ".join(words), "", **dict.fromkeys(words, MAX_IDF))
    assert evidence.find(words[:3]).share == 0.5
    assert evidence.find(words).share == 1.0


def test_without_words_nothing_is_found() -> None:
    assert weigh("").find({"a"}) == (0.0, 0, False)
