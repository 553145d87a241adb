"""The newest search of each page in a browser: it cancels the one before.

A browser that goes on typing drops its earlier request. A proxy between may not pass that on, so the page also names
itself by a random number in each search while typing.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from waymeet.search.cancellation import CANCELLATION, Cancellation

PAGE = "x-waymeet-page"
"""Header with the number of the page."""
_MAX_CHARS = 64
_MAX_PAGES = 1000


class NewestSearches:
    """The search that runs for each page."""

    def __init__(self) -> None:
        self._running: dict[str, Cancellation] = {}

    @contextmanager
    def replace(self, request: Request) -> Iterator[None]:
        """Cancel the earlier search of the same page while this one runs."""
        page = request.headers.get(PAGE, "")[:_MAX_CHARS]
        cancellation = Cancellation()
        earlier = self._running.pop(page, None) if page else None
        if earlier:
            earlier.cancel()
        if page:
            self._running[page] = cancellation
        if len(self._running) > _MAX_PAGES:
            del self._running[next(iter(self._running))]
        reset = CANCELLATION.set(cancellation)
        try:
            yield
        finally:
            CANCELLATION.reset(reset)
            if self._running.get(page) is cancellation:
                del self._running[page]


NEWEST = NewestSearches()
"""The searches of this process."""
