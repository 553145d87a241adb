"""A memory that forgets: by age, and what was not asked for longest when there is too much."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from threading import Lock
from time import monotonic
from typing import TypeVar

V = TypeVar("V")


class Fading(MutableMapping[str, V]):
    """Keeps so many values for so many seconds. Threads may share it.

    >>> now = 0.0
    >>> memory = Fading(seconds=300.0, entries=1000, clock=lambda: now)
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
