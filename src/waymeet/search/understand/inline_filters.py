"""Filters inside a query: `kind:code path:src/ tag:x type:spec lang:python after:2025-06`.

Text that is not clearly a filter stays text: a URL, a C++ name, a drive, a time of day, and every `key:value` whose key
is not a property of any document.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import replace_surrogates
from waymeet.analysis.doc_types import normalise_doc_type
from waymeet.analysis.keys import property_key
from waymeet.analysis.languages import normalise_language
from waymeet.types import Filters

KINDS = ("docs", "code", "notes", "tasks", "skills", "files", "folders")
_FILTER = re.compile(
    r"(?<!\S)(?P<not>-)?(?P<key>[^\W\d_][\w-]+):(?:\"(?P<quoted>[^\"]+)\"|(?P<value>[^\s\":\\][^\s\"]*))(?!\S)"
)
_RESERVED = frozenset({"kind", "path", "tag", "type", "lang", "ns", "before", "after"})
_FIELDS = {
    "kind": "kinds",
    "path": "paths",
    "tag": "tags",
    "type": "doc_types",
    "lang": "languages",
    "ns": "namespaces",
}
"""Keys that take several values, with the field of `Filters` they set."""
_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?")
TIME_FORMAT = "A year, a month, a day (2025-06-30) or a time (2025-06-30T12:00:00Z), in UTC."
_INVALID_DATE = "a date is written as 2026, 2026-05 or 2026-05-31"
_INVALID_NEGATION = "only kind: can be negated"
_NO_VALUE = "\ufffd"
"""A value that no document has: the intersection of filters that exclude each other."""

DocumentsByKey = Callable[[Collection[str]], Mapping[str, Sequence[str]]]


class InlineFilters(Struct, frozen=True):
    """The filters of a query, and its text without them."""

    text: str
    filters: Filters = Filters()
    written: tuple[str, ...] = ()
    """The filters as written."""
    invalid: tuple[tuple[str, str], ...] = ()
    """Text that looks like a filter but is not valid, and the reason; it stays in the text."""


def parse_inline_filters(text: str, documents_by_key: DocumentsByKey) -> InlineFilters:
    """Parse the filters of a query.

    A key that is not reserved is a filter if documents have a property of this name.

    >>> found = parse_inline_filters("keys kind:code path:src/ http://a.b std::vector 10:30 note:this", lambda keys: {})
    >>> found.text, found.written
    ('keys http://a.b std::vector 10:30 note:this', ('kind:code', 'path:src/'))
    >>> found.filters.kinds, found.filters.paths
    (('code',), ('src/',))
    """
    matches = [match for match in _FILTER.finditer(text) if not (match["value"] or "").startswith("//")]
    other_keys = {match["key"] for match in matches} - _RESERVED
    properties = {key for key in other_keys if documents_by_key([property_key(key)])}
    filters, written, invalid, pieces, end = Filters(), [], [], [], 0
    for match in matches:
        key, is_negated = match["key"], bool(match["not"])
        value = match["quoted"] or match["value"]
        parsed = _parse_filter(key, value, documents_by_key, is_negated=is_negated, is_property=key in properties)
        if parsed is not None:
            filters = merge_filters(filters, parsed)
            written.append(match[0])
            pieces.append(text[end : match.start()])
            end = match.end()
        elif key in _RESERVED:
            invalid.append((match[0], _INVALID_NEGATION if is_negated else _INVALID_DATE))
    if not written:
        return InlineFilters(text, invalid=tuple(invalid))
    remaining = " ".join("".join((*pieces, text[end:])).split())
    return InlineFilters(remaining, filters, tuple(written), tuple(invalid))


def _parse_filter(
    key: str, value: str, documents_by_key: DocumentsByKey, *, is_negated: bool, is_property: bool
) -> Filters | None:
    """Parse one filter, or return None if it is not valid."""
    if is_negated:
        return Filters(without_kinds=tuple(map(parse_kind, _split_values(value)))) if key == "kind" else None
    if key in {"before", "after"}:
        return _parse_date_filter(key, value)
    if key == "path":
        return Filters(paths=(value.lstrip("/") or ".",))
    language = normalise_language(value) if key == "lang" else ""
    if language and documents_by_key([property_key(key)]):
        return Filters(properties=((key, language),))  # a natural language, not a programming language
    if key in _FIELDS:
        parse = {"kind": parse_kind, "type": normalise_doc_type, "lang": str.lower}.get(key, str)
        return replace(Filters(), **{_FIELDS[key]: tuple(map(parse, _split_values(value)))})
    return Filters(properties=tuple((key, each) for each in _split_values(value))) if is_property else None


def _parse_date_filter(key: str, value: str) -> Filters | None:
    start = parse_date(value)
    if start is None:
        return None
    return Filters(changed_before=start) if key == "before" else Filters(changed_from=start)


def _split_values(value: str) -> list[str]:
    return [each.strip() for each in value.split(",") if each.strip()] or [value]


def parse_kind(value: str) -> str:
    """Parse a kind, written in the singular or the plural.

    >>> parse_kind("Note"), parse_kind("code"), parse_kind("poem")
    ('notes', 'code', 'poem')
    """
    lower = value.lower()
    return f"{lower}s" if f"{lower}s" in KINDS else lower


def parse_date(value: str) -> int | None:
    """Parse a day, a month or a year to its start in UTC, in nanoseconds since 1970.

    >>> parse_date("1970-01-02"), parse_date("1971"), parse_date("lunch"), parse_date("2025-13")
    (86400000000000, 31536000000000000, None, None)
    """
    match = _DATE.fullmatch(value)
    if not match:
        return None
    try:
        day = datetime(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return max(int(day.timestamp()), 1) * 1_000_000_000


def parse_time(written: str) -> int | None:
    """Parse a date or a time to nanoseconds since 1970, or return None if it is neither.

    >>> [parse_time(written) for written in ("1970-01-02", "1970-01-02T00:00:01Z", "lunch")]
    [86400000000000, 86401000000000, None]
    """
    day = parse_date(written)
    if day is not None:
        return day
    try:
        moment = datetime.fromisoformat(written)
        return max(int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1_000_000), 1) * 1000
    except (ValueError, OverflowError):
        return None


def merge_filters(first: Filters, second: Filters) -> Filters:
    """Merge two filters of one query: values of a key are alternatives, dates narrow the range."""
    names = (*_FIELDS.values(), "properties", "without_kinds")
    return replace(
        first,
        changed_from=max(first.changed_from, second.changed_from),
        changed_before=_earlier(first.changed_before, second.changed_before),
        **{name: tuple(dict.fromkeys((*getattr(first, name), *getattr(second, name)))) for name in names},
    )


def narrow_filters(outer: Filters, inner: Filters) -> Filters:
    """Narrow the filters of a caller by those of a query, so that the result never passes more.

    >>> outer = Filters(kinds=("docs", "code"), paths=("src",))
    >>> narrow_filters(outer, Filters(kinds=("code",), paths=("src/a", "docs")))
    Filters(paths=('src/a',), kinds=('code',), doc_types=(), tags=(), languages=(), namespaces=(), properties=(), \
changed_from=0, changed_before=0, phrases=(), without=(), without_kinds=())
    """
    return replace(
        outer,
        paths=_intersect_paths(outer.paths, inner.paths),
        properties=_intersect_properties(outer.properties, inner.properties),
        changed_from=max(outer.changed_from, inner.changed_from),
        changed_before=_earlier(outer.changed_before, inner.changed_before),
        without_kinds=tuple(dict.fromkeys((*outer.without_kinds, *inner.without_kinds))),
        **{
            name: _intersect_values(getattr(outer, name), getattr(inner, name))
            for name in ("kinds", "doc_types", "tags", "languages", "namespaces")
        },
    )


def _earlier(one: int, other: int) -> int:
    """Give the earlier of two times, of which 0 is none."""
    return min(one, other) if one and other else one or other


def _intersect_values(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    if not one or not other:
        return one or other
    return tuple(each for each in one if each in other) or (_NO_VALUE,)


def _intersect_paths(outer: tuple[str, ...], inner: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the paths of either list that are equal to or below a path of the other."""
    if not outer or not inner:
        return outer or inner
    outer_paths, inner_paths = ([path.removeprefix("./").rstrip("/") for path in paths] for paths in (outer, inner))
    if "" in outer_paths or "." in outer_paths:
        return inner
    if "" in inner_paths or "." in inner_paths:
        return outer
    paths = [one for one in outer_paths if any(one == other or one.startswith(f"{other}/") for other in inner_paths)]
    paths += [one for one in inner_paths if any(one.startswith(f"{other}/") for other in outer_paths)]
    return tuple(dict.fromkeys(paths)) or (_NO_VALUE,)


def _intersect_properties(
    outer: tuple[tuple[str, str], ...], inner: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """Keep the values of a key that both sides have, and all values of a key of one side."""
    shared_keys = {key for key, _ in outer} & {key for key, _ in inner}
    single = [pair for pair in (*outer, *inner) if pair[0] not in shared_keys]
    shared = {
        key: [pair for pair in outer if pair[0] == key and pair in inner] or [(key, _NO_VALUE)] for key in shared_keys
    }
    return (*single, *(pair for key in sorted(shared_keys) for pair in shared[key]))


def clean_filters(filters: Filters) -> Filters:
    """Replace lone surrogates in the values of a caller's filters."""
    names = ("paths", "kinds", "doc_types", "tags", "languages", "namespaces")
    values = {name: tuple(map(replace_surrogates, getattr(filters, name))) for name in names}
    pairs = tuple((replace_surrogates(key), replace_surrogates(value)) for key, value in filters.properties)
    return replace(filters, properties=pairs, **values)
