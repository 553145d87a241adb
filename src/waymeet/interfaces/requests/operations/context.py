"""The context operation: collect what to read for a task, within a token budget."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.interfaces.requests.fields import Kinds, Paths, QueryText, Refresh, Tags, relative_to_root
from waymeet.project import Project
from waymeet.search.context import Context
from waymeet.types import Filters, Query


class ContextRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Collect what to read for a task: the best sections in full, linked pages as a summary."""

    task: Annotated[QueryText, Meta(min_length=1, description="The task or the topic, in plain words.")]
    budget: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="Maximum tokens of the answer, estimated; 0 for the project's setting (4000).",
        ),
    ] = 0
    recipe: Annotated[str, Meta(max_length=100, description="The ranking recipe. Empty for auto.")] = ""
    kinds: Kinds = ()
    paths: Paths = ()
    tags: Tags = ()
    refresh: Refresh = True


def answer_context(project: Project, request: ContextRequest) -> Context:
    """Collect what to read for a task."""
    filters = Filters(
        paths=tuple(relative_to_root(project.root, path) for path in request.paths),
        kinds=request.kinds,
        tags=request.tags,
    )
    query = Query(request.task, recipe=request.recipe or "auto", filters=filters)
    return project.context(query, budget=request.budget, refresh=request.refresh)
