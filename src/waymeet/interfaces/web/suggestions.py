"""Suggestions for a filter that is being typed at the end of a query, such as `kind:co`."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from waymeet.interfaces.requests.operations.search import FiltersAnswer
from waymeet.interfaces.web.pages.fields import SearchState

ListFilters = Callable[[dict[str, Any]], Awaitable[FiltersAnswer]]
"""Answers the fields of a request for the values of filters, with secrets masked."""
_MAX_VALUES = 10
_FILTERS = {"kind": "kind", "path": "folder", "folder": "folder", "tag": "tag", "lang": "language", "type": "type"}
"""Keys that a person types, and the names of the filters."""
_WRITTEN = {"folder": "path"}
"""Keys that are written in another way in a query."""
_LAST = re.compile(r'(?:^|(?<=\s))(?P<key>kind|path|folder|tag|lang|type):"?(?P<value>[^\s":]*)$', re.IGNORECASE)

_COMPLETE = re.compile(
    r'(?:^|(?<=\s))-?(?:kind|path|tag|lang|type|ns|before|after):(?:"[^"]*"|[^\s":]\S*)(?=\s|$)', re.IGNORECASE
)


class Unfinished(NamedTuple):
    """A filter at the end of a query, whose value may be incomplete."""

    query: str
    """The text before it."""
    key: str
    value: str


class Suggestion(NamedTuple):
    """A value that completes a filter."""

    written: str
    documents: int
    url: str


class Suggestions(NamedTuple):
    """The values for a filter."""

    key: str
    values: tuple[Suggestion, ...]


def find_unfinished(query: str) -> Unfinished | None:
    """Find the filter at the end of a query.

    >>> find_unfinished("berth kind:co"), find_unfinished("Tag:")
    (Unfinished(query='berth', key='kind', value='co'), Unfinished(query='', key='tag', value=''))
    >>> find_unfinished("kind:code berth"), find_unfinished("std::kind"), find_unfinished("kind")
    (None, None, None)
    """
    match = _LAST.search(query)
    return Unfinished(query[: match.start()].rstrip(), match["key"].lower(), match["value"]) if match else None


def drop_unfinished(query: str) -> str:
    """Give a query without the filter at its end.

    >>> drop_unfinished("berth kind:co"), drop_unfinished("kind:code berth")
    ('berth', 'kind:code berth')
    """
    unfinished = find_unfinished(query)
    return unfinished.query if unfinished else query


def has_words(query: str) -> bool:
    """Return whether a query has more than filters.

    >>> has_words("kind:code"), has_words('tag:"a b" lang:ja'), has_words("kind:code berth"), has_words("std::x")
    (False, False, True, True)
    """
    return bool(_COMPLETE.sub(" ", query).strip())


async def suggest_filters(list_filters: ListFilters, state: SearchState) -> Suggestions | None:
    """Suggest values for the filter at the end of a query, or None if it needs none."""
    unfinished = find_unfinished(state.query)
    if unfinished is None:
        return None
    name = _FILTERS[unfinished.key]
    answer = await list_filters({"name": name, "prefix": unfinished.value, "limit": _MAX_VALUES + 1})
    values = [value for value in answer.filters[0].values if '"' not in value.value] if answer.filters else []
    if not values or any(value.value.casefold() == unfinished.value.casefold() for value in values):
        return None
    key = _WRITTEN.get(unfinished.key, unfinished.key)
    found = []
    for value in values[:_MAX_VALUES]:
        written = f'{key}:"{value.value}"' if re.search(r"\s", value.value) else f"{key}:{value.value}"
        query = f"{unfinished.query} {written} ".lstrip()
        found.append(Suggestion(written, value.count, state._replace(query=query, limit=0).url()))
    return Suggestions(unfinished.key, tuple(found))
