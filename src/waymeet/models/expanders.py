"""Query expansion by chat models, and the cache of their results."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TypeVar

from msgspec import Struct

from waymeet.errors import ModelError
from waymeet.models.remote.chat import ChatModel
from waymeet.models.remote.client import Server, replace_surrogates
from waymeet.ports import Expander

V = TypeVar("V")


class TtlCache(MutableMapping[str, V]):
    """A cache with a maximum age and a maximum number of entries. Threads may share it.

    >>> now = 0.0
    >>> cache = TtlCache(seconds=300.0, entries=1000, clock=lambda: now)
    >>> cache["a"] = 1
    >>> now = 299.0; cache.get("a")
    1
    >>> now = 300.0; cache.get("a"), len(cache)
    (None, 0)
    """

    def __init__(self, seconds: float, entries: int, clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._max_entries = entries
        self._clock = clock
        self._entries: OrderedDict[str, tuple[float, V]] = OrderedDict()
        self._lock = Lock()

    def __getitem__(self, key: str) -> V:
        with self._lock:
            expires, value = self._entries[key]
            if self._clock() >= expires:
                del self._entries[key]
                raise KeyError(key)
            self._entries.move_to_end(key)
            return value

    def __setitem__(self, key: str, value: V) -> None:
        with self._lock:
            self._entries[key] = self._clock() + self._seconds, value
            self._entries.move_to_end(key)
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def __delitem__(self, key: str) -> None:
        with self._lock:
            del self._entries[key]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            now = self._clock()
            return iter([key for key, (expires, _) in self._entries.items() if now < expires])

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
    """Expands queries by a chat model."""

    def __init__(self, server: Server, model: str) -> None:
        self._model = ChatModel(server, model)
        self.name = self._model.name

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Return up to so many other wordings of a query."""
        material = {"question": replace_surrogates(query), "number": number}
        reply = self._model.complete(_TASK, material, _Wordings)
        wordings = [" ".join(wording.split()) for wording in reply.wordings if wording.strip()]
        if not wordings:
            raise ModelError(f"{self.name} gave no other wording.", "Choose another model.")
        return wordings[:number]


class CachedExpander:
    """Caches the results of another expander.

    Failures are not cached.
    """

    def __init__(self, inner: Expander, cache: MutableMapping[str, tuple[str, ...]]) -> None:
        self._inner = inner
        self._cache = cache
        self.name = inner.name

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Return the cached wordings of a query, or expand it."""
        request = "\0".join((self.name, str(number), query))
        key = sha256(request.encode("utf-8", "surrogatepass")).hexdigest()
        wordings = self._cache.get(key)
        if wordings is None:
            wordings = self._cache[key] = tuple(self._inner.expand(query, number))
        return wordings
