"""Rerankers behind the network: Voyage, Cohere, any server with /v1/rerank, and chat models that give scores."""

from collections.abc import Sequence
from math import isfinite
from typing import Literal

from msgspec import Struct

from waymeet.errors import ModelError
from waymeet.formulas.rerank import logistic
from waymeet.models.remote.chat import completed
from waymeet.models.remote.client import Server, ask, well_formed

Wire = Literal["voyage", "cohere", "endpoint"]
Scale = Literal["auto", "parts", "logits"]

MOST_TEXTS = 100
"""What the providers take in one request."""
_TASK = (
    "You judge how well texts answer a question. For each text give a score from 0.0 (it has nothing to do with the "
    "question) to 1.0 (it answers it fully). The object holds the question and the texts by number. Reply as "
    '{"scores": {"1": 0.0, "2": 0.0}} with exactly one score for each number.'
)


class _Judged(Struct, frozen=True):
    index: int
    relevance_score: float | None = None
    score: float | None = None


class _Reply(Struct, frozen=True):
    """Cohere and most others call the list `results`, Voyage `data`."""

    results: list[_Judged] | None = None
    data: list[_Judged] | None = None


class _Scores(Struct, frozen=True):
    scores: dict[str, float]


class HttpReranker:
    """Asks a server made for reranking."""

    def __init__(self, server: Server, model: str, wire: Wire, scale: Scale = "parts") -> None:
        self._server = server
        self._model = model
        self._wire = wire
        self._scale = scale
        self.name = f"{server.name} {model}"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts from 0 to 1, in their order, whatever the order of the answer."""
        _few_enough(texts)
        body = {"model": self._model, "query": well_formed(query), "documents": [well_formed(text) for text in texts]}
        extra = {"truncation": True} if self._wire == "voyage" else {"top_n": len(texts)}
        reply = ask(self._server, {**body, **extra}, _Reply)
        judged = reply.results if reply.results is not None else reply.data
        return _parts(_in_order(judged or [], len(texts), self._server.name), self._scale, self._server.name)


class ChatReranker:
    """Asks a chat model to give each text a score."""

    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model
        self.name = f"{server.name} {model}"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts from 0 to 1; a reply that misses one, or names one that is not there, is not used."""
        _few_enough(texts)
        numbered = {str(number): well_formed(text) for number, text in enumerate(texts, start=1)}
        material = {"question": well_formed(query), "texts": numbered}
        given = completed(self._server, self._model, _TASK, material, _Scores).scores
        if given.keys() != numbered.keys():
            raise ModelError(
                f"{self.name} gave {len(given)} scores for {len(texts)} texts, or scored others.",
                "Try fewer candidates, or a model that follows the form.",
            )
        return _parts([given[number] for number in numbered], "parts", self.name)


def _few_enough(texts: Sequence[str]) -> None:
    if len(texts) > MOST_TEXTS:
        raise ModelError(f"{len(texts)} texts are too many to score at once.", f"{MOST_TEXTS} is the most.")


def _in_order(judged: Sequence[_Judged], wanted: int, name: str) -> list[float]:
    """Put scores in the order of the texts by their indices, which must name every text once."""
    scores = {each.index: each.relevance_score if each.relevance_score is not None else each.score for each in judged}
    if len(judged) != wanted or scores.keys() != set(range(wanted)):
        raise ModelError(
            f"{name} gave {len(judged)} scores for {wanted} texts, or scored others.",
            "Check the address and the model.",
        )
    found = [score for _, score in sorted(scores.items()) if score is not None]
    if len(found) != wanted:
        raise ModelError(f"{name} left out scores.", "Check the address and the model.")
    return found


def _parts(scores: Sequence[float], scale: Scale, name: str) -> list[float]:
    """Map scores to 0 to 1: logits by the logistic function.

    >>> _parts([0.2, 0.9], "auto", "x"), _parts([0.0, 5.0], "auto", "x")[0]
    ([0.2, 0.9], 0.5)
    """
    if not all(map(isfinite, scores)):
        raise ModelError(f"{name} gave a score that is not a number.", "Try another model.")
    within = all(0.0 <= each <= 1.0 for each in scores)
    if scale == "logits" or (scale == "auto" and not within):
        return [logistic(each) for each in scores]
    if not within:
        raise ModelError(f"{name} gave a score that is not from 0 to 1.", "Try another model.")
    return list(scores)
