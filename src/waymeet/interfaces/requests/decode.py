"""From what a program sent to a request, or to an error that says what is wrong with it."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from waymeet.analysis import replace_surrogates
from waymeet.errors import RequestError

Request = TypeVar("Request", bound=msgspec.Struct)


def decoded(kind: type[Request], raw: bytes | str) -> Request:
    """Read a request from JSON.

    Raises:
        RequestError: it is no JSON, or not such a request.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise _refused(kind, error) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise RequestError(f"The request is no JSON: {error}", "Send one JSON object in UTF-8.") from error


def convert(kind: type[Request], given: Mapping[str, Any], *, lax: bool = False) -> Request:
    """Make a request of plain values; `lax` also reads numbers and truth values that are written as text.

    Raises:
        RequestError: they are not such a request.
    """
    try:
        return msgspec.convert(_legible(dict(given)), type=kind, strict=not lax)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _refused(kind, error) from error


def _legible(value: Any) -> Any:  # noqa: ANN401 - whatever a program sends
    """Replace halves of characters, which JSON cannot bring but a program can."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {_legible(key): _legible(each) for key, each in value.items()}
    return [_legible(each) for each in value] if isinstance(value, list | tuple) else value


def _refused(kind: type[msgspec.Struct], error: Exception) -> RequestError:
    said = str(error)
    names = kind.__struct_encode_fields__
    unknown = said.partition("unknown field `")[2].partition("`")[0]
    close = get_close_matches(unknown, names, n=1) if unknown else []
    hint = f"Did you mean `{close[0]}`?" if close else f"It takes: {', '.join(names)}."
    return RequestError(f"The request is not understood: {said}", hint)
