"""Cancel a search whose client has left: it ends before its next stage."""

from contextvars import ContextVar

from waymeet.errors import SearchCancelledError


class Cancellation:
    """Tells the thread of a search whether its answer is still wanted."""

    def __init__(self) -> None:
        self._is_cancelled = False

    def cancel(self) -> None:
        """End the search before its next stage."""
        self._is_cancelled = True

    def check(self) -> None:
        """Raise an error if the search was cancelled.

        Raises:
            SearchCancelledError: its client has left, or has sent a newer search.
        """
        if self._is_cancelled:
            raise SearchCancelledError("The search was cancelled.", "Search again.")


CANCELLATION: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)
"""What cancels the search of this thread or task; None if nothing does."""


def check_cancelled() -> None:
    """Raise an error if the search of this thread was cancelled.

    Raises:
        SearchCancelledError: its client has left, or has sent a newer search.
    """
    cancellation = CANCELLATION.get()
    if cancellation is not None:
        cancellation.check()
