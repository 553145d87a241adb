"""Errors of the notebook in plain words, each with the field of the form that it is about."""

import re
from typing import NamedTuple

from waymeet.errors import MaskedValueError, RequestError, WaymeetError
from waymeet.interfaces.web.items.fields import ItemForm

_PATH = re.compile(r"at `\$\.(?P<field>\w+)")
_LENGTH = re.compile(r"of length <= (?P<most>\d+)")
_FIRST_WORD = re.compile(r"(?P<field>[a-z_]+)\b")


class FieldProblem(NamedTuple):
    """A message about a field, or about the whole form if the name is empty."""

    field: str
    message: str


def describe_problem(error: WaymeetError) -> FieldProblem:
    """Describe an error of an operation for the person who sent the form."""
    message = f"{error.message.partition(chr(10))[0]} {error.hint}".strip()
    if isinstance(error, MaskedValueError):
        return FieldProblem("text", message)
    if isinstance(error, RequestError):
        return _describe_request_error(error.message)
    word = _FIRST_WORD.match(message)
    field = word["field"] if word and word["field"] in ItemForm._fields else ""
    if "needs a title" in error.message:
        field = "title"
    if "bytes; " in error.message:  # the size of the whole file
        field = "text"
    return FieldProblem(field, message.removeprefix(f"{field}: ") if field else message)


def _describe_request_error(message: str) -> FieldProblem:
    """Describe a value that the types of a request do not allow."""
    path, length = _PATH.search(message), _LENGTH.search(message)
    field = path["field"] if path and path["field"] in ItemForm._fields else ""
    if length:
        unit = "entries" if "array" in message or "tuple" in message else "characters"
        return FieldProblem(field, f"This is too long: at most {int(length['most']):,} {unit} are allowed.")
    if field == "title":
        return FieldProblem(field, "Enter a title.")
    return FieldProblem(field, f"This value is not allowed. {message.removeprefix('Invalid request: ')}")
