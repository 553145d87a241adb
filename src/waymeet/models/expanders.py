"""Models that put a question in other words, and the memory that spares asking them twice."""

from collections.abc import MutableMapping, Sequence
from hashlib import sha256

from msgspec import Struct

from waymeet.errors import ModelError
from waymeet.models.remote.chat import completed
from waymeet.models.remote.client import Server, well_formed
from waymeet.ports import Expander

_TASK = (
    "You help a search engine over a software project's documents and code. The object holds a question and a number. "
    "Give that many other wordings of the question: the same meaning in other words, such as synonyms, fuller or more "
    "technical terms, in the question's own language, one line each, no answers. Reply as "
    '{"wordings": ["first", "second"]}.'
)


class _Wordings(Struct, frozen=True):
    wordings: list[str]


class ChatExpander:
    """Asks a chat model."""

    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model
        self.name = f"{server.name} {model}"

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Give up to so many other wordings."""
        material = {"question": well_formed(query), "number": number}
        found = completed(self._server, self._model, _TASK, material, _Wordings).wordings
        wordings = [" ".join(each.split()) for each in found if each.strip()]
        if not wordings:
            raise ModelError(f"{self.name} gave no other wording.", "Try another model.")
        return wordings[:number]


class RememberingExpander:
    """Asks another expander only what was not asked lately; failures are not remembered."""

    def __init__(self, inner: Expander, remembered: MutableMapping[str, tuple[str, ...]]) -> None:
        self._inner = inner
        self._remembered = remembered
        self.name = inner.name

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Give what was given before, or ask."""
        asked = "\0".join((self.name, str(number), query))
        key = sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()
        known = self._remembered.get(key)
        if known is None:
            known = self._remembered[key] = tuple(self._inner.expand(query, number))
        return known
