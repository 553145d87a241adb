"""The comparison page: the same query by two recipes, side by side."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import page_url
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.pages.fields import SearchState, read_state
from waymeet.interfaces.web.pages.search import ShownHit, list_recipes, show_hit
from waymeet.types import Hit

COMPARE = "/compare"


class RankLine(NamedTuple):
    """A line between the places of one hit in two lists, in percent of their height."""

    start: float
    end: float


async def show_comparison(asker: Asker, request: Request) -> Response:
    """Show the results of two recipes, with lines between equal hits."""
    state, names = read_state(request), read_names(request)
    values = {
        **asker.mask({"state": state, "query": state.query, "names": names}),
        **await compare_recipes(lambda fields: asker.ask("search", **fields), state, names, show_hit),
        "recipes": list_recipes(asker),
        "compare_url": page_url(COMPARE),
    }
    return respond("compare.html", values)


def read_names(request: Request) -> tuple[str, str]:
    """Read the names of the two recipes from the query string of a request."""
    return request.query_params.get("recipe", "").strip() or "auto", request.query_params.get("with", "") or "classic"


async def compare_recipes(
    search: Callable[[dict[str, Any]], Awaitable[SearchAnswer]],
    state: SearchState,
    names: Sequence[str],
    show: Callable[[Hit], ShownHit],
) -> dict[str, Any]:
    """Search by two recipes, and prepare both lists for a template."""
    if not state.query:
        return {"columns": [], "lines": []}
    answers = [await search({**state._replace(recipe=name).request(), "explain": True}) for name in names]
    places = [_places(answer) for answer in answers]
    columns = [
        (answer, [(show(hit), others.get(hit.id)) for hit in answer.hits])
        for answer, others in zip(answers, reversed(places), strict=True)
    ]
    return {"columns": columns, "lines": list(_lines(answers[0].hits, places[1], max(map(len, places))))}


def _places(answer: SearchAnswer) -> dict[str, int]:
    return {hit.id: rank for rank, hit in enumerate(answer.hits, start=1)}


def _lines(hits: Sequence[Hit], places: dict[str, int], rows: int) -> Iterator[RankLine]:
    """Connect the middle of a row with that of the same hit in the other list."""
    for rank, hit in enumerate(hits, start=1):
        if hit.id in places:
            yield RankLine((rank - 0.5) / rows * 100, (places[hit.id] - 0.5) / rows * 100)
