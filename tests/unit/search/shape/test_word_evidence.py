"""The words of a query as evidence: what counts, and how much."""

import pytest

from waymeet.analysis import list_terms
from waymeet.search.shape.word_evidence import WordEvidence, has_only_unknown_words, weigh_words
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


def test_letters_that_are_no_words_are_unknown_unlike_an_english_question() -> None:
    unknown = weigh("flurb", flurb=MAX_IDF)
    assert has_only_unknown_words("flurb", unknown)
    assert not has_only_unknown_words("what is a flurb?", unknown)
    assert not has_only_unknown_words("rotate flurb", weigh("rotate flurb", flurb=MAX_IDF))


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


def weigh_by_sound(text: str, *sounding: str) -> WordEvidence:
    """Weigh a query for some of whose words the index has words that sound alike, with IDF 2."""
    words = [Word((term,), 1.0, term) for term in dict.fromkeys(list_terms(text))]
    added = [Word((name.rpartition(" ")[2],), 1.0, name) for name in sounding]
    idf = {word.text: 2.0 for word in added} | {word.text: MAX_IDF for word in words}
    search = Search(Query(text), text=text)
    present = [word for word in words if not any(word.text in name.lower() for name in sounding)]
    return weigh_words(search, (*present, *added), idf, MAX_IDF)


def test_a_word_of_the_same_sound_is_evidence() -> None:
    evidence = weigh_by_sound("Норман", "Норман ≈ norman", "Норман ≈ norma")
    assert evidence.find({"Норман ≈ norman"}) == (0.8, 0.8, True)
    assert evidence.known_share == 1.0
    assert evidence.find({"norman"}).has_match is False


def test_a_katakana_word_found_by_its_sound_weighs_as_much_as_its_pairs() -> None:
    evidence = weigh_by_sound("テンプレート ファイル", "テンプレート ≈ template")
    # template: 0.8 × 5 × 2 found; three pairs of the other word, which occur nowhere, have 4 each
    assert evidence.find({"テンプレート ≈ template"}).share == pytest.approx(8.0 / 22.0)


def test_a_name_that_occurs_as_written_and_by_its_sound_counts_once() -> None:
    words = [Word(("norman",), 1.0, "norman"), Word(("норман",), 1.0, "Norman ≈ норман")]
    search = Search(Query("Norman"), text="Norman")
    evidence = weigh_words(search, words, {"norman": 3.0, "Norman ≈ норман": 2.0}, MAX_IDF)
    assert len(evidence.words) == 1
    assert evidence.find({"Norman ≈ норман"}).share == evidence.find({"norman"}).share == 1.0


def test_without_words_nothing_is_found() -> None:
    assert weigh("").find({"a"}) == (0.0, 0, False)
