"""The search over all projects: results of every project, each of which opens in its own."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.interfaces.web.frame import ALL, FRAME, ProjectLink
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.newest_search import NEWEST
from waymeet.interfaces.web.pages.fields import FILTERS, PROJECT, SearchState, read_state
from waymeet.interfaces.web.pages.search import ShownFacet, ShownHit, show_answer, show_hit
from waymeet.interfaces.web.signals import build_bar
from waymeet.interfaces.web.suggestions import has_words
from waymeet.project.registered.registry import ALL as ALL_NAMES
from waymeet.project.registered.registry import split_project_name
from waymeet.recipes import RECIPES
from waymeet.types import Explanation, Hit

RESULTS = f"{ALL}/results"
_MAX_PROJECTS = 15
"""Projects that the column of filters lists; the switcher has all."""

SearchProjects = Callable[[dict[str, Any]], Awaitable[SearchAnswer]]
"""Answers the fields of a search request from the projects that it names, with secrets masked."""
Mask = Callable[[Any], Any]


async def show_all_projects(search: SearchProjects, mask: Mask, request: Request) -> Response:
    """Show the form of the search over all projects, with results if there is a query."""
    return respond("search.html", {**await _search(search, mask, request), "has_trees": True})


async def show_all_results(search: SearchProjects, mask: Mask, request: Request) -> Response:
    """Show the results alone, for the script that searches while a query is typed."""
    with NEWEST.replace(request):
        return respond("results.html", {**await _search(search, mask, request), "has_trees": False})


async def _search(search: SearchProjects, mask: Mask, request: Request) -> dict[str, Any]:
    state = read_state(request, (PROJECT, *FILTERS))._replace(path=ALL)
    shown: SearchState = mask(state)
    values = {
        "state": shown,
        "query": shown.query,
        "recipes": [name for name in RECIPES if name != "skills_recall"],
        "project": "all projects",
        "results_url": RESULTS,
        "completions": None,
        "answer": None,
    }
    if not state.query:
        return values
    projects = state.values(PROJECT) or [ALL_NAMES]
    answer = await search({**state.request(), "projects": projects, "explain": True, "facets": True})
    links = {project.name: project for project in FRAME.get().projects}
    surrounding = show_answer(answer, shown)
    surrounding["facets"] = [*_project_facet(answer, shown), *surrounding["facets"]]
    hits = [_show_hit(hit, links) for hit in answer.hits]
    return {**values, **surrounding, "hits": hits, "has_words": has_words(state.query)}


def _show_hit(hit: Hit, links: dict[str, ProjectLink]) -> ShownHit:
    """Prepare a hit of a project for a template."""
    plain = replace(
        hit,
        id=_plain(hit.id),
        document=_plain(hit.document),
        translations=tuple(replace(each, document=_plain(each.document)) for each in hit.translations),
    )
    link = links.get(hit.project)
    shown = show_hit(plain)._replace(project=hit.project, prefix=link.url.rstrip("/") if link else "")
    own = _find_own_score(hit.explanation)
    return shown._replace(bar=build_bar(own)) if own else shown


def _find_own_score(explanation: Explanation | None) -> Explanation | None:
    """Find the score of a hit within its project, whose signals the bar shows."""
    parts = explanation.parts[-1].parts if explanation and explanation.parts else ()
    return parts[-1] if parts else None


def _plain(id_: str) -> str:
    return split_project_name(id_)[1]


def _project_facet(answer: SearchAnswer, state: SearchState) -> Iterator[ShownFacet]:
    """List the projects to search in, those that are chosen or have a hit first."""
    chosen = state.values(PROJECT)
    found = dict.fromkeys([*chosen, *(hit.project for hit in answer.hits)])
    names = list(dict.fromkeys([*found, *(project.name for project in FRAME.get().projects)]))
    if len(names) > 1:
        values = ((name, None, state.toggle(PROJECT, name).url(), name in chosen) for name in names[:_MAX_PROJECTS])
        yield ShownFacet(PROJECT, tuple(values))
