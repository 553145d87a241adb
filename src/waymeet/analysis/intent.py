"""What somebody who asks is up to, judged by the words they use."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from waymeet.analysis.terms import list_terms

UNDERSTAND = "understand"


class Clues(NamedTuple):
    """Words that speak for an intent, as stems: some strongly, some a little."""

    primary: frozenset[str]
    secondary: frozenset[str]


class Guess(NamedTuple):
    """An intent and how sure it is."""

    intent: str
    confidence: float
    score: float


def _clues(primary: str, secondary: str) -> Clues:
    return Clues(frozenset(list_terms(primary)), frozenset(list_terms(secondary)))


INTENT_WORDS: Mapping[str, Clues] = {
    "add_feature": _clues(
        "add implement create build feature introduce support extend",
        "new want enable mode option integrate develop functionality endpoint button page example pattern",
    ),
    "fix_bug": _clues(
        "fix bug crash error broken fail failure exception debug regression",
        "issue wrong problem login slow hang leak timeout stacktrace traceback patch cause undefined null nan",
    ),
    "refactor": _clues(
        "refactor restructure cleanup simplify rename extract decouple deduplicate",
        "clean move split merge improve reorganize duplicate legacy dependency coupling modular design",
    ),
    "security_audit": _clues(
        "security vulnerability audit exploit injection xss csrf threat",
        "auth permission token secret encrypt password sanitize attack leak privilege owasp cve credential",
    ),
    "find_spec": _clues(
        "spec specification requirement requirements prd rfc",
        "acceptance criteria contract schema definition must shall scope",
    ),
    "find_decision": _clues(
        "decision decide adr rationale tradeoff",
        "choose chose chosen alternative reason approve agreed instead record",
    ),
    UNDERSTAND: _clues(
        "understand explain overview architecture",
        "work meaning learn describe purpose flow concept",
    ),
}


def guess_intent(query: str, clues: Mapping[str, Clues] = INTENT_WORDS, least: float = 3.0) -> Guess:
    """Guess an intent: a primary word counts 2, a secondary one 1; below the least nobody can tell.

    >>> guess_intent("fix login crash after update")
    Guess(intent='fix_bug', confidence=0.8333333333333334, score=5.0)
    >>> guess_intent("add dark mode feature").intent, guess_intent("semantic search").intent
    ('add_feature', 'understand')
    """
    asked = set(list_terms(query))
    scores = {intent: _score(asked, each) for intent, each in clues.items()}
    best, *others = sorted(scores, key=lambda intent: (-scores[intent], intent))
    score, second = scores[best], scores[others[0]] if others else 0.0
    if score < least:
        return Guess(UNDERSTAND, 0.0, score)
    return Guess(best, score / (score + second + 1.0), score)


def _score(asked: AbstractSet[str], clues: Clues) -> float:
    return 2.0 * len(asked & clues.primary) + len(asked & clues.secondary)
