"""The one function through which everything passes that leaves the process.

Texts of files are masked when they are indexed or read. Names of files, notes, messages of errors and quotations of
requests are not. Therefore each interface passes its answers, lists, errors and messages through `mask_outgoing` where
it encodes them: HTTP in `http.endpoints.json_response` and `http.problems`, MCP in `mcp.server`, and the command line
in `cli.common`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Value = TypeVar("Value")

_MIN_REPEATED = 16
"""Length from which a secret is masked wherever it occurs in an answer; a shorter one may be a common word."""
_SIGNS = re.compile(
    r"pass|pwd|secret|token|key|auth|cred|kennwort|geheim|bearer|basic|curl|sig=|login|begin |://| -p"
    r"|(?=[a-z_+=-]*\d)[a-z0-9_+=-]{12}|[^\W\d_a-z]",
    re.IGNORECASE,
)
"""What secrets have in or beside them: a name, a long word with a digit, or letters of another script.

The expressions that find secrets take milliseconds to compile, so they are only used for texts with such a sign.
"""


class _Leaf(NamedTuple):
    """A text with the name of the mapping's key that it belongs to, if any."""

    text: str
    name: str = ""


def mask_outgoing(value: Value, *, enabled: bool) -> Value:
    """Mask the secrets in all texts of an answer, an error or a message.

    Args:
        value: a text, a struct, a model of the MCP library, or any nesting of them in lists and mappings.
        enabled: the setting `ingest.mask_secrets`.

    Returns:
        The same value, or one of the same type with masks in it.
    """
    if not enabled:
        return value
    leaves = {leaf for leaf in _iterate_leaves(value) if _SIGNS.search(leaf.text) or _SIGNS.search(leaf.name)}
    if not leaves:
        return value
    masked = _mask_leaves(value, leaves)
    result: Value = _replace_texts(value, masked) if masked else value
    return result


def _iterate_leaves(value: Any, name: str = "") -> Iterator[_Leaf]:  # noqa: ANN401 - any answer
    """Yield all texts of a value."""
    if isinstance(value, str):
        yield _Leaf(value, name)
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _iterate_leaves(key)
            yield from _iterate_leaves(entry, str(key))
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from _iterate_leaves(entry, name)
    else:
        for field in _field_names(value):
            yield from _iterate_leaves(getattr(value, field))


def _field_names(value: object) -> tuple[str, ...]:
    """Name the fields of a struct or of a model of the MCP library."""
    if isinstance(value, Struct):
        return value.__struct_fields__
    return tuple(getattr(type(value), "model_fields", ()))


def _mask_leaves(value: object, leaves: set[_Leaf]) -> dict[_Leaf, str]:
    """Mask texts one by one, then the same secrets in all texts of the value."""
    from waymeet.ingest.read.secret_fields import join_masked, split_field  # takes long to import
    from waymeet.ingest.read.secrets import MASK, split_secrets

    masked: dict[_Leaf, str] = {}
    repeated: set[str] = set()
    for leaf in leaves:
        parts = split_secrets(leaf.text)
        if len(parts) == 1 and leaf.name:
            parts = split_field(leaf.name, leaf.text)
        if len(parts) > 1:
            masked[leaf] = join_masked(parts)
            repeated.update(secret for secret in parts[1::2] if len(secret) >= _MIN_REPEATED and "\n" not in secret)
    if repeated:
        pattern = re.compile("|".join(map(re.escape, sorted(repeated, key=len, reverse=True))))
        for leaf in _iterate_leaves(value):
            before = masked.get(leaf, leaf.text)
            after = pattern.sub(MASK.decode(), before)
            if after != before:
                masked[leaf] = after
    return masked


def _replace_texts(value: Any, masked: Mapping[_Leaf, str], name: str = "") -> Any:  # noqa: ANN401 - any answer
    """Rebuild a value with the masked texts."""
    if isinstance(value, str):
        return masked.get(_Leaf(value, name), value)
    if isinstance(value, Mapping):
        return {_replace_texts(key, masked): _replace_texts(entry, masked, str(key)) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        entries = [_replace_texts(entry, masked, name) for entry in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    fields = {field: getattr(value, field) for field in _field_names(value)}
    changed = {field: new for field, old in fields.items() if (new := _replace_texts(old, masked)) != old}
    if not changed:
        return value
    if "snippet" in changed and "highlights" in fields:
        changed["highlights"] = ()  # ranges of the text before
    return replace(value, **changed) if isinstance(value, Struct) else value.model_copy(update=changed)
