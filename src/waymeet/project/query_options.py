"""Queries of the library: keyword arguments, checked and converted."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypedDict

from msgspec.structs import replace

from waymeet.analysis import replace_surrogates
from waymeet.analysis.doc_types import normalise_doc_type
from waymeet.errors import UnknownOptionError, UsageError
from waymeet.paths import relative_to_root
from waymeet.ports import Store
from waymeet.recipes import check_mode, find_recipe
from waymeet.search.understand.inline_filters import KINDS, TIME_FORMAT, clean_filters, parse_kind, parse_time
from waymeet.search.understand.query import refuse_exclusions_alone
from waymeet.settings import CustomRecipe
from waymeet.types import Filters, Query, Variant

Texts = str | Iterable[str]
"""One text, or several."""
Time = str | date
"""A date or time, or its text such as `2025-06`."""


class QueryOptions(TypedDict, total=False):
    """Keyword arguments of a search: fields of a query and of its filters."""

    limit: int
    recipe: str
    mode: str
    explain: bool
    depth: int | None
    link_types: Texts
    intent: str
    variants: Iterable[Variant]
    expand: bool
    include_linked: bool
    facets: bool
    filters: Filters
    """Filters; the arguments below replace single ones."""
    paths: Texts
    kinds: Texts
    doc_types: Texts
    tags: Texts
    languages: Texts
    namespaces: Texts
    properties: Mapping[str, Texts] | Iterable[tuple[str, str]]
    changed_after: Time
    changed_before: Time


OPTION_NAMES = frozenset(QueryOptions.__annotations__)


def check_option_names(names: Iterable[str]) -> None:
    """Check that a search has keyword arguments of these names.

    Raises:
        UnknownOptionError: it does not.
    """
    known = list(QueryOptions.__annotations__)
    for name in names:
        if name not in OPTION_NAMES:
            close = get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"Did you mean {close[0]}?" if close else f"Options: {', '.join(known)}."
            raise UnknownOptionError(f"A search has no option {name!r}.", hint)


def make_query(root: Path, limit: int, query: str | Query, options: Mapping[str, Any]) -> Query:
    """Make a query from a text or another query, with keyword arguments taking precedence.

    Raises:
        UnknownOptionError: there is no argument of this name.
        UsageError: a value is invalid.
    """
    check_option_names(options)
    query = Query(query, limit=limit) if isinstance(query, str) else query
    query = replace(query, text=replace_surrogates(query.text))
    if not options:
        return replace(query, filters=clean_filters(query.filters))
    if not isinstance(options.get("limit", 1), int) or options.get("limit", 1) < 1:
        raise UsageError(f"limit is {options['limit']!r}.", "Give a whole number from 1 on.")
    fields = {name: value for name, value in options.items() if name in Query.__struct_fields__}
    fields |= {name: tuple(_list_texts(fields[name])) for name in ("link_types",) if name in fields}
    fields |= {name: tuple(fields[name]) for name in ("variants",) if name in fields}
    filters = dict(_convert_filters(root, options))
    merged = replace(fields.get("filters", query.filters), **filters)
    return replace(query, **{**fields, "filters": clean_filters(merged)})


def check_query(query: Query, own_recipes: Mapping[str, CustomRecipe], store: Store) -> None:
    """Check that the recipe has the mode, and that the query has something to search for.

    Raises:
        UsageError: it does not.
    """
    check_mode(find_recipe(query.recipe, own_recipes), query.mode, own_recipes)
    refuse_exclusions_alone(query.text, store.documents_by_key)


def _convert_filters(root: Path, options: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Yield the fields of the filters that the arguments set."""
    convert: dict[str, Callable[[str], str]] = {
        "paths": lambda path: relative_to_root(root, path),
        "kinds": _check_kind,
        "doc_types": normalise_doc_type,
        "tags": str,
        "languages": str.lower,
        "namespaces": str,
    }
    for name, convert_value in convert.items():
        if name in options:
            yield name, tuple(map(convert_value, _list_texts(options[name])))
    if "properties" in options:
        yield "properties", tuple(_list_pairs(options["properties"]))
    for name, field in (("changed_after", "changed_from"), ("changed_before", "changed_before")):
        if name in options:
            yield field, _to_nanoseconds(name, options[name])


def _list_texts(value: Texts) -> list[str]:
    """List the texts of an argument that may be a single one.

    >>> _list_texts("docs"), _list_texts(["docs", "code"])
    (['docs'], ['docs', 'code'])
    """
    return [value] if isinstance(value, str) else list(value)


def _check_kind(kind: str) -> str:
    """Return a kind in the plural, if there is one of this name."""
    parsed = parse_kind(kind)
    if parsed in KINDS:
        return parsed
    close = get_close_matches(parsed, KINDS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"Kinds: {', '.join(KINDS)}."
    raise UsageError(f"There is no kind {kind!r}.", hint)


def _list_pairs(properties: Mapping[str, Texts] | Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Yield pairs of key and value.

    >>> list(_list_pairs({"status": ["draft", "accepted"], "lang": "ja"}))
    [('status', 'draft'), ('status', 'accepted'), ('lang', 'ja')]
    """
    if isinstance(properties, Mapping):
        yield from ((key, value) for key, values in properties.items() for value in _list_texts(values))
    else:
        yield from ((key, value) for key, value in properties)


def _to_nanoseconds(name: str, value: Time) -> int:
    """Convert a time to nanoseconds since 1970.

    >>> _to_nanoseconds("changed_after", date(1970, 1, 2)), _to_nanoseconds("changed_after", "1970-01-02")
    (86400000000000, 86400000000000)
    """
    written = value.isoformat() if isinstance(value, date | datetime) else value
    time = parse_time(written)
    if time is None:
        raise UsageError(f"{name}: {written!r} is not a time.", TIME_FORMAT)
    return time
