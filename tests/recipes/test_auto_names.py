"""The recipe `auto`: names in the query, names that documents share, symbols."""

from math import log

import pytest
from support.corpus import Page, store_of

from waymeet.analysis.keys import file_name_key, path_key, short_title_key, title_key
from waymeet.formulas.explanation import evaluate, value
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.search.rank.graph_boost import boost_linked, boost_shared_names
from waymeet.search.state import Search, Stage, Tools
from waymeet.settings import Auto, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Candidate, Query


def ask(store: MemoryStore, query: str) -> Answer:
    return answer_query(AUTO, Query(query, explain=True), Tools(store), Settings())


def test_documents_that_name_the_same_rare_thing_are_kindred() -> None:
    """a.md names Ada Lovelace, as b.md does, which has not one word of the question; half, for texts are remarks."""
    pages = {
        "a.md": Page(("the engine notes",), names=("e:ada lovelace",)),
        "b.md": Page(("born in london",), names=("e:ada lovelace",)),
        "c.md": Page(("something else",), names=("e:charles babbage",)),
    }
    found = ask(store_of(pages), "engine notes").hits
    assert [(hit.document, round(hit.score, 5)) for hit in found] == [("a.md", 1.0), ("b.md", 0.25)]
    assert found[1].explanation is not None
    assert "shares the name “ada lovelace” with a.md" in str(found[1].explanation)
    assert (
        answer_query(AUTO, Query("engine notes", depth=0), Tools(store_of(pages)), Settings()).hits[-1].document
        == "a.md"
    )


def test_what_is_kindred_comes_behind_the_one_it_is_kindred_with() -> None:
    """b.md has one of the two words and would be lifted past 0.8 of what a.md has."""
    pages = {
        "a.md": Page(("engine notes",), names=("e:ada lovelace",)),
        "b.md": Page(("engine letters",), names=("e:ada lovelace",)),
        "c.md": Page(("notes and letters",)),
    }
    settings = Settings(auto=Auto(shared_name_weight=10.0))
    found = answer_query(AUTO, Query("engine notes", explain=True), Tools(store_of(pages)), settings).hits
    assert [(hit.document, round(hit.score, 5)) for hit in found][:2] == [("a.md", 1.0), ("b.md", 0.8)]
    assert found[1].explanation is not None
    assert evaluate(found[1].explanation) == found[1].score
    assert "shares the name “ada lovelace” with a.md, up to the cap" in str(found[1].explanation)


def test_what_the_question_names_itself_makes_nobody_kindred() -> None:
    named = ("e:ada lovelace",)
    pages = {"a.md": Page(("ada lovelace and the engine",), names=named), "b.md": Page(("born",), names=named)}
    assert [hit.document for hit in ask(store_of(pages), "engine of Ada Lovelace").hits] == ["a.md"]


def test_a_title_is_known_without_what_stands_in_parentheses() -> None:
    pages = {
        "a.md": Page(("a planet near the sun",), names=(short_title_key("Mercury (planet)"),)),
        "b.md": Page(("mercury, mercury and mercury",)),
    }
    found = ask(store_of(pages), "mercury").hits
    assert [hit.document for hit in found] == ["b.md", "a.md"]
    assert round(found[1].score, 5) == 0.6


def test_the_sections_of_a_document_share_the_bonus_for_its_title() -> None:
    """One word of two is the title: .6·√.5. The document has seven sections, so each gets (1/(1 + ln 7))^.5 of it."""
    sections = ("the lamp is on", *(f"part {number}" for number in range(6)))
    store = store_of({"lamp.md": Page(sections, names=(title_key("server"),)), "other.md": Page(("the lamp is off",))})
    explanation = next(hit for hit in ask(store, "server lamp").hits if hit.id == "lamp.md#L1-L1").explanation
    assert explanation is not None
    assert evaluate(explanation) == pytest.approx(explanation.value)
    bonus = next(part for part in explanation.parts if part.description.startswith("title or file name"))
    assert bonus.value == pytest.approx(0.6 * 0.5**0.5 / (1 + log(7)) ** 0.5)
    assert "1 / (1 + ln(sections)) to the power of 1 − share, share = 0.5, sections = 7" in str(bonus)


def test_a_query_that_is_the_title_of_a_long_document_means_that_document() -> None:
    sections = ("how a shell completes words", *(f"part {number}" for number in range(80)))
    pages = {f"{number}.md": Page((f"shell completion and completion of a shell {number}",)) for number in range(3)}
    store = store_of({"guide.md": Page(sections, names=(title_key("Shell Completion"),)), **pages})
    assert ask(store, "shell completion").hits[0].document == "guide.md"


def test_a_long_file_named_by_its_path_keeps_its_bonus() -> None:
    keys = (file_name_key("server.py"), path_key("src/server.py"))
    sections = ("the timeout of the server", *(f"part {number}" for number in range(80)))
    pages = {f"{number}.md": Page((f"a timeout, the timeout in server code {number}",)) for number in range(5)}
    store = store_of({"src/server.py": Page(sections, names=keys), **pages})
    for query in ("timeout in src/server.py", "timeout in server.py"):
        assert ask(store, query).hits[0].document == "src/server.py"


def test_what_a_series_of_pages_is_called_lifts_none_of_them() -> None:
    pages = {f"{n}.md": Page(("hay",), names=(short_title_key(f"Meeting ({n})"),)) for n in range(6)}
    pages["cost.md"] = Page(("the cost of hardware",))
    assert [hit.document for hit in ask(store_of(pages), "meeting about the cost of hardware").hits] == ["cost.md"]


def test_who_says_the_whole_title_means_no_other() -> None:
    titles = {"linux.md": "Setup (Linux)", "windows.md": "Setup (Windows)"}
    pages = {path: Page(("hay",), names=(title_key(title), short_title_key(title))) for path, title in titles.items()}
    assert [hit.document for hit in ask(store_of(pages), "setup linux").hits] == ["linux.md"]
    assert {hit.document for hit in ask(store_of(pages), "setup").hits} == set(pages)


def test_a_name_that_many_carry_makes_nobody_kindred() -> None:
    pages = {f"{n}.md": Page(("born in london",), names=("e:ada lovelace",)) for n in range(5)}
    pages["a.md"] = Page(("engine notes",), names=("e:ada lovelace",))
    assert [hit.document for hit in ask(store_of(pages), "engine notes").hits] == ["a.md"]


@pytest.mark.parametrize("stage", [boost_shared_names, boost_linked])
def test_what_is_worse_than_nothing_hands_nothing_on(stage: Stage) -> None:
    named = ("e:ada lovelace",)
    store = store_of({"a.md": Page(("one",), links=("b.md",), names=named), "b.md": Page(("two",), names=named)})
    for score, number in ((-2.0, 1), (2.0, 2)):
        found = Search(Query("one"), candidates=(Candidate("a.md", (), value(score, "judged")),))
        assert len(stage(found, Tools(store), Settings()).candidates) == number
