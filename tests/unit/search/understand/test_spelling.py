"""Spelling correction: edit distances, and corrections of unknown words only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import FixedEmbedder, Page, store_of
from support.projects import indexed

from waymeet.analysis.edit_distance import edit_distance, words_one_edit_away
from waymeet.errors import EmbeddingError
from waymeet.ports import Vocabulary
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import run_stages
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings, make_layer, resolve
from waymeet.types import Query

TEXT = (
    "Authentication of users. The configuration lists every database connection of the environment. "
    "A query receives rows; retrieval is parallel. Separate sessions occurred during management of repositories."
)
STORE = store_of({"a.md": TEXT, "b.md": Page(("Nothing of it, but vote and site.",), title="Other")})


def textbook(one: str, other: str) -> int:
    """Give the optimal string alignment distance by its definition, without any shortcut."""
    table = {(row, 0): row for row in range(len(one) + 1)} | {(0, column): column for column in range(len(other) + 1)}
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            same = one[row - 1] == other[column - 1]
            costs = [
                table[row - 1, column] + 1,
                table[row, column - 1] + 1,
                table[row - 1, column - 1] + (not same),
            ]
            swapped = one[max(row - 2, 0) : row] == other[max(column - 2, 0) : column][::-1]
            if row > 1 and column > 1 and swapped:
                costs.append(table[row - 2, column - 2] + 1)
            table[row, column] = min(costs)
    return table[len(one), len(other)]


words = st.text("abcd", max_size=8)


@given(words, words, st.integers(0, 4))
def test_distances_are_those_of_the_textbook_up_to_a_bound(one: str, other: str, most: int) -> None:
    assert edit_distance(one, other, most) == min(textbook(one, other), most + 1)


@given(st.text("abc", min_size=1, max_size=5))
def test_what_is_one_edit_away_is_exactly_that(word: str) -> None:
    found = list(words_one_edit_away(word))
    assert len(found) == len(set(found))
    assert all(edit_distance(word, each, 1) == 1 for each in found)
    assert word + "a" in found


def asked(query: str, **understand: object) -> Search:
    settings = resolve((make_layer("test", {"understand": understand}),))
    return run_stages(AUTO, Query(query), Tools(STORE), settings)[0]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("authentcation", "authentication"),
        ("authenticaton", "authentication"),
        ("authentciaton", "authentication"),
        ("atuhentication", "authentication"),
        ("uthentication", "authentication"),
        ("configuartion", "configuration"),
        ("databse", "database"),
        ("conection", "connection"),
        ("enviroment", "environment"),
        ("qeury", "query"),
        ("recieves", "receives"),
        ("retreival", "retrieval"),
        ("paralel", "parallel"),
        ("Seperate", "separate"),
        ("sesions", "sessions"),
    ],
)
def test_a_misspelt_word_is_repaired_and_said_so(wrong: str, right: str) -> None:
    found = asked(f"the {wrong}?")
    assert f"{wrong.lower()} → {right}" in found.notes
    assert [each.document for each in found.candidates] == ["a.md"]
    assert right in found.text


@pytest.mark.parametrize(
    "query",
    [
        "authentication",
        "authenticate",  # another form of a word that is there
        "occured",  # misspelt, but of the same stem as the right word
        "databseName",
        "databse_name",
        "databse2",
        "databse.py",
        "src/databse",
        "DATABSE",
        '"databse"',
        "databse*",
        "-databse connection",
        "dat",
        "sie",  # too short
        "whihc",  # a typo of a stop word
        "kubernetes",
        "検索語",
        "http://databse.example",
    ],
)
def test_what_is_no_slip_is_left_alone(query: str) -> None:
    assert not [note for note in asked(query).notes if "→" in note]


def test_repair_can_be_switched_off() -> None:
    assert not asked("databse", fuzzy=False).candidates


def test_of_two_words_that_are_as_like_the_commoner_one_is_meant() -> None:
    store = store_of({"a.md": "trail", "b.md": "train", "c.md": "train"})
    search, _ = run_stages(AUTO, Query("traix"), Tools(store), Settings())
    assert "traix → train" in search.notes


def test_in_short_words_only_swapped_letters_are_slips() -> None:
    store = store_of({"a.md": "crash file"})
    assert "fiel → file" in run_stages(AUTO, Query("fiel"), Tools(store), Settings())[0].notes
    assert not run_stages(AUTO, Query("cash"), Tools(store), Settings())[0].candidates


@given(st.text(max_size=40))
def test_any_string_can_be_repaired(query: str) -> None:
    run_stages(AUTO, Query(query), Tools(STORE), Settings())


def test_a_word_with_another_first_letter_is_another_word() -> None:
    store = store_of({"kettle.md": "The kettle boils.", "bills.md": "How suppliers are paid."})
    search, _ = run_stages(AUTO, Query("when do we settle"), Tools(store), Settings())
    assert not search.notes
    assert not search.vector_text


def test_a_model_whose_words_are_not_listed_gets_the_query_as_written() -> None:
    assert (asked("the authenticaton").text, asked("the authenticaton").vector_text) == (
        "the authentication",
        "the authenticaton",
    )


class Words:
    """A list of words that counts how often it is used."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked = 0

    def is_word(self, word: str) -> bool:
        self.asked += 1
        return word in self.words


