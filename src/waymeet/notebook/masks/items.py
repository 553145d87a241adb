"""The masked form of an item, which other programs and models see, and changes based on it.

The whole file is masked at once, so that a value is found by its context wherever it occurs. Front matter is masked
value by value: `password: [secret]` as YAML would be a list.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from waymeet.ingest.read.secret_fields import join_masked, split_field
from waymeet.ingest.read.secrets import split_secrets
from waymeet.notebook import frontmatter_edit
from waymeet.notebook.file_names import to_one_line
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.item import Item
from waymeet.notebook.masks.restore import MASK, Restored, restore_values

_MIN_REPEATED = 8
"""Length from which a value is masked wherever it occurs in front matter; a shorter one only if it is all of it."""


def mask_item(item: Item) -> Item:
    """Mask the secrets of an item, in its text, title and front matter."""
    parts = split_secrets(item.text, item.id)
    secrets = _secret_texts(parts)
    fields = {key: _mask_value(key, value, item.id, secrets) for key, value in item.fields.items()}
    title = _mask_text("title", item.title, item.id, secrets)
    if len(parts) == 1:
        return replace(item, title=title, fields=fields)
    body = join_masked(_body_parts(item.text, parts))
    return replace(item, title=title, fields=fields, text=join_masked(parts), body=body)


def restore_text(path: str, before: str, after: str) -> Restored:
    """Put the values of a file back into its new text.

    Raises:
        MaskedValueError: it is not certain which value a mask stands for.
    """
    parts = split_secrets(before, path)
    body, new_body = frontmatter_edit.get_body(before), frontmatter_edit.get_body(after)
    old_head, head = before[: len(before) - len(body)], after[: len(after) - len(new_body)]
    if MASK in head and head.rstrip() != old_head.rstrip():
        return restore_values(parts, after)
    restored = restore_values(_body_parts(before, parts), new_body, old_head.count("\n") + 1)
    return restored._replace(text=head + restored.text)


def restore_fields(item: Item, changes: Mapping[str, Value]) -> dict[str, Value]:
    """Put the values of an item back into new values of its front matter.

    Raises:
        MaskedValueError: it is not certain which value a mask stands for.
    """
    secrets = _secret_texts(split_secrets(item.text, item.id))
    current = {"title": item.title, "name": item.title, **item.fields}
    return {
        key: _restore_value(key, value, current.get(key.lower()), item.id, secrets) for key, value in changes.items()
    }


def _body_parts(text: str, parts: Sequence[str]) -> list[str]:
    """Cut the parts of a whole text to those of its body."""
    start = len(text) - len(frontmatter_edit.get_body(text))
    body: list[str] = []
    position = 0
    for number, part in enumerate(parts):
        end = position + len(part)
        if end > start or number == len(parts) - 1:
            rest = part[max(start - position, 0) :]
            body += [rest] if body or number % 2 == 0 else ["", rest]
        position = end
    return body


def _secret_texts(parts: Sequence[str]) -> list[str]:
    """List the secrets of a text, and the lines of those that have several, the longest first."""
    texts = {line.strip() for secret in parts[1::2] for line in (secret, *secret.split("\n")) if line.strip()}
    return sorted(texts, key=lambda text: (-len(text), text))


def _mask_value(key: str, value: Any, path: str, secrets: Sequence[str]) -> Any:  # noqa: ANN401 - any YAML value
    """Mask the secrets in a value of front matter."""
    if isinstance(value, Mapping):
        return {name: _mask_value(str(name), entry, path, secrets) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_mask_value(key, entry, path, secrets) for entry in value]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    masked = _mask_text(key, str(value), path, secrets)
    return value if masked == str(value) else masked


def _mask_text(key: str, text: str, path: str, secrets: Sequence[str]) -> str:
    return join_masked(_split_field(key, text, path, secrets))


def _split_field(key: str, text: str, path: str, secrets: Sequence[str]) -> list[str]:
    """Split a text of front matter into plain parts and secrets, by its key and known secrets."""
    return _split_repeats(split_field(key, text, path), secrets)


def _split_repeats(parts: Sequence[str], secrets: Sequence[str]) -> list[str]:
    """Split plain parts at the given secrets, too."""
    result = list(parts)
    for secret in secrets:
        if result == [secret]:
            return ["", secret, ""]
        if len(secret) < _MIN_REPEATED:
            continue
        for number in range(len(result) - 1, -1, -2):
            if secret in result[number]:
                result[number : number + 1] = _interleave(result[number].split(secret), secret)
    return result


def _interleave(plain: Iterable[str], secret: str) -> list[str]:
    return [part for text in plain for part in (text, secret)][:-1]


def _restore_value(key: str, value: Value, current: Any, path: str, secrets: Sequence[str]) -> Value:  # noqa: ANN401 - any YAML value
    if isinstance(value, str):
        known = "" if current is None else str(current)
        restored = restore_values(_split_field(key, known, path, secrets), value).text if MASK in value else value
        return current if isinstance(current, int | float) and restored == known else restored
    if not isinstance(value, Sequence) or not any(MASK in text for text in value):
        return value
    known_values = [to_one_line(str(each)) for each in (current if isinstance(current, list | tuple) else [current])]
    parts = _split_lines(key, known_values, path, secrets)
    return restore_values(parts, "\n".join(value)).text.split("\n")


def _split_lines(key: str, values: Sequence[str], path: str, secrets: Sequence[str]) -> list[str]:
    """Split the texts of a list into plain parts and secrets, as lines of one text."""
    parts = [""]
    for number, value in enumerate(values):
        first, *rest = _split_field(key, value, path, secrets)
        parts[-1] += ("\n" if number else "") + first
        parts += rest
    return parts
