"""A budgeted pack of what to read for a task."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.interfaces.requests.fields import Kinds, Paths, Question, Refresh, Tags, relative_to_root
from waymeet.project import Project
from waymeet.search.context import Context
from waymeet.types import Filters, Query


class ContextRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What to read for a task: the best sections whole, and the pages linked with them in a sentence or two."""

    task: Annotated[Question, Meta(min_length=1, description="What is to be done or understood, in plain words.")]
    budget: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="Most tokens that the pack may cost, by a rough estimate; 0 for the project's setting (4000).",
        ),
    ] = 0
    recipe: Annotated[str, Meta(max_length=100, description="The ranking to choose by. Empty for auto.")] = ""
    kinds: Kinds = ()
    paths: Paths = ()
    tags: Tags = ()
    refresh: Refresh = True


def answer_context(project: Project, request: ContextRequest) -> Context:
    """Put together what to read for a task."""
    filters = Filters(
        paths=tuple(relative_to_root(project.root, path) for path in request.paths),
        kinds=request.kinds,
        tags=request.tags,
    )
    query = Query(request.task, recipe=request.recipe or "auto", filters=filters)
    return project.context(query, budget=request.budget, refresh=request.refresh)
