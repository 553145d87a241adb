"""The lists of notes, tasks and skills, with their filters."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.requests.operations.items import ItemAnswer, ItemsAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.html import link
from waymeet.interfaces.web.items.fields import field_list, field_text
from waymeet.interfaces.web.items.response import respond_with_session
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.notebook.fields import PRIORITIES, STATUSES

MAX_ITEMS = 10_000
_MAX_TAGS = 30
PAGE_ITEMS = 200
"""Items of one page."""


class Filters(NamedTuple):
    """The filters of a list, as an address has them."""

    find: str = ""
    tag: str = ""
    status: str = ""
    priority: str = ""
    assignee: str = ""

    def url(self, path: str, **more: Any) -> str:  # noqa: ANN401 - values of a query string
        """Give the address of the list with these filters."""
        return link(page_url(path), **self._asdict(), **more)

    def request(self) -> dict[str, Any]:
        """Give the fields of the request that these filters make."""
        pairs = {"priority": self.priority, "assignee": self.assignee}
        return {
            "tags": [self.tag] if self.tag else [],
            "statuses": [self.status] if self.status in STATUSES else [],
            "properties": [f"{name}={value}" for name, value in pairs.items() if value],
        }


class Choice(NamedTuple):
    """A value that a list can be filtered by."""

    value: str
    number: int
    url: str
    is_chosen: bool


def read_filters(parameters: Mapping[str, str]) -> Filters:
    """Read the filters from the parameters of an address."""
    return Filters(*(parameters.get(name, "").strip() for name in Filters._fields))


async def load_items(asker: Asker, kind: str, filters: Filters) -> tuple[list[ItemAnswer], int]:
    """Load the items of a list, and count those without its filters."""
    whole: ItemsAnswer = await asker.ask("entries", kind=kind, limit=MAX_ITEMS)
    if filters == Filters():
        return list(whole.items), whole.total
    chosen: ItemsAnswer = await asker.ask("entries", kind=kind, limit=MAX_ITEMS, **filters.request())
    words = filters.find.casefold().split()
    return [item for item in chosen.items if _has_words(item, words)], whole.total


async def show_notes(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """List the notes."""
    return await _show_list(asker, request, visitor, "notes")


async def show_skills(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """List the skills."""
    return await _show_list(asker, request, visitor, "skills")


async def show_task_list(asker: Asker, request: Request, visitor: Visitor) -> Response:
    """List the tasks, the most urgent first."""
    return await _show_list(asker, request, visitor, "tasks")


async def _show_list(asker: Asker, request: Request, visitor: Visitor, kind: str) -> Response:
    filters = read_filters(request.query_params)
    items, total = await load_items(asker, kind, filters)
    shown = asker.mask(filters)
    path = request.url.path
    values = {
        "kind": kind,
        "items": items[:PAGE_ITEMS],
        "found": len(items),
        "total": total,
        "filters": shown,
        "tags": choose_tags(items, shown, path),
        "path": path,
        "priorities": PRIORITIES,
    }
    return respond_with_session("items.html", values, visitor)


def choose_tags(items: Iterable[ItemAnswer], filters: Filters, path: str) -> list[Choice]:
    """List the most frequent tags of items, with the addresses that choose or remove each."""
    counts = Counter(tag for item in items for tag in field_list(item, "tags"))
    if filters.tag and filters.tag not in counts:
        counts[filters.tag] = 0
    chosen = filters.tag.casefold()
    return [
        Choice(
            tag,
            count,
            filters._replace(tag="" if tag.casefold() == chosen else tag).url(path),
            tag.casefold() == chosen,
        )
        for tag, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_MAX_TAGS]
    ]


def _has_words(item: ItemAnswer, words: Iterable[str]) -> bool:
    """Tell whether the title, tags or description of an item contain all words."""
    text = " ".join((item.title, item.name, field_text(item, "description"), *field_list(item, "tags"))).casefold()
    return all(word in text for word in words)
