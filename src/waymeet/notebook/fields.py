"""What the front matter of notes, tasks and skills may say, and the values that make sense there."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

from waymeet.errors import UsageError
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts, split_list
from waymeet.notebook.file_names import one_line
from waymeet.notebook.frontmatter_edit import Value

SINGULAR = {"notes": "note", "tasks": "task", "skills": "skill"}
STATUSES = ("backlog", "todo", "in_progress", "review", "done", "cancelled")
OPEN = STATUSES[:4]
PRIORITIES = ("low", "medium", "high", "critical")
OWN_RELATIONS = ("subtask_of", "blocks", "related_to", "belongs_to", "depends_on", "variant_of")
RELATIONS = (
    *OWN_RELATIONS,
    *("references", "implements", "extends", "conflicts_with"),
    *("supersedes", "caused", "enabled", "supports", "derived_from", "contradicts"),
)
"""Keys of front matter whose values are links of that kind."""
REFERRING = (*RELATIONS, "related", "see_also", "superseded_by", "blocked_by")
"""These and other spellings that editors may use."""
WITHOUT_CIRCLES = ("subtask_of", "blocks", "depends_on", "variant_of", "supersedes")
"""Relations in which nothing may come back to itself."""
ONLY_ONE = ("subtask_of", "variant_of")
"""Relations that lead to one entry at most."""
LISTS = ("tags", "aliases", "triggers", "file_patterns")
_LONGEST = 2000
_MOST = 500
_LINKED = re.compile(r"!?\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()\s]+\)")
_NAME = re.compile(r"[^\W\d][\w.-]{0,63}")


def checked(kind: str, changes: Mapping[str, Value]) -> dict[str, Value]:
    """Bring values into their proper form; None, and an empty list or text, mean that the key is to be removed.

    >>> checked("tasks", {"status": "In Progress", "due": "2026-12-01", "tags": ["a", "a"]})
    {'status': 'in_progress', 'due': '2026-12-01', 'tags': ['a']}

    Raises:
        UsageError: a value makes no sense.
    """
    return {key: _checked(kind, key, value) for key, value in changes.items()}


def problems(kind: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Say what in a file's front matter makes no sense; an editor may write anything."""
    for key, value in values.items():
        name = key.lower()
        if name in _SINGLE.get(kind, {}):
            try:
                _checked(kind, name, " ".join(iterate_texts(value)))
            except UsageError as error:
                yield error.message


def strings(value: object) -> tuple[str, ...]:
    """Read a list of texts, however it is written.

    >>> strings("a, b"), strings(["x y"]), strings(None)
    (('a', 'b'), ('x y',), ())
    """
    return split_list(value)


def targets(value: object) -> tuple[str, ...]:
    """Read what a relation names: links as they are, all else parted by commas (as `waymeet.ingest.parse` does).

    >>> targets("a b, c"), targets(["[[d, e]]", "f"])
    (('a b', 'c'), ('[[d, e]]', 'f'))
    """
    found = ((*_LINKED.findall(text), *_LINKED.sub(",", text).split(",")) for text in iterate_texts(value))
    return tuple(dict.fromkeys(part.strip() for parts in found for part in parts if part.strip()))


def urgency(status: str, priority: str, due: str) -> tuple[int, int, str]:
    """Give the order in which tasks are shown: what is being done, then what matters most, then what is due first.

    >>> urgency("in_progress", "", "") < urgency("todo", "high", "2026-01-01") < urgency("todo", "high", "")
    True
    """
    order = ("in_progress", "review", "todo", "backlog", "done", "cancelled")
    rank = order.index(status) if status in order else order.index("todo")
    return rank, -PRIORITIES.index(priority) if priority in PRIORITIES else -1, due or "9999"


def _checked(kind: str, key: str, value: Value) -> Value:
    if not _NAME.fullmatch(key):
        raise UsageError(f"{one_line(key)!r} cannot be the name of a field.", "Use letters, digits, _ . and -")
    if value is None or value in ("", [], ()):
        return None
    if key in REFERRING or key in LISTS or (not isinstance(value, str) and isinstance(value, Sequence)):
        return _listed(key, value)
    if not isinstance(value, str):
        return value
    check = _SINGLE.get(kind, {}).get(key)
    if check:
        return check(key, value)
    return _short(key, value)


def _listed(key: str, value: Value) -> list[str]:
    parts = [value] if isinstance(value, str) else list(value) if isinstance(value, Sequence) else [str(value)]
    found = list(dict.fromkeys(filter(None, (_short(key, part) for part in parts))))
    if len(found) > (1 if key in ONLY_ONE else _MOST):
        raise UsageError(f"{key} can name {'only one' if key in ONLY_ONE else f'at most {_MOST}'}, not {len(found)}.")
    return found


def _short(key: str, value: str) -> str:
    text = one_line(str(value))
    if len(text) > _LONGEST:
        raise UsageError(f"{key} is longer than {_LONGEST:,} characters.", "Put the text into the body.")
    return text


def _one_of(choices: Sequence[str]) -> Callable[[str, str], str]:
    def check(key: str, value: str) -> str:
        meant = re.sub(r"[\s-]+", "_", value.strip().lower())
        if meant in choices:
            return meant
        close = get_close_matches(meant, choices, n=1)
        hint = f"Did you mean {close[0]}?" if close else ""
        raise UsageError(f"{key}: {one_line(value)!r} is not one of {', '.join(choices)}.", hint)

    return check


def _day(key: str, value: str) -> str:
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except ValueError as error:
        raise UsageError(f"{key}: {one_line(value)!r} is not a date.", "Write it as 2026-12-31.") from error


_SINGLE: dict[str, dict[str, Callable[[str, str], str]]] = {
    "notes": {},
    "tasks": {"status": _one_of(STATUSES), "priority": _one_of(PRIORITIES), "due": _day, "assignee": _short},
    "skills": {},
}
