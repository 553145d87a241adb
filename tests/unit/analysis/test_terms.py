"""Text to terms: the worked examples of the specification and the borders between scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.analysis import contains_phrase, count_terms, list_terms, normalise_text, query_words, token_spans
from waymeet.analysis.identifiers import split_identifier


def test_ex_identifiers_are_split_at_case_changes() -> None:
    assert [piece.lower() for piece in split_identifier("getUserById")] == ["get", "user", "by", "id"]


def test_ex_the_parts_are_stemmed() -> None:
    assert list_terms("user_authentication_flow")[:3] == ["user", "authent", "flow"]


def test_the_whole_identifier_is_kept_unstemmed() -> None:
    assert "user_authentication_flow" in list_terms("user_authentication_flow")
    assert "getuserbyid" in list_terms("getUserById")


def test_splitting_and_stopping_are_separate_steps() -> None:
    assert list_terms("getUserById") == ["get", "user", "id", "getuserbyid"]


@pytest.mark.parametrize("word", ["for", "do", "if", "not", "is", "has", "can"])
def test_words_with_a_use_in_code_are_kept(word: str) -> None:
    assert list_terms(word)


@pytest.mark.parametrize("word", ["the", "and", "of", "she", "would"])
def test_stop_words_are_dropped(word: str) -> None:
    assert list_terms(word) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("XMLHttpRequest", ["xml", "http", "request", "xmlhttprequest"]),
        ("kebab-case-name", ["kebab", "case", "name", "kebab-case-name"]),
        ("utf8", ["utf", "8", "utf8"]),
        ("__init__", ["init", "__init__"]),
        ("user's don't", ["user", "don"]),
        ("ＡＢＣ　ﾃｽﾄ", ["abc", "テ", "ス", "ト", "テス", "スト"]),
        ("Ünïcode ΑΘΗΝΑ", ["ünïcode", "αθηνα"]),
        ("한국어", ["한", "국", "어", "한국", "국어"]),
        ("Python入門", ["入", "門", "入門", "python"]),
        ("2024-01-15-rotate-keys", ["2024", "01", "15", "rotat", "key", "2024-01-15-rotate-keys"]),
        ("migrate_v1_to_v2", ["migrat", "v", "1", "v", "2", "migrate_v1_to_v2"]),
        ("6a1cc24734a57e4524", ["6a1cc24734a57e4524"]),
        ("हिन्दी", ["हिन्दी"]),
        ("cafe\u0301", ["café"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert list_terms(text) == expected


def test_any_cjk_substring_shares_its_terms_with_the_text() -> None:
    text = "ベクトル類似度とグラフ近接度"
    known = set(list_terms(text))
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert {term for _, terms in query_words(text[start:end]) for term in terms} <= known


@given(st.text())
def test_counting_agrees_with_listing(text: str) -> None:
    counted = count_terms(text)
    listed = list_terms(text)
    assert counted == {term: listed.count(term) for term in listed}


@given(st.text(), st.text())
def test_any_text_can_be_queried_and_compared(text: str, phrase: str) -> None:
    assert all(any(term in count_terms(text) for term in terms) for _, terms in query_words(text) if terms)
    contains_phrase(normalise_text(text), normalise_text(phrase))
    assert all(0 <= start < end <= len(text) for start, end, _ in token_spans(text))


def test_matches_in_mixed_scripts_are_given_in_order() -> None:
    text = "Python入門とPython設定"
    found = [text[start:end] for start, end, terms_ in token_spans(text) if {"python", "入門"} & set(terms_)]
    assert found == ["Python", "入門", "Python"]


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_text_is_normalised_like_any_other(text: str) -> None:
    assert f"{normalise_text(text)} é".strip() == normalise_text(f"{text} é")
