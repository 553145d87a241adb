"""Fields of the front matter of notes, tasks and skills, and their valid values."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any

from waymeet.errors import UsageError
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts, split_list
from waymeet.notebook.file_names import to_one_line
from waymeet.notebook.frontmatter_edit import Value
from waymeet.search.feedback.half_life import parse_days

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
"""Fields whose values are links of that kind."""
REFERENCE_FIELDS = (*RELATIONS, "related", "see_also", "superseded_by", "blocked_by")
"""Relations, and other fields with links that editors may use."""
ACYCLIC_RELATIONS = ("subtask_of", "blocks", "depends_on", "variant_of", "supersedes")
"""Relations that must not form a cycle."""
SINGLE_RELATIONS = ("subtask_of", "variant_of")
"""Relations to at most one item."""
LISTS = ("tags", "aliases", "triggers", "file_patterns")
_MAX_CHARS = 2000
_MAX_VALUES = 500
_LINKED = re.compile(r"!?\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()\s]+\)")
_NAME = re.compile(r"[^\W\d][\w.-]{0,63}")


def normalise_fields(kind: str, changes: Mapping[str, Value]) -> dict[str, Value]:
    """Validate and normalise the values of fields to set.

    >>> normalise_fields("tasks", {"status": "In Progress", "due": "2026-12-01", "tags": ["a", "a"]})
    {'status': 'in_progress', 'due': '2026-12-01', 'tags': ['a']}

    >>> normalise_fields("notes", {"half_life_days": "30"})
    {'half_life_days': 30}

    An empty list or text becomes None, which removes the field.

    Raises:
        UsageError: a value is invalid.
    """
    return {key: _normalise(kind, key, value) for key, value in changes.items()}


def find_problems(kind: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each invalid value in the front matter of a file."""
    for key, value in values.items():
        name = key.lower()
        if name in _VALUES.get(kind, {}) or name == "half_life_days":
            try:
                _normalise(kind, name, " ".join(iterate_texts(value)))
            except UsageError as error:
                yield error.message


def parse_list(value: object) -> tuple[str, ...]:
    """Parse a list of texts, as YAML list or separated by commas.

    >>> parse_list("a, b"), parse_list(["x y"]), parse_list(None)
    (('a', 'b'), ('x y',), ())
    """
    return split_list(value)


def parse_references(value: object) -> tuple[str, ...]:
    """Parse the targets of a relation: links, and names separated by commas.

    `waymeet.ingest.parse` does the same.

    >>> parse_references("a b, c"), parse_references(["[[d, e]]", "f"])
    (('a b', 'c'), ('[[d, e]]', 'f'))
    """
    targets = ((*_LINKED.findall(text), *_LINKED.sub(",", text).split(",")) for text in iterate_texts(value))
    return tuple(dict.fromkeys(part.strip() for parts in targets for part in parts if part.strip()))


def urgency_key(status: str, priority: str, due: str) -> tuple[int, int, str]:
    """Make the sort key of a task: by status, then by priority, then by due date.

    >>> urgency_key("in_progress", "", "") < urgency_key("todo", "high", "2026-01-01") < urgency_key("todo", "high", "")
    True
    """
    order = ("in_progress", "review", "todo", "backlog", "done", "cancelled")
    rank = order.index(status) if status in order else order.index("todo")
    return rank, -PRIORITIES.index(priority) if priority in PRIORITIES else -1, due or "9999"


def _normalise(kind: str, key: str, value: Value) -> Value:
    if not _NAME.fullmatch(key):
        raise UsageError(f"{to_one_line(key)!r} is not a valid field name.", "Use letters, digits, _ . and -")
    if value is None or value in ("", [], ()):
        return None
    if key in REFERENCE_FIELDS or key in LISTS or (not isinstance(value, str) and isinstance(value, Sequence)):
        return _normalise_list(key, value)
    if key == "half_life_days":
        return _normalise_days(key, str(value))
    if not isinstance(value, str):
        return value
    normalise = _VALUES.get(kind, {}).get(key, _normalise_text)
    return normalise(key, value)


def _normalise_list(key: str, value: Value) -> list[str]:
    parts = [value] if isinstance(value, str) else list(value) if isinstance(value, Sequence) else [str(value)]
    values = list(dict.fromkeys(filter(None, (_normalise_text(key, part) for part in parts))))
    if len(values) > (1 if key in SINGLE_RELATIONS else _MAX_VALUES):
        limit = "one value" if key in SINGLE_RELATIONS else f"at most {_MAX_VALUES} values"
        raise UsageError(f"{key} can have {limit}, not {len(values)}.")
    return values


def _normalise_text(key: str, value: str) -> str:
    text = to_one_line(str(value))
    if len(text) > _MAX_CHARS:
        raise UsageError(f"{key} is longer than {_MAX_CHARS:,} characters.", "Put the text into the body.")
    return text


def _one_of(choices: Sequence[str]) -> Callable[[str, str], str]:
    def check(key: str, value: str) -> str:
        choice = re.sub(r"[\s-]+", "_", value.strip().lower())
        if choice in choices:
            return choice
        close = get_close_matches(choice, choices, n=1)
        hint = f"Did you mean {close[0]}?" if close else ""
        raise UsageError(f"{key}: {to_one_line(value)!r} is not one of {', '.join(choices)}.", hint)

    return check


def _normalise_date(key: str, value: str) -> str:
    try:
        return date.fromisoformat(value.strip()).isoformat()
    except ValueError as error:
        raise UsageError(f"{key}: {to_one_line(value)!r} is not a date.", "Write it as 2026-12-31.") from error


def _normalise_days(key: str, value: str) -> float | int:
    days = parse_days(value.strip())
    if days is None:
        raise UsageError(f"{key}: {to_one_line(value)!r} is not a positive number of days.", "Write it as 30 or 0.5.")
    return int(days) if days.is_integer() else days


_VALUES: dict[str, dict[str, Callable[[str, str], str]]] = {
    "notes": {},
    "tasks": {
        "status": _one_of(STATUSES),
        "priority": _one_of(PRIORITIES),
        "due": _normalise_date,
        "assignee": _normalise_text,
    },
    "skills": {},
}
