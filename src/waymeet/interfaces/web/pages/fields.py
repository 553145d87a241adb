"""The query string of the pages: the state of a search."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from starlette.requests import Request

from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.html import link

FILTERS = {"kind": "kinds", "in": "paths", "tag": "tags", "language": "languages", "type": "doc_types"}
"""Names in an address, and the fields of a search request."""
PROJECT = "project"
"""Name of the filter by project, in the search over all of them."""
FACETS = {"kind": "kind", "folder": "in", "tag": "tag", "language": "language", "type": "type"}
"""Names of facets, and of their filters in an address."""
LIMITS = (10, 30, 100)


class SearchState(NamedTuple):
    """A search as an address has it."""

    query: str = ""
    recipe: str = ""
    limit: int = 0
    filters: tuple[tuple[str, str], ...] = ()
    """Names in the address and values."""
    path: str = "/"
    """Of the page that shows it."""

    def url(self, path: str = "", **more: Any) -> str:  # noqa: ANN401 - values of a query string
        """Give the address of this search."""
        lists = {name: self.values(name) for name in (*FILTERS, PROJECT)}
        return link(page_url(path or self.path), q=self.query, recipe=self.recipe, n=self.limit, **lists, **more)

    def values(self, name: str) -> list[str]:
        """List the values of a filter."""
        return [value for own, value in self.filters if own == name]

    def toggle(self, name: str, value: str) -> "SearchState":
        """Add a filter, or remove it."""
        kept = tuple(pair for pair in self.filters if pair != (name, value))
        return self._replace(filters=kept if len(kept) < len(self.filters) else (*kept, (name, value)), limit=0)

    def without_filters(self) -> "SearchState":
        """Remove all filters."""
        return self._replace(filters=())

    def request(self) -> dict[str, Any]:
        """Give the fields of the search request."""
        lists = {field: self.values(name) for name, field in FILTERS.items()}
        return {"query": self.query, "recipe": self.recipe, "limit": self.limit or LIMITS[0], **lists}


def read_state(request: Request, filters: Iterable[str] = tuple(FILTERS)) -> SearchState:
    """Read a search from the query string of a request, with the filters of these names."""
    fields = request.query_params
    limit = fields.get("n", "")
    return SearchState(
        query=fields.get("q", "").strip(),
        recipe=fields.get("recipe", "").strip(),
        limit=int(limit) if limit.isascii() and limit.isdecimal() and 0 < int(limit) <= LIMITS[-1] else 0,
        filters=tuple(_unique((name, value) for name in filters for value in fields.getlist(name) if value)),
    )


def _unique(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return dict.fromkeys(pairs)
