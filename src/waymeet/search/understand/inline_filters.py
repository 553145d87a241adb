"""Filters that a query states itself: `kind:code path:src/ tag:x type:spec lang:python ns:billing after:2025-06`.

Whatever is not clearly a filter stays text: an address, a C++ name, a drive, a time of day, and every `key:value` whose
key is no property of any document.
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
_ASKED = re.compile(
    r"(?<!\S)(?P<not>-)?(?P<key>[^\W\d_][\w-]+):(?:\"(?P<quoted>[^\"]+)\"|(?P<value>[^\s\":\\][^\s\"]*))(?!\S)"
)
_RESERVED = frozenset({"kind", "path", "tag", "type", "lang", "ns", "before", "after"})
_SEVERAL = {
    "kind": "kinds",
    "path": "paths",
    "tag": "tags",
    "type": "doc_types",
    "lang": "languages",
    "ns": "namespaces",
}
_DATE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?)?")
_NO_DATE = "a date is written as 2026, 2026-05 or 2026-05-31"
_NOTHING = "\ufffd"
"""A value that nothing has: what two filters that exclude each other come to."""

Named = Callable[[Collection[str]], Mapping[str, Sequence[str]]]


class Asked(Struct, frozen=True):
    """A query's text without its filters, the filters, and how each was written."""

    text: str
    filters: Filters = Filters()
    written: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    """What looks like a filter and is none, and why not: it stays text."""


def asked(text: str, named: Named) -> Asked:
    """Take the filters out of a query; `named` says which documents carry a name.

    >>> found = asked("rotate keys kind:code path:src/ http://a.b std::vector 10:30 note:this", lambda keys: {})
    >>> found.text, found.written
    ('rotate keys http://a.b std::vector 10:30 note:this', ('kind:code', 'path:src/'))
    >>> found.filters.kinds, found.filters.paths
    (('code',), ('src/',))
    """
    matches = [each for each in _ASKED.finditer(text) if not (each["value"] or "").startswith("//")]
    others = {each["key"] for each in matches} - _RESERVED
    known = {key for key in others if named([property_key(key)])} if others else set()
    filters, written, unread, rest, at = Filters(), [], [], [], 0
    for each in matches:
        value = each["quoted"] or each["value"]
        told = _stated(each["key"], value, named, denied=bool(each["not"]), known=each["key"] in known)
        if told is not None:
            filters = joined(filters, told)
            written.append(each[0])
            rest.append(text[at : each.start()])
            at = each.end()
        elif each["key"] in _RESERVED:
            unread.append((each[0], "only a kind can be left out so" if each["not"] else _NO_DATE))
    if not written:
        return Asked(text, unread=tuple(unread))
    return Asked(" ".join("".join((*rest, text[at:])).split()), filters, tuple(written), tuple(unread))


def _stated(key: str, value: str, named: Named, *, denied: bool, known: bool) -> Filters | None:
    """Read one filter; None if it is none."""
    if denied:
        return Filters(without_kinds=tuple(map(_kind, _listed(value)))) if key == "kind" else None
    if key in {"before", "after"}:
        return _dated(key, value)
    if key == "path":
        return Filters(paths=(value.lstrip("/") or ".",))
    if key == "lang" and normalise_language(value) and named([property_key(key)]):
        return Filters(
            properties=((key, normalise_language(value)),)
        )  # a language that people speak, not one of programs
    if key in _SEVERAL:
        form = {"kind": _kind, "type": normalise_doc_type, "lang": str.lower}.get(key, str)
        return replace(Filters(), **{_SEVERAL[key]: tuple(map(form, _listed(value)))})
    return Filters(properties=tuple((key, each) for each in _listed(value))) if known else None


def _dated(key: str, value: str) -> Filters | None:
    begins = parse_date(value)
    if begins is None:
        return None
    return Filters(changed_before=begins) if key == "before" else Filters(changed_from=begins)


def _listed(value: str) -> list[str]:
    return [each.strip() for each in value.split(",") if each.strip()] or [value]


