"""The page that explains why a document is not among the results."""

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.pages.fields import read_state
from waymeet.interfaces.web.pages.search import list_recipes

WHY_NOT = "/why-not"


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
    }
    return respond("why_not.html", values)