class UnreadableWords:
    def is_word(self, word: str) -> bool:
        raise EmbeddingError(f"No words, not even {word}.")


class EnglishEmbedder(FixedEmbedder):
    def supports_language(self, language: str) -> bool:
        return not language


def asked_with(vocabulary: Vocabulary, query: str) -> Search:
    store = store_of({"a.md": TEXT, "b.md": "A line that is marked."})
    tools = Tools(store, (EnglishEmbedder((1.0, 0.0)),), vocabulary=vocabulary)
    return run_stages(AUTO, Query(query), tools, Settings())[0]


def test_a_model_gets_the_corrected_query_if_it_does_not_know_the_word() -> None:
    found = asked_with(Words("connection"), "the authenticaton")
    assert (found.text, found.vector_text) == ("the authentication", "the authentication")


def test_words_that_the_model_knows_are_not_corrected() -> None:
    assert "market → marked" in asked_with(Words(), "market").notes
    found = asked_with(Words("market"), "market of the databse")
    assert [note for note in found.notes if "→" in note] == ["databse → database"]
    assert found.vector_text == "market of the database"


def test_the_words_of_the_model_are_not_read_for_words_of_the_index() -> None:
    words = Words()
    asked_with(words, "authentication of users")
    assert words.asked == 0


def test_the_words_of_a_model_for_another_language_do_not_count() -> None:
    query = "le market de la base de données pour les utilisateurs"
    found = asked_with(Words("market"), query)
    assert "market → marked" in found.notes
    assert found.vector_text == query


def test_a_list_of_words_that_cannot_be_read_counts_as_empty() -> None:
    assert asked_with(UnreadableWords(), "the authenticaton").vector_text == "the authentication"


PROJECT = {
    "docs/db.md": "# Database\n\nEvery session opens a connection. Authentication comes first.\n",
    "locale/es/LC_MESSAGES/shop.po": 'msgid "Session"\nmsgstr "sesion"\n',
    "locale/fr/LC_MESSAGES/shop.po": 'msgid "Login"\nmsgstr "authentification par formulaire"\n',
    "data/people.csv": "name\nsesson\n",
    **{f"src/module{i}.py": f"def value{i}():\n    return {i}\n" for i in range(9)},
}


def noted(pages: dict[str, str], query: str) -> tuple[str, ...]:
    return run_stages(AUTO, Query(query), Tools(indexed(pages)), Settings())[0].notes


def test_words_that_occur_only_in_catalogues_are_corrected() -> None:
    assert noted(PROJECT, "sesion") == ("sesion → session",)
    assert noted(PROJECT, "authentification") == ("authentification → authentication",)


def test_words_of_catalogues_are_no_corrections() -> None:
    assert noted(PROJECT, "formulair") == ()


def test_words_of_data_and_of_other_languages_are_known() -> None:
    assert noted(PROJECT, "sesson") == ()
    assert noted(PROJECT, "la sesion de los usuarios ha terminado") == ()


def test_words_of_an_index_of_catalogues_are_known() -> None:
    catalogues = {f"po/{name}.po": 'msgid "Session"\nmsgstr "sesion"\n' for name in ("de", "es", "fr")}
    assert noted(catalogues, "sesion") == ()
