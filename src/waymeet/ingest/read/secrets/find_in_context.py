"""Finding secrets that are known by what is before them (`tables/`)."""

import re
from collections.abc import Callable

from waymeet.ingest.read.secrets import value_tests as values
from waymeet.ingest.read.secrets.spans import Span, compile_once
from waymeet.ingest.read.secrets.tables.context_rows import ContextRule, Test

_VALUE_GROUPS = ("value", "value2", "value3")


def find_in_context(rule: ContextRule, raw: bytes, position: int) -> Span | None:
    """Find the secret of a rule at the position of one of its words."""
    match = compile_once(rule.pattern).match(raw, position)
    if match and (group := _value_group(match)) and _TESTS[rule.test](match, match[group]):
        return match.span(group)
    return None


def _value_group(match: re.Match[bytes]) -> str:
    """Return the name of the group that holds the value."""
    groups = match.groupdict()
    return next((name for name in _VALUE_GROUPS if groups.get(name)), "")


def _is_credential(match: re.Match[bytes], value: bytes) -> bool:
    """Return whether a value after the name of an authorization scheme is a credential.

    `basic` is also a common word, so only random values count after it.
    """
    if values.is_random(value) or values.is_basic_credential(value):
        return True
    if match["how"].lower().startswith(b"authorization"):
        return values.is_uuid(value)
    digits = values.count_digits(value)
    return match["how"].lower() == b"bearer" and 2 <= digits < len(value) and not values.has_filler(value)


_TESTS: dict[Test, Callable[[re.Match[bytes], bytes], bool]] = {
    "any": lambda _, value: not values.is_example(value),
    "chosen": lambda _, value: values.is_url_password(value),
    "session": lambda _, value: values.is_random(value) or values.is_session_id(value),
    "random": lambda _, value: values.is_random(value),
    "credential": _is_credential,
    "command": lambda _, value: values.is_url_password(value) and not values.is_placeholder(value),
    "codes": lambda _, value: values.count_digits(value) >= 3,
    "device": lambda _, value: values.is_strong_password(value) or values.is_random(value) or values.is_chosen(value),
}
