"""The recipe `auto`: words that follow each other as in the query."""

import pytest
from support.corpus import Page, store_of

from waymeet.formulas.explanation import evaluate
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query, run_stages
from waymeet.search.state import Tools
from waymeet.settings import Auto, Settings
from waymeet.types import Answer, Explanation, Query

PAGES = {
    "message.md": Page(("throw new Error('unable to determine transport target for ' + name)",)),
    "words.md": Page(
        ("The target of a transport: determine it, unable or not. A transport target is for a transport.",)
    ),
    "other.md": Page(("something else",)),
}


def ask(query: str, weight: float = 0.3) -> Answer:
    settings = Settings(auto=Auto(word_run_bonus=weight))
    return answer_query(AUTO, Query(query, explain=True), Tools(store_of(PAGES)), settings)


def test_a_message_is_found_where_it_is_written() -> None:
    query = "unable to determine transport target"
    assert ask(query, 0.0).hits[0].document == "words.md"
    answer = ask(query)
    assert answer.hits[0].document == "message.md"
    explanation = answer.hits[0].explanation
    assert explanation is not None
    assert evaluate(explanation) == pytest.approx(explanation.value)
    assert "5 words follow each other as in the query" in str(explanation)


def test_the_bonus_grows_with_the_run() -> None:
    """Six of eight words: .3·√(3/5)."""
    answer = ask("unable to determine transport target for my logs")
    run = next(part for part in _parts(answer) if part.description.startswith("6 words"))
    assert run.value == pytest.approx(0.3 * (3 / 5) ** 0.5)


def _parts(answer: Answer) -> tuple[Explanation, ...]:
    explanation = next(hit for hit in answer.hits if hit.document == "message.md").explanation
    assert explanation is not None
    return explanation.parts


@pytest.mark.parametrize(
    ("query", "reason"),
    [("determine transport target", "fewer than four words"), ("これ は 三つの 文字を 比べる", "text without spaces")],
)
def test_a_short_query_or_one_without_spaces_is_not_compared(query: str, reason: str) -> None:
    _, steps = run_stages(AUTO, Query(query), Tools(store_of(PAGES)), Settings())
    assert {step.stage: step.skipped for step in steps}["boost_word_runs"] == reason


def test_the_stage_can_be_switched_off() -> None:
    settings = Settings(auto=Auto(word_run_bonus=0.0))
    query = Query("unable to determine transport target")
    _, steps = run_stages(AUTO, query, Tools(store_of(PAGES)), settings)
    assert {step.stage: step.skipped for step in steps}["boost_word_runs"] == "setting auto.word_run_bonus is 0"
