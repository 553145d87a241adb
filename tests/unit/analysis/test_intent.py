"""The intents of queries, by a table of queries as people write them."""

import pytest

from waymeet.analysis.intent import INTENT_WORDS, guess_intent

QUERIES = {
    "fix_bug": (
        "fix login crash after update",
        "fix broken build",
        "debug exception in parser",
        "why does the test fail with an error",
        "error: undefined is not a function, fix",
        "crash on startup after upgrade bug",
        "regression: timeout bug in retries",
        "login fails with exception",
        "memory leak bug in worker",
    ),
    "add_feature": (
        "add dark mode feature",
        "implement export feature",
        "create new endpoint for users",
        "build a feature to import csv",
        "add support for websockets",
        "introduce new option to disable cache",
        "implement pagination support",
    ),
    "refactor": (
        "refactor legacy auth module",
        "simplify and clean up the parser",
        "rename and move modules",
        "extract duplicate code, refactor",
        "restructure the storage layer to reduce coupling",
        "cleanup legacy code",
        "decouple and split the scheduler",
    ),
    "security_audit": (
        "security audit of token handling",
        "sql injection vulnerability",
        "audit password storage security",
        "xss exploit in comments",
        "check csrf token vulnerability",
        "threat model and attack surface security",
    ),
    "find_spec": (
        "spec for the payment contract",
        "requirements specification",
        "acceptance criteria requirements",
        "rfc requirement schema",
        "where is the prd and spec",
    ),
    "find_decision": (
        "why did we decide on sqlite, rationale",
        "adr about the chosen database",
        "decision record for caching",
        "tradeoff decision postgres instead of mysql",
    ),
    "understand": (
        "semantic search",
        "how does indexing work",
        "explain the architecture",
        "rank fusion",
        "what is a tombstone",
        "where are sessions stored",
        "getUserById",
        "error",
        "add",
        "検索の設定",
        "",
        "overview of the system",
        "search quality metrics",
        "user preferences page",
    ),
}


@pytest.mark.parametrize(("intent", "query"), [(each, text) for each, texts in QUERIES.items() for text in texts])
def test_intents(intent: str, query: str) -> None:
    assert guess_intent(query).intent == intent


def test_every_intent_has_examples() -> None:
    assert QUERIES.keys() == INTENT_WORDS.keys()


def test_ex_words_add_up_and_the_runner_up_costs_confidence() -> None:
    """Fix 2 + crash 2 + login 1 = 5; nothing else scores, so the confidence is 5 / (5 + 0 + 1)."""
    found = guess_intent("fix login crash after update")
    assert found.score == pytest.approx(5.0)
    assert found.confidence == pytest.approx(5 / 6)
