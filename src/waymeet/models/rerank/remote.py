"""Rerankers on the network: Voyage, Cohere, servers with /v1/rerank, and chat models."""

from collections.abc import Sequence
from math import isfinite
from typing import Literal

from msgspec import Struct

from waymeet.errors import ModelError
from waymeet.formulas.rerank import logistic
from waymeet.models.remote.chat import ChatModel
from waymeet.models.remote.client import Server, replace_surrogates, request

Wire = Literal["voyage", "cohere", "endpoint"]
Scale = Literal["auto", "parts", "logits"]

MAX_TEXTS = 100
"""The providers' limit per request."""
_TASK = (
    "You judge how well texts answer a question. For each text give a score from 0.0 (it has nothing to do with the "
    "question) to 1.0 (it answers it fully). The object holds the question and the texts by number. Reply as "
    '{"scores": {"1": 0.0, "2": 0.0}} with exactly one score for each number.'
)


class _Item(Struct, frozen=True):
    index: int
    relevance_score: float | None = None
    score: float | None = None


class _Reply(Struct, frozen=True):
    """Cohere and most others call the list `results`, Voyage `data`."""

    results: list[_Item] | None = None
    data: list[_Item] | None = None


class _Scores(Struct, frozen=True):
    scores: dict[str, float]


class HttpReranker:
    """Scores by a reranking server."""

    def __init__(self, server: Server, model: str, wire: Wire, scale: Scale = "parts") -> None:
        self._server = server
        self._model = model
        self._wire = wire
        self._scale = scale
        self.name = f"{server.name} {model}"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts from 0 to 1, in their order."""
        _check_number(texts)
        body = {
            "model": self._model,
            "query": replace_surrogates(query),
            "documents": [replace_surrogates(text) for text in texts],
        }
        extra = {"truncation": True} if self._wire == "voyage" else {"top_n": len(texts)}
        reply = request(self._server, {**body, **extra}, _Reply)
        items = reply.results if reply.results is not None else reply.data
        return _normalise(_order_scores(items or [], len(texts), self._server.name), self._scale, self._server.name)


class ChatReranker:
    """Scores by a chat model."""

    def __init__(self, server: Server, model: str) -> None:
        self._model = ChatModel(server, model)
        self.name = self._model.name

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Score texts from 0 to 1.

        Raises:
            ModelError: the reply lacks a text or has one too many.
        """
        _check_number(texts)
        numbered = {str(number): replace_surrogates(text) for number, text in enumerate(texts, start=1)}
        material = {"question": replace_surrogates(query), "texts": numbered}
        scores = self._model.complete(_TASK, material, _Scores).scores
        if scores.keys() != numbered.keys():
            raise ModelError(
                f"{self.name} gave {len(scores)} scores for {len(texts)} texts, or scores for other texts.",
                "Set fewer candidates (rerank.candidates), or choose a model that follows instructions better.",
            )
        return _normalise([scores[number] for number in numbered], "parts", self.name)


def _check_number(texts: Sequence[str]) -> None:
    if len(texts) > MAX_TEXTS:
        raise ModelError(f"{len(texts)} texts are too many for one request.", f"The limit is {MAX_TEXTS}.")


def _order_scores(items: Sequence[_Item], number: int, name: str) -> list[float]:
    """Order scores by the indices of the texts, each of which must occur once."""
    scores = {item.index: item.relevance_score if item.relevance_score is not None else item.score for item in items}
    if len(items) != number or scores.keys() != set(range(number)):
        raise ModelError(
            f"{name} gave {len(items)} scores for {number} texts, or scores for other texts.",
            "Check the address and the model.",
        )
    ordered = [score for _, score in sorted(scores.items()) if score is not None]
    if len(ordered) != number:
        raise ModelError(f"{name} left out scores.", "Check the address and the model.")
    return ordered


def _normalise(scores: Sequence[float], scale: Scale, name: str) -> list[float]:
    """Map scores to the range from 0 to 1, logits by the logistic function.

    >>> _normalise([0.2, 0.9], "auto", "x"), _normalise([0.0, 5.0], "auto", "x")[0]
    ([0.2, 0.9], 0.5)
    """
    if not all(map(isfinite, scores)):
        raise ModelError(f"{name} gave a score that is not a number.", "Choose another model.")
    is_in_range = all(0.0 <= score <= 1.0 for score in scores)
    if scale == "logits" or (scale == "auto" and not is_in_range):
        return [logistic(score) for score in scores]
    if not is_in_range:
        raise ModelError(f"{name} gave a score outside the range from 0 to 1.", "Choose another model.")
    return list(scores)
