"""Vectors of recent queries, so that a query over several projects is embedded once."""

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from waymeet.ports import Vector

_MAX_QUERIES = 64


class QueryMemo:
    """Remembers the vectors of the last queries of one model. Threads may share it."""

    def __init__(self, size: int = _MAX_QUERIES) -> None:
        self._size = size
        self._vectors: OrderedDict[str, Future[Vector]] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str, embed: "Callable[[str], Vector]") -> "Vector":
        """Return the vector of a query.

        Threads with the same query wait for the first one. Errors are not remembered.
        """
        with self._lock:
            future = self._vectors.get(text)
            is_first = future is None
            if future is None:
                future = self._vectors[text] = Future()
                if len(self._vectors) > self._size:
                    self._vectors.popitem(last=False)
            self._vectors.move_to_end(text)
        if is_first:
            try:
                future.set_result(embed(text))
            except BaseException as error:
                with self._lock:
                    self._vectors.pop(text, None)
                future.set_exception(error)
                raise
        return future.result()
