"""Context for a task: no text twice, in reading order, within the budget, and citable."""

from pathlib import Path

import pytest
from support.projects import indexed

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.recipes import RECIPES
from waymeet.search.context import Context, build_context, summarise_page
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Query

LONG = " ".join(f"Drawer number {number} holds the spare keys of door {number}." for number in range(60))
FILES = {
    "keys.md": f"# Keys\n\nKeys are rotated once a month, see [policy](policy.md).\n\n## Spare keys\n\n{LONG}\n",
    "copy.md": "# Keys\n\nKeys are rotated once a month, see [policy](policy.md).\n",
    "doors.md": "# Doors\n\nEvery door has keys, see [the keys](keys.md) and [policy](policy.md).\n",
    "policy.md": "# Policy\n\nWho may enter is decided by the council. It meets on Mondays.\n\nMore of that.\n",
    "far.md": "# Far away\n\nNothing to see.\n",
}


@pytest.fixture
def store() -> MemoryStore:
    return indexed(FILES)


def _answer(store: MemoryStore, text: str) -> Answer:
    return answer_query(RECIPES["auto"], Query(text, limit=20), Tools(store), Settings())


def _context(store: MemoryStore, text: str, budget: int) -> Context:
    return build_context(_answer(store, text), store, budget, Settings())


def test_whole_sections_and_what_is_linked_with_them(store: MemoryStore) -> None:
    context = _context(store, "rotated keys", 3000)
    assert context.tokens <= context.budget
    assert {each.document for each in context.pieces} >= {"keys.md", "doors.md"}
    assert all(each.text == store.chunks([each.id])[each.id].text for each in context.pieces if each.whole)
    assert not context.cut
    assert "far.md" not in {each.id for each in context.linked}


def test_linked_pages_are_summed_up_with_how_they_are_linked(store: MemoryStore) -> None:
    context = _context(store, "what a drawer holds", 3000)
    linked = {each.id: each for each in context.linked}
    assert not linked.keys() & {each.document for each in context.pieces}
    assert linked["policy.md"].summary == "Who may enter is decided by the council. It meets on Mondays."
    assert "linked from keys.md" in linked["policy.md"].reasons


def test_the_same_text_is_given_once(store: MemoryStore) -> None:
    context = _context(store, "rotated month", 3000)
    texts = [each.text for each in context.pieces]
    assert len(texts) == len(set(texts))


def test_pieces_of_a_document_stand_in_its_order(store: MemoryStore) -> None:
    context = _context(store, "spare keys rotated month", 5000)
    order = [(each.rank, each.start) for each in context.pieces]
    assert order == sorted(order)
    assert len([each for each in context.pieces if each.document == "keys.md"]) > 1


@pytest.mark.parametrize("budget", [1, 40, 100, 200, 400, 800, 1600])
def test_a_budget_is_kept_and_what_is_left_out_is_named(store: MemoryStore, budget: int) -> None:
    context = _context(store, "spare keys of a drawer", budget)
    assert context.tokens <= budget
    assert (
        sum(estimate_tokens(each.text) for each in context.pieces)
        + sum(estimate_tokens(each.summary) for each in context.linked)
        <= budget
    )
    if len(context.pieces) < len(_context(store, "spare keys of a drawer", 100_000).pieces):
        assert "more matching sections" in context.cut[0]
    if not all(each.whole for each in context.pieces):
        assert "shortened to their best part" in context.cut[-1]


def test_no_results_make_an_empty_context(store: MemoryStore) -> None:
    context = _context(store, "zebra", 1000)
    assert (context.pieces, context.linked, context.tokens, context.cut) == ((), (), 0, ())


def test_the_summary_of_code_is_its_first_comment() -> None:
    text = (Path(__file__).parents[3] / "src" / "waymeet" / "search" / "context.py").read_text("utf-8")
    code = indexed({"context.py": text})
    text = summarise_page(code.chunks_of(["context.py"])["context.py"], 240)
    assert text.startswith("Collect what to read for a task")
    assert summarise_page((), 240) == ""
