"""Classification of a query's intent by its words."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from waymeet.analysis.terms import list_terms

UNDERSTAND = "understand"


class IntentWords(NamedTuple):
    """Stems that indicate an intent: primary ones count twice."""

    primary: frozenset[str]
    secondary: frozenset[str]


class IntentGuess(NamedTuple):
    """An intent with its confidence."""

    intent: str
    confidence: float
    score: float


def _stem_all(primary: str, secondary: str) -> IntentWords:
    return IntentWords(frozenset(list_terms(primary)), frozenset(list_terms(secondary)))


INTENT_WORDS: Mapping[str, IntentWords] = {
    "add_feature": _stem_all(
        "add implement create build feature introduce support extend",
        "new want enable mode option integrate develop functionality endpoint button page example pattern",
    ),
    "fix_bug": _stem_all(
        "fix bug crash error broken fail failure exception debug regression",
        "issue wrong problem login slow hang leak timeout stacktrace traceback patch cause undefined null nan",
    ),
    "refactor": _stem_all(
        "refactor restructure cleanup simplify rename extract decouple deduplicate",
        "clean move split merge improve reorganize duplicate legacy dependency coupling modular design",
    ),
    "security_audit": _stem_all(
        "security vulnerability audit exploit injection xss csrf threat",
        "auth permission token secret encrypt password sanitize attack leak privilege owasp cve credential",
    ),
    "find_spec": _stem_all(
        "spec specification requirement requirements prd rfc",
        "acceptance criteria contract schema definition must shall scope",
    ),
    "find_decision": _stem_all(
        "decision decide adr rationale tradeoff",
        "choose chose chosen alternative reason approve agreed instead record",
    ),
    UNDERSTAND: _stem_all(
        "understand explain overview architecture",
        "work meaning learn describe purpose flow concept",
    ),
}


def guess_intent(query: str, words: Mapping[str, IntentWords] = INTENT_WORDS, min_score: float = 3.0) -> IntentGuess:
    """Guess the intent of a query, with a score of 2 per primary and 1 per secondary word.

    Below the minimum score it is `understand` with confidence 0; otherwise the confidence is
    score / (score + runner-up's score + 1).

    >>> guess_intent("fix login crash after update")
    IntentGuess(intent='fix_bug', confidence=0.8333333333333334, score=5.0)
    >>> guess_intent("add dark mode feature").intent, guess_intent("semantic search").intent
    ('add_feature', 'understand')
    """
    terms = set(list_terms(query))
    scores = {intent: _score(terms, each) for intent, each in words.items()}
    best, *others = sorted(scores, key=lambda intent: (-scores[intent], intent))
    score, second = scores[best], scores[others[0]] if others else 0.0
    if score < min_score:
        return IntentGuess(UNDERSTAND, 0.0, score)
    return IntentGuess(best, score / (score + second + 1.0), score)


def _score(terms: AbstractSet[str], words: IntentWords) -> float:
    return 2.0 * len(terms & words.primary) + len(terms & words.secondary)
