"""The search over all projects: results of every project, each of which opens in its own."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.interfaces.web.frame import ALL, FRAME, ProjectLink
from waymeet.interfaces.web.html import link, respond
from waymeet.interfaces.web.newest_search import NEWEST
from waymeet.interfaces.web.pages import compare
from waymeet.interfaces.web.pages.fields import FILTERS, PROJECT, SearchState, read_state
from waymeet.interfaces.web.pages.search import ShownFacet, ShownHit, show_answer, show_hit
from waymeet.interfaces.web.pages.why_not import WHY_NOT
from waymeet.interfaces.web.signals import build_bar
from waymeet.interfaces.web.suggestions import ListFilters, drop_unfinished, has_words, suggest_filters
from waymeet.project.registered.registry import ALL as ALL_NAMES
from waymeet.project.registered.registry import split_project_name
from waymeet.recipes import RECIPES
from waymeet.types import Explanation, Hit

RESULTS, COMPARE = f"{ALL}/results", f"{ALL}{compare.COMPARE}"
_MAX_PROJECTS = 15
"""Projects that the column of filters lists; the switcher has all."""
_RECIPES = tuple(name for name in RECIPES if name != "skills_recall")


class AllProjects(NamedTuple):
    """What the pages over all projects get from a server."""

    search: Callable[[dict[str, Any]], Awaitable[SearchAnswer]]
    """Answers the fields of a search request from the projects that it names, with secrets masked."""
    list_filters: ListFilters
    mask: Callable[[Any], Any]


Page = Callable[[AllProjects, Request], Awaitable[Response]]


async def show_all_projects(source: AllProjects, request: Request) -> Response:
    """Show the form of the search over all projects, with results if there is a query."""
    return respond("search.html", {**await _search(source, request), "has_trees": True})


async def show_all_results(source: AllProjects, request: Request) -> Response:
    """Show the results alone, for the script that searches while a query is typed."""
    with NEWEST.replace(request):
        return respond("results.html", {**await _search(source, request), "has_trees": False})


async def show_all_comparison(source: AllProjects, request: Request) -> Response:
    """Show the results of two recipes from all projects, with lines between equal hits."""
    state, names = _read_state(request), compare.read_names(request)

    async def search(fields: dict[str, Any]) -> SearchAnswer:
        return await source.search({**fields, "projects": _choose_projects(state)})

    values = {
        **source.mask({"state": state, "query": state.query, "names": names}),
        **await compare.compare_recipes(search, state, names, partial(_show_hit, _link_projects())),
        "recipes": _RECIPES,
        "compare_url": COMPARE,
    }
    return respond("compare.html", values)


PAGES: dict[str, Page] = {ALL: show_all_projects, RESULTS: show_all_results, COMPARE: show_all_comparison}
"""The pages over all projects by path."""


async def _search(source: AllProjects, request: Request) -> dict[str, Any]:
    state = _read_state(request)
    shown: SearchState = source.mask(state)
    projects = _choose_projects(state)
    completions = await suggest_filters(lambda fields: source.list_filters({**fields, "projects": projects}), shown)
    values = {
        "state": shown,
        "query": shown.query,
        "recipes": _RECIPES,
        "project": "all projects",
        "results_url": RESULTS,
        "completions": completions,
        "answer": None,
    }
    searched = drop_unfinished(state.query) if completions else state.query
    if not searched:
        return values
    fields = state._replace(query=searched).request()
    answer = await source.search({**fields, "projects": projects, "explain": True, "facets": True})
    names = _order_names(answer, shown)
    surrounding = show_answer(answer, shown)
    surrounding["facets"] = [*_project_facet(names, shown), *surrounding["facets"]]
    return {
        **values,
        **surrounding,
        "hits": [_show_hit(_link_projects(), hit) for hit in answer.hits],
        "has_words": has_words(searched),
        "compare": shown.url(COMPARE, **{"with": "classic" if answer.recipe != "classic" else "auto"}),
        "why_not": list(_link_why_not(names, shown)),
    }


def _read_state(request: Request) -> SearchState:
    return read_state(request, (PROJECT, *FILTERS))._replace(path=ALL)


def _choose_projects(state: SearchState) -> list[str]:
    return state.values(PROJECT) or [ALL_NAMES]


def _link_projects() -> dict[str, ProjectLink]:
    return {project.name: project for project in FRAME.get().projects}


def _show_hit(links: dict[str, ProjectLink], hit: Hit) -> ShownHit:
    """Prepare a hit of a project for a template."""
    plain = replace(
        hit,
        id=_plain(hit.id),
        document=_plain(hit.document),
        translations=tuple(replace(each, document=_plain(each.document)) for each in hit.translations),
    )
    own_link = links.get(hit.project)
    shown = show_hit(plain)._replace(project=hit.project, prefix=own_link.url.rstrip("/") if own_link else "")
    own = _find_own_score(hit.explanation)
    return shown._replace(bar=build_bar(own)) if own else shown


def _find_own_score(explanation: Explanation | None) -> Explanation | None:
    """Find the score of a hit within its project, whose signals the bar shows."""
    parts = explanation.parts[-1].parts if explanation and explanation.parts else ()
    return parts[-1] if parts else None


def _plain(id_: str) -> str:
    return split_project_name(id_)[1]


def _order_names(answer: SearchAnswer, state: SearchState) -> list[str]:
    """Name the projects, those that are chosen or have a hit first."""
    found = (hit.project for hit in answer.hits)
    return list(dict.fromkeys([*state.values(PROJECT), *found, *_link_projects()]))[:_MAX_PROJECTS]


def _project_facet(names: list[str], state: SearchState) -> Iterator[ShownFacet]:
    """List the projects to search in."""
    chosen = state.values(PROJECT)
    if len(names) > 1:
        values = ((name, None, state.toggle(PROJECT, name).url(), name in chosen) for name in names)
        yield ShownFacet(PROJECT, tuple(values))


def _link_why_not(names: list[str], state: SearchState) -> Iterator[tuple[str, str]]:
    """Give the names of projects, and the address of why-not in each."""
    links = _link_projects()
    for name in names:
        if name in links:
            prefix = links[name].url.rstrip("/")
            yield name, link(f"{prefix}{WHY_NOT}", q=state.query, recipe=state.recipe)
