"""Limits on what all requests together use: slots for computing, memory for bodies."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from waymeet.interfaces.http.access import is_loopback
from waymeet.interfaces.http.problems import RequestRefusedError


class Slots:
    """Limits the requests that are computed at the same time.

    A client on another machine may take at most half of the slots. Clients on this machine share one
    address. A request holds its slot neither while it arrives nor while its answer is sent.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._taken: Counter[str] = Counter()

    def take(self, client: str) -> "Slot":
        """Take a slot for a client.

        Raises:
            RequestRefusedError: too many are taken.
        """
        share = self._total if not client or is_loopback(client) else max(self._total // 2, 1)
        if self._taken.total() >= self._total or self._taken[client] >= share:
            detail = "Too many requests at once."
            raise RequestRefusedError(503, "busy", detail, "Try again in a moment.", {"Retry-After": "1"})
        return Slot(self._taken, client)


class Slot:
    """A slot that a request has taken."""

    def __init__(self, taken: Counter[str], client: str) -> None:
        self._taken, self._client = taken, client
        self._taken[client] += 1

    @contextmanager
    def lend(self) -> Iterator[None]:
        """Give the slot to others while the request waits for its client."""
        self.release()
        try:
            yield
        finally:
            self._taken[self._client] += 1

    def release(self) -> None:
        """Give the slot back."""
        self._taken[self._client] -= 1
        if not self._taken[self._client]:
            del self._taken[self._client]


class BodyMemory:
    """Bounds the bytes of all bodies that are arriving, by ending the requests that began first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._reservations: dict[int, Reservation] = {}

    @contextmanager
    def reserve(self) -> Iterator["Reservation"]:
        """Count the body of a request while it arrives."""
        reservation = Reservation(self._end_first)
        self._reservations[id(reservation)] = reservation
        try:
            yield reservation
        finally:
            self._reservations.pop(id(reservation), None)

    def _end_first(self) -> None:
        total = sum(reservation.size for reservation in self._reservations.values())
        for key, reservation in list(self._reservations.items()):
            if total <= self._max_bytes:
                return
            total -= reservation.size
            del self._reservations[key]
            reservation.on_eviction()


class Reservation:
    """The bytes that have arrived of one body."""

    def __init__(self, on_growth: Callable[[], None]) -> None:
        self.size = 0
        self.on_eviction: Callable[[], None] = lambda: None
        """Ends the request."""
        self._on_growth = on_growth

    def grow(self, size: int) -> None:
        """Count more bytes."""
        self.size += size
        self._on_growth()
