"""Acronyms: pairs that a text explains, and the expansion of queries by them."""

import pytest
from support.projects import indexed

from waymeet.analysis.acronyms import find_acronyms
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import run_stages
from waymeet.search.state import Search, Tools
from waymeet.settings import make_layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Query

PAGES = {
    "a.md": "# Lists\n\nWe join lists by Reciprocal Rank Fusion (RRF).\n",
    "b.md": "# Notes\n\nRRF is used for both lists.\n",
    "c.md": "# Odds\n\nThe Odds Ratio (OR) and the Relative Expression Software Tool (REST).\n",
    "d.md": "# Fusion\n\nThe reciprocal of a rank.\n",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cross-Site Request Forgery (CSRF)", {"csrf": "cross site request forgery"}),
        ("the LRU (least recently used) entry", {"lru": "least recently used"}),
        (
            "National Institute of Standards and Technology (NIST)",
            {"nist": "national institute of standards and technology"},
        ),
        ("Create, Read, Update, Delete (CRUD)", {"crud": "create read update delete"}),
        ("We met. Red Rovers Fly (RRF)", {"rrf": "red rovers fly"}),
        ("one two three (ABC)", {}),
        ("call open(URL) or f (X)", {}),
        ("a word (Word)", {}),
        ("RRF (RRF)", {}),
        ("(RRF)", {}),
        ("", {}),
    ],
)
def test_pairs_that_a_text_explains(text: str, found: dict[str, str]) -> None:
    assert find_acronyms(text) == found


def asked(query: str, store: MemoryStore | None = None, **understand: object) -> Search:
    settings = resolve((make_layer("test", {"understand": understand}),))
    return run_stages(AUTO, Query(query), Tools(indexed(PAGES) if store is None else store), settings)[0]


def found(search: Search) -> list[str]:
    return [each.document for each in search.candidates]


def test_a_short_name_finds_the_long_one() -> None:
    search = asked("RRF")
    assert "RRF → reciprocal rank fusion" in search.notes
    assert found(search) == ["a.md", "b.md", "d.md"]
    assert [word.weight for word in search.words if word.text == "reciprocal rank fusion"] == [0.5 / 3] * 3


def test_a_model_of_meaning_is_told_what_acronyms_stand_for() -> None:
    assert asked("how does RRF work").vector_text == "how does RRF work reciprocal rank fusion"
    assert asked("reciprocal rank fusion").vector_text == "reciprocal rank fusion rrf"
    assert not asked("lists").vector_text


def test_a_question_is_asked_in_its_own_language_still() -> None:
    """English words behind a short Chinese question would have it asked of the model for English."""
    search = asked("RRF 是什么")
    assert "RRF → reciprocal rank fusion" in search.notes
    assert not search.vector_text


def test_a_long_name_finds_the_short_one() -> None:
    search = asked("what is reciprocal rank fusion")
    assert "reciprocal rank fusion → rrf" in search.notes
    assert "b.md" in found(search)


@pytest.mark.parametrize("query", ["rest of the day", "this or that"])
def test_words_that_are_also_acronyms_stay_words(query: str) -> None:
    assert not [note for note in asked(query).notes if "→" in note]


def test_written_in_capitals_they_are_meant() -> None:
    assert "REST → relative expression software tool" in asked("REST").notes


def test_a_table_of_ones_own_goes_first_and_both_ways() -> None:
    mine = {"rrf": "red rovers fly", "K8s": "Kubernetes cluster"}
    assert "RRF → red rovers fly" in asked("RRF", acronyms=mine).notes
    assert "k8s → Kubernetes cluster" in asked("k8s", acronyms=mine).notes
    assert "kubernetes cluster → K8s" in asked("the kubernetes cluster", acronyms=mine).notes


def test_what_is_known_goes_with_the_document_that_said_it() -> None:
    store = indexed(PAGES)
    store.drop(["a.md"])
    assert "RRF → reciprocal rank fusion" not in asked("RRF", store).notes


def test_it_can_be_switched_off() -> None:
    assert found(asked("RRF", expand_acronyms=False)) == found(asked("rrf", expand_acronyms=False))
    assert "d.md" not in found(asked("RRF", expand_acronyms=False))
