"""The one function through which everything passes that leaves the process.

Texts of files are masked when they are indexed or read. Names of files, notes, messages of errors and quotations of
requests are not. Therefore each interface passes its answers, lists, errors and messages through `mask_outgoing` where
it encodes them: HTTP in `http.endpoints.json_response` and `http.problems`, MCP in `mcp.server`, and the command line
in `cli.common`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, UnsetType
from msgspec.structs import replace

Value = TypeVar("Value")

_MIN_REPEATED = 16
"""Length from which a secret is masked wherever it occurs in an answer; a shorter one may be a common word."""
_WITHOUT_TEXT = frozenset({int, float, bool, type(None), UnsetType})
_NAMES = tuple("pass pwd secret token key auth cred kennwort geheim bearer basic curl sig= login".split())
_WORDS = (*_NAMES, "begin ", "://", " -p")
_LONG_WORD = re.compile(r"[a-z0-9_+=-]{12,}")
_OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]")
_DIGIT = re.compile(r"[0-9]")
_SIGNS = re.compile(
    rf"{'|'.join(_WORDS)}|(?=[a-z_+=-]*\d)[a-z0-9_+=-]{{12}}|[^\W\d_a-z]",
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
    leaves = _select_likely(set(_iterate_leaves(value)))
    if not leaves:
        return value
    masked = _mask_leaves(value, leaves)
    result: Value = _replace_texts(value, masked) if masked else value
    return result


def _select_likely(leaves: set[_Leaf]) -> set[_Leaf]:
    """Select the texts that may have a secret in them, by `_SIGNS`."""
    together = "\n".join(text for leaf in leaves for text in leaf if text).lower()
    words = [word for word in _WORDS if word in together]
    return {leaf for leaf in leaves if any(has_sign(text, words) for text in leaf if text)}


def has_sign(text: str, words: Sequence[str] = _WORDS) -> bool:
    """Return whether a text may have a secret in it, by `_SIGNS`.

    `words` are those that can occur at all. Texts with letters and digits of ASCII only, nearly all, are searched for
    one sign after the other, which is faster.
    """
    if not text.isascii() and _OTHER_LETTER.search(text):
        return bool(_SIGNS.search(text))
    lower = text.lower()
    return any(word in lower for word in words) or any(map(_DIGIT.search, _LONG_WORD.findall(lower)))


def _iterate_leaves(value: Any) -> Iterator[_Leaf]:  # noqa: ANN401 - any answer
    """Yield all texts of a value."""
    pending: list[tuple[Any, str]] = [(value, "")]
    while pending:
        value, name = pending.pop()
        if isinstance(value, str):
            yield _Leaf(value, name)
        elif type(value) in _WITHOUT_TEXT:
            continue
        elif isinstance(value, Mapping):
            for key, entry in value.items():
                pending += ((key, ""), (entry, str(key)))
        elif isinstance(value, list | tuple | set | frozenset):
            pending += [(entry, name) for entry in value]
        else:
            pending += [(getattr(value, field), "") for field in _field_names(value)]


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
