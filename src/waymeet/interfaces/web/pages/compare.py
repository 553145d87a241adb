"""The comparison page: the same query by two recipes, side by side."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.pages.fields import read_state
from waymeet.interfaces.web.pages.search import list_recipes, show_hit
from waymeet.types import Hit


class RankLine(NamedTuple):
    """A line between the places of one hit in two lists, in percent of their height."""

    start: float
    end: float


async def show_comparison(asker: Asker, request: Request) -> Response:
    """Show the results of two recipes, with lines between equal hits."""
    state = read_state(request)
    names = (state.recipe or "auto", request.query_params.get("with", "") or "classic")
    columns, lines = [], list[RankLine]()
    if state.query:
        answers = [await asker.ask("search", **state._replace(recipe=name).request(), explain=True) for name in names]
        places = [_places(answer) for answer in answers]
        columns = [
            (answer, [(show_hit(hit), others.get(hit.id)) for hit in answer.hits])
            for answer, others in zip(answers, reversed(places), strict=True)
        ]
        lines = list(_lines(answers[0].hits, places[1], max(map(len, places))))
    values = {
        "state": asker.mask(state),
        "query": asker.mask(state.query),
        "recipes": list_recipes(asker),
        "names": asker.mask(names),
        "columns": columns,
        "lines": lines,
    }
    return respond("compare.html", values)


def _places(answer: SearchAnswer) -> dict[str, int]:
    return {hit.id: rank for rank, hit in enumerate(answer.hits, start=1)}


def _lines(hits: Sequence[Hit], places: dict[str, int], rows: int) -> Iterator[RankLine]:
    """Connect the middle of a row with that of the same hit in the other list."""
    for rank, hit in enumerate(hits, start=1):
        if hit.id in places:
            yield RankLine((rank - 0.5) / rows * 100, (places[hit.id] - 0.5) / rows * 100)
