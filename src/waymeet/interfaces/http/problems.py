"""Errors as `application/problem+json` (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from waymeet.interfaces.render.text import to_single_line
from waymeet.interfaces.requests.errors import Failure

MEDIA_TYPE = "application/problem+json"


class Problem(Struct, frozen=True, kw_only=True):
    """An error response."""

    type: str = "about:blank"
    title: str
    """The reason phrase of the HTTP status."""
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    """The error message."""
    code: str
    """A stable code for programs."""
    next_step: str
    """The command or change that helps."""
    request_id: str
    version: str = ""
    """Of a conflict: the current version, for another try; empty if the item was deleted."""
    current: str = ""
    """Of a conflict: the current text of the file."""
    refused: str = ""
    """Of a conflict: the text that was not written."""


class RequestRefusedError(Exception):
    """A request refused for a reason of HTTP: access, size, method, media type."""

    def __init__(
        self, status: int, code: str, detail: str, next_step: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.failure = Failure(code, status, detail, next_step)
        self.headers = dict(headers or {})


def to_problem(failure: Failure, request_id: str) -> Problem:
    """Convert a failure to a problem."""
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


def encode_problem(failure: Failure, request_id: str) -> bytes:
    """Encode a failure as the body of a problem response."""
    return msgspec.json.encode(to_problem(failure, request_id))


def path_not_found(path: str) -> RequestRefusedError:
    """Build the error for an unknown path."""
    return RequestRefusedError(404, "no_such_path", f"Not found: {to_single_line(path[:200])}", "See /openapi.json.")


def method_not_allowed(allowed: str) -> RequestRefusedError:
    """Build the error for a method that a path does not support."""
    detail = f"Allowed methods: {allowed or 'others'}."
    headers = {"Allow": allowed} if allowed else None
    return RequestRefusedError(405, "method_not_allowed", detail, "See /openapi.json.", headers)


def internal_error(error: Exception) -> Failure:
    """Build the failure of an unexpected exception."""
    return Failure("mistake", 500, f"Internal error: {type(error).__name__}.", "Please report it.")
