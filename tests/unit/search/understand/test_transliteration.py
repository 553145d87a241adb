"""Names and loanwords in another script: the words of the index that sound like them are added."""

import pytest
from support.corpus import Page, store_of

from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.search.understand.transliteration import find_matches
from waymeet.settings import Settings, Understand
from waymeet.types import Answer, Query

PAGES = {
    "norman.md": Page(("Norman scored four times for Carolina",)),
    "allen.md": Page(("Jared Allen played for the Panthers",)),
    "template.md": Page(("Every page is rendered from a template",)),
    "request.md": Page(("The request was sent to the database with a password",)),
    "normal.md": Page(("It is normal to be late",)),
    "ru.md": Page(("Протокол заседания подписал Шекспир",)),
}


def ask(query: str, weight: float = 1.0) -> Answer:
    settings = Settings(understand=Understand(transliterated=weight))
    return answer_query(AUTO, Query(query), Tools(store_of(PAGES)), settings)


@pytest.mark.parametrize(
    ("query", "document", "note"),
    [
        ("Сколько очков набрал Норман?", "norman.md", "Норман ≈ norman"),
        ("Где играл Аллена", "allen.md", "Аллена ≈ allen"),
        ("テンプレートの書き方", "template.md", "テンプレート ≈ templat"),
        ("パスワードを変更する", "request.md", "パスワード ≈ password"),
        ("데이터베이스", "request.md", "데이터베이스 ≈ databas"),
    ],
)
def test_a_name_in_another_script_finds_its_page(query: str, document: str, note: str) -> None:
    answer = ask(query)
    assert answer.hits[0].document == document
    assert note in answer.notes
    assert not [hit for hit in ask(query, weight=0.0).hits if hit.document == document]


@pytest.mark.parametrize(
    "query", ["テンプレートの書き方", "パスワードを変更する", "Норман", "데이터베이스", "Аллена и Норман"]
)
def test_a_page_found_by_the_sound_of_a_word_may_be_relevant(query: str) -> None:
    answer = ask(query)
    assert not answer.low_relevance
    assert answer.has_word_match
    assert answer.hits[0].relevance is not None
    assert answer.hits[0].relevance > 0.01


def test_words_of_the_index_are_not_replaced() -> None:
    assert not [note for note in ask("протокол").notes if "≈" in note]
    assert ask("протокол").hits[0].document == "ru.md"


@pytest.mark.parametrize("word", ["Нора", "да", "ファイル", "хорошо"])
def test_short_words_and_words_of_another_sound_match_nothing(word: str) -> None:
    assert find_matches(word, store_of(PAGES)) == {}


def test_names_in_latin_letters_are_found_in_other_scripts() -> None:
    store = store_of({"ru.md": Page(("Нормана и Шекспира",)), "el.md": Page(("Ο Σωκράτης",))})
    assert list(find_matches("Shakespeare", store, "CYRILLIC")) == ["шекспира"]
    assert list(find_matches("Norman", store, "CYRILLIC")) == ["нормана"]
    assert list(find_matches("Socrates", store, "GREEK")) == ["σωκράτης"]
    assert find_matches("Plato", store, "GREEK") == {}


def test_queries_in_the_language_of_the_index_are_unchanged() -> None:
    answer = ask("normal request")
    assert not [note for note in answer.notes if "≈" in note]