def _kind(value: str) -> str:
    """Read a kind, be it written as one or as many.

    >>> _kind("Note"), _kind("code"), _kind("poem")
    ('notes', 'code', 'poem')
    """
    lower = value.lower()
    return f"{lower}s" if f"{lower}s" in KINDS else lower


def parse_date(value: str) -> int | None:
    """Read a day, a month or a year as the moment it begins, by universal time, in nanoseconds since 1970.

    >>> parse_date("1970-01-02"), parse_date("1971"), parse_date("lunch"), parse_date("2025-13")
    (86400000000000, 31536000000000000, None, None)
    """
    found = _DATE.fullmatch(value)
    if not found:
        return None
    try:
        day = datetime(int(found["year"]), int(found["month"] or 1), int(found["day"] or 1), tzinfo=UTC)
    except ValueError:
        return None
    return max(int(day.timestamp()), 1) * 1_000_000_000


def joined(first: Filters, second: Filters) -> Filters:
    """Let what stands in the same query add up: values of one filter are alternatives, bounds get narrower."""
    several = (*_SEVERAL.values(), "properties", "without_kinds")
    return replace(
        first,
        changed_from=max(first.changed_from, second.changed_from),
        changed_before=_earlier(first.changed_before, second.changed_before),
        **{name: tuple(dict.fromkeys((*getattr(first, name), *getattr(second, name)))) for name in several},
    )


def narrowed(given: Filters, query: Filters) -> Filters:
    """Lay the filters of a query over those of its caller: never does it let through what the caller leaves out.

    >>> narrowed(Filters(kinds=("docs", "code"), paths=("src",)), Filters(kinds=("code",), paths=("src/a", "docs")))
    Filters(paths=('src/a',), kinds=('code',), doc_types=(), tags=(), languages=(), namespaces=(), properties=(), \
changed_from=0, changed_before=0, phrases=(), without=(), without_kinds=())
    """
    return replace(
        given,
        paths=_below(given.paths, query.paths),
        properties=_agreed(given.properties, query.properties),
        changed_from=max(given.changed_from, query.changed_from),
        changed_before=_earlier(given.changed_before, query.changed_before),
        without_kinds=tuple(dict.fromkeys((*given.without_kinds, *query.without_kinds))),
        **{
            name: _both(getattr(given, name), getattr(query, name))
            for name in ("kinds", "doc_types", "tags", "languages", "namespaces")
        },
    )


def _earlier(one: int, other: int) -> int:
    return min(one, other) if one and other else one or other


def _both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    if not one or not other:
        return one or other
    return tuple(each for each in one if each in other) or (_NOTHING,)


def _below(given: tuple[str, ...], query: tuple[str, ...]) -> tuple[str, ...]:
    """Keep of two lists of places those that lie in a place of the other."""
    if not given or not query:
        return given or query
    trimmed = [[path.removeprefix("./").rstrip("/") for path in paths] for paths in (given, query)]
    if "" in trimmed[0] or "." in trimmed[0]:
        return query
    if "" in trimmed[1] or "." in trimmed[1]:
        return given
    kept = [one for one in trimmed[0] if any(one == other or one.startswith(f"{other}/") for other in trimmed[1])]
    kept += [one for one in trimmed[1] if any(one.startswith(f"{other}/") for other in trimmed[0])]
    return tuple(dict.fromkeys(kept)) or (_NOTHING,)


def _agreed(given: tuple[tuple[str, str], ...], query: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Let values of one property count only if both sides name them, where both name any."""
    keys = {key for key, _ in given} & {key for key, _ in query}
    alone = [pair for pair in (*given, *query) if pair[0] not in keys]
    shared = {key: [pair for pair in given if pair[0] == key and pair in query] or [(key, _NOTHING)] for key in keys}
    return (*alone, *(pair for key in sorted(keys) for pair in shared[key]))


def clean_filters(filters: Filters) -> Filters:
    """Replace halves of characters in what a caller filters by."""
    names = ("paths", "kinds", "doc_types", "tags", "languages", "namespaces")
    values = {name: tuple(map(replace_surrogates, getattr(filters, name))) for name in names}
    pairs = tuple((replace_surrogates(key), replace_surrogates(value)) for key, value in filters.properties)
    return replace(filters, properties=pairs, **values)
