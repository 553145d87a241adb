"""Conversations: a question about a person prefers that person's messages."""

from support.corpus import Page, store_of

from waymeet.formulas.explanation import evaluate
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Auto, Settings
from waymeet.types import Answer, Query

MESSAGES = {
    "1.md": Page(("Ada: I painted a sunrise last week",)),
    "2.md": Page(("Grace: Ada, what a sunrise, Ada, who painted the sunrise",)),
    "3.md": Page(("**Grace**: I run a race on Sunday",)),
    "4.md": Page(("Ada Lovelace: I run, too",)),
}


def ask(query: str, pages: dict[str, Page] = MESSAGES, factor: float = 1.5) -> Answer:
    settings = Settings(auto=Auto(speaker_factor=factor))
    return answer_query(AUTO, Query(query, explain=True), Tools(store_of(pages)), settings)


def step(answer: Answer) -> str | None:
    return next(each.skipped for each in answer.steps if each.stage == "boost_speakers")


def test_messages_of_a_person_come_before_messages_about_the_person() -> None:
    assert ask("what did Ada paint, a sunrise?", factor=1.0).hits[0].document == "2.md"
    answer = ask("what did Ada paint, a sunrise?")
    assert answer.hits[0].document == "1.md"
    explanation = answer.hits[0].explanation
    assert explanation is not None
    assert "message of ada, whom the query names" in str(explanation)
    assert abs(evaluate(explanation) - explanation.value) < 1e-9


def test_names_of_two_words_and_marked_names_are_speakers() -> None:
    assert ask("does Grace run").hits[0].document == "3.md"
    assert ask("does Ada run").hits[0].document == "4.md"


def test_questions_without_a_name_are_unchanged() -> None:
    assert step(ask("who painted a sunrise")) == "no name in the query"
    assert step(ask("what did Alan paint, a sunrise?")) == "no message of a person in the query"


def test_labels_in_other_texts_are_no_speakers() -> None:
    pages = {
        "a.md": Page(("Note: backups run daily",)),
        "b.md": Page(("backups run daily",)),
        "c.md": Page(("backups run at night",)),
    }
    assert step(ask("Note on backups", pages)) == "no message of a person in the query"
    longer = {path: Page((f"{page.sections[0]} " * 30,)) for path, page in MESSAGES.items()}
    assert step(ask("what did Ada paint, a sunrise?", longer)) == "no conversations"
