"""Decode requests from JSON or plain values."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from waymeet.analysis import replace_surrogates
from waymeet.errors import RequestError

Request = TypeVar("Request", bound=msgspec.Struct)


def decode_json(kind: type[Request], raw: bytes | str) -> Request:
    """Decode a request from JSON.

    Raises:
        RequestError: it is not JSON, or not such a request.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise _to_request_error(kind, error) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise RequestError(f"The request is not JSON: {error}", "Send one JSON object in UTF-8.") from error


def convert(kind: type[Request], values: Mapping[str, Any], *, lax: bool = False) -> Request:
    """Convert plain values to a request.

    `lax` also accepts numbers and booleans written as text, as in a query string.

    Raises:
        RequestError: they are not such a request.
    """
    try:
        return msgspec.convert(_replace_surrogates(dict(values)), type=kind, strict=not lax)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _to_request_error(kind, error) from error


def _replace_surrogates(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Replace unpaired surrogates in all texts of a value: they cannot be encoded in UTF-8."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {_replace_surrogates(key): _replace_surrogates(each) for key, each in value.items()}
    return [_replace_surrogates(each) for each in value] if isinstance(value, list | tuple) else value


def _to_request_error(kind: type[msgspec.Struct], error: Exception) -> RequestError:
    message = str(error)
    names = kind.__struct_encode_fields__
    unknown = message.partition("unknown field `")[2].partition("`")[0]
    close = get_close_matches(unknown, names, n=1) if unknown else []
    hint = f"Did you mean `{close[0]}`?" if close else f"Fields: {', '.join(names)}."
    return RequestError(f"Invalid request: {message}", hint)
