"""Models that put a question in other words, and the memory that spares asking them twice."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TypeVar

from msgspec import Struct

from waymeet.errors import ModelError
from waymeet.models.remote.chat import completed
from waymeet.models.remote.client import Server, well_formed
from waymeet.ports import Expander

V = TypeVar("V")


class TtlCache(MutableMapping[str, V]):
    """Keeps so many values for so many seconds. Threads may share it.

    >>> now = 0.0
    >>> memory = TtlCache(seconds=300.0, entries=1000, clock=lambda: now)
    >>> memory["a"] = 1
    >>> now = 299.0; memory.get("a")
    1
    >>> now = 300.0; memory.get("a"), len(memory)
    (None, 0)
    """

    def __init__(self, seconds: float, entries: int, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._entries = entries
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, V]] = OrderedDict()
        self._lock = Lock()

    def __getitem__(self, key: str) -> V:
        with self._lock:
            until, value = self._kept[key]
            if self._clock() >= until:
                del self._kept[key]
                raise KeyError(key)
            self._kept.move_to_end(key)
            return value

    def __setitem__(self, key: str, value: V) -> None:
        with self._lock:
            self._kept[key] = self._clock() + self._seconds, value
            self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)

    def __delitem__(self, key: str) -> None:
        with self._lock:
            del self._kept[key]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            now = self._clock()
            return iter([key for key, (until, _) in self._kept.items() if now < until])

    def __len__(self) -> int:
        return len(list(iter(self)))


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
