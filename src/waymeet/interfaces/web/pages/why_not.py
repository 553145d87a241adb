"""The page that explains why a document is not among the results."""

import re
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.pages.fields import LIMITS, SearchState, read_state
from waymeet.interfaces.web.pages.search import list_recipes

WHY_NOT = "/why-not"
_OPTION = re.compile(r"--(?P<name>limit|recipe) (?P<value>\S+): (?P<effect>.*)")
"""A change as an option of the command line."""


class Change(NamedTuple):
    """A change of the search that would include a document."""

    text: str
    url: str = ""
    """The search with this change, if an address can name it."""


async def show_why_not(asker: Asker, request: Request) -> Response:
    """Show the stage that lost a document, and what would include it."""
    state, document = read_state(request), request.query_params.get("id", "").strip()
    report = None
    if state.query and document:
        report = await asker.ask("why_not", query=state.query, id=document, recipe=state.recipe)
    values = {
        "state": asker.mask(state),
        "query": asker.mask(state.query),
        "document": asker.mask(document),
        "recipes": list_recipes(asker),
        "report": report,
        "changes": [show_change(change, asker.mask(state)) for change in report.changes] if report else [],
    }
    return respond("why_not.html", values)


def show_change(change: str, state: SearchState) -> Change:
    """Write a change for the page, where options of the command line are addresses.

    >>> show_change("--limit 71: it is then the last one shown", SearchState("tides"))
    Change(text='Show 71 results: it is then the last one shown', url='/?q=tides&n=71')
    >>> show_change("--recipe classic: it is then #3", SearchState("tides"))
    Change(text='Rank by classic: it is then #3', url='/?q=tides&recipe=classic')
    >>> show_change("add “port”, a word of its title: it is then #1", SearchState("tides"))
    Change(text='add “port”, a word of its title: it is then #1', url='')
    """
    option = _OPTION.fullmatch(change)
    if not option:
        return Change(change)
    name, value, effect = option.groups()
    if name == "recipe":
        return Change(f"Rank by {value}: {effect}", state._replace(recipe=value).url())
    url = state._replace(limit=int(value)).url() if int(value) <= LIMITS[-1] else ""
    return Change(f"Show {value} results: {effect}", url)
