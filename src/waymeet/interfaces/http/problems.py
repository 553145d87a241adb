"""Everything that can be refused or fail, as `application/problem+json` (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from waymeet.interfaces.render.text import to_single_line
from waymeet.interfaces.requests.errors import Failure

MEDIA_TYPE = "application/problem+json"


class Problem(Struct, frozen=True, kw_only=True):
    """What went wrong, for people and programs."""

    type: str = "about:blank"
    title: str
    """The status of HTTP in words."""
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    """What happened."""
    code: str
    """The same as a name that does not change."""
    next_step: str
    """What to do about it."""
    request_id: str
    version: str = ""
    """Of a conflict: the version to build another try on; empty if the entry is gone."""
    current: str = ""
    """Of a conflict: what the file holds now."""
    refused: str = ""
    """Of a conflict: what was not written."""


class Refused(Exception):  # noqa: N818 - what it is
    """A request that is not answered, for a reason that has to do with HTTP."""

    def __init__(
        self, status: int, code: str, detail: str, next_step: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.failure = Failure(code, status, detail, next_step)
        self.headers = dict(headers or {})


def problem(failure: Failure, request_id: str) -> Problem:
    """Put a failure as a problem."""
    return Problem(
        title=HTTPStatus(failure.status).phrase,
        status=failure.status,
        detail=failure.message,
        code=failure.code,
        next_step=failure.next_step,
        request_id=request_id,
        version=failure.version,
        current=failure.current,
        refused=failure.refused,
    )


def written(failure: Failure, request_id: str) -> bytes:
    """Put a failure as it is sent."""
    return msgspec.json.encode(problem(failure, request_id))


def nowhere(path: str) -> Refused:
    """Refuse a path that leads nowhere."""
    return Refused(404, "no_such_path", f"There is nothing at {to_single_line(path[:200])}.", "Look at /openapi.json.")


def not_allowed(allowed: str) -> Refused:
    """Refuse a method that a path does not have."""
    detail = f"This path takes {allowed or 'other methods'}."
    return Refused(405, "method_not_allowed", detail, "Look at /openapi.json.", {"Allow": allowed} if allowed else None)


def our_mistake(error: Exception) -> Failure:
    """Put what should never happen."""
    return Failure("mistake", 500, f"This is a mistake in Waymeet: {type(error).__name__}.", "Please report it.")
