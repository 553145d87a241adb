"""The why_not operation: explain why a document is not among the results of a query."""

import re
from typing import Annotated

from msgspec import Meta, Struct

from waymeet.ingest.discover.ignore import find_ignore_rule
from waymeet.interfaces.requests.fields import Refresh, relative_to_root
from waymeet.interfaces.requests.operations.search import SearchRequest, to_query
from waymeet.paths import is_visible
from waymeet.ports import Store
from waymeet.project import Project
from waymeet.project.query_options import check_query
from waymeet.recipes import RECIPES
from waymeet.search.lookup.citation import documents_of_references
from waymeet.search.lookup.did_you_mean import similar_paths
from waymeet.search.why_not import TracedQuery, WhyNot, why_not
from waymeet.types import Degraded, Query

_PLACE = re.compile(r"#[^#./]*$|:\d+(:\d+)?$")
"""The part of a reference that names a place in a file; a file extension belongs to the path."""


class WhyNotRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Explain why a document is not among the results of a query."""

    query: Annotated[str, Meta(min_length=1, max_length=100_000, description="The query, with its filters.")]
    id: Annotated[str, Meta(min_length=1, max_length=4096, description="A path, or an id from search.")]
    limit: Annotated[int, Meta(ge=0, le=1000, description="Number of results; 0 for the project's setting (10).")] = 0
    recipe: Annotated[str, Meta(max_length=100, description="The ranking recipe; empty for auto.")] = ""
    mode: Annotated[str, Meta(max_length=100, description="A mode of the recipe.")] = ""
    refresh: Refresh = True


class WhyNotAnswer(WhyNot, frozen=True, kw_only=True):
    """The stage that lost a document, and what would include it in the results."""

    degraded: tuple[Degraded, ...] = ()


def answer_why_not(project: Project, request: WhyNotRequest) -> WhyNotAnswer:
    """Follow a document through the stages of a query."""
    store, degraded = project.refreshed_store(refresh=request.refresh)
    search = SearchRequest(query=request.query, limit=request.limit, recipe=request.recipe, mode=request.mode)
    report = explain_absence(project, store, to_query(project, search), relative_to_root(project.root, request.id))
    fields = {name: getattr(report, name) for name in WhyNot.__struct_fields__}
    return WhyNotAnswer(**fields, degraded=degraded)


def explain_absence(project: Project, store: Store, request: Query, place: str) -> WhyNot:
    """Explain why the document of a place is not among the results of a query."""
    check_query(request, project.settings.recipes, store)
    recipe = project.recipe(request.recipe)
    id_ = documents_of_references([place], store.documents).get(place, "")
    if not id_:
        path = place if is_visible(project.root / place) else _PLACE.sub("", place)
        return _explain_unindexed(project, request, path, list(store.fingerprints()))
    document = store.documents([id_])[id_]
    others = ((other, project.settings_for(other.name)) for other in RECIPES.values() if other.name != "skills_recall")
    query = TracedQuery(recipe, request, project.tools(store), project.settings_for(recipe.name))
    return why_not(query, document, others)


def _explain_unindexed(project: Project, request: Query, path: str, known: list[str]) -> WhyNot:
    """Explain why a file is not indexed."""
    if path.startswith("/") or ".." in path.split("/"):
        return _not_indexed(request, path, "it is outside of the project", "name a file of the project")
    skipped = dict(project.status().skipped)
    ignored = find_ignore_rule(project.root, path, project.settings.ingest)
    if path in skipped:
        reason, change = f"skipped, {skipped[path]}", ""
    elif ignored:
        reason, change = f"ignored by {ignored.rule}", ignored.advice
    elif not (project.root / path).exists():
        close = " or ".join(similar_paths(path, known))
        change = f"did you mean {close}?" if close else "check the spelling; waymeet search shows ids"
        reason = f"there is no file {path}"
    else:
        reason, change = "not indexed yet", "run: waymeet index"
    return _not_indexed(request, path, reason, change)


def _not_indexed(request: Query, path: str, reason: str, change: str) -> WhyNot:
    changes = (change,) if change else ()
    return WhyNot(request.text, path, request.recipe, "not_indexed", "index", reason, changes, limit=request.limit)
