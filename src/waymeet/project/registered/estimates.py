"""Estimates whether projects answer a query, for the choice of those that are searched."""

from functools import reduce
from typing import TYPE_CHECKING

from waymeet.project.project import Project
from waymeet.settings import Layer, resolve
from waymeet.types import Query

if TYPE_CHECKING:
    from collections.abc import Collection

    from waymeet.search.estimate import Estimate

_SHORT_LISTS = Layer("estimate", {"pool": {"min": 1, "factor": 1}})


def estimate_answer(project: Project, query: Query, over: tuple[Layer, ...], *, corrected: bool = False) -> "Estimate":
    """Estimate whether a project answers a query, from its index as it is."""
    from waymeet.search.estimate import estimate_project
    from waymeet.search.state import Tools

    store, _ = project.refreshed_store(refresh=False)
    settings = resolve((*project.layers_for(query.recipe), *over, _SHORT_LISTS))
    tools = Tools(store, project.models.active(store, project.settings.embedding).embedders)
    return estimate_project(project.recipe(query.recipe), query, tools, settings, corrected=corrected)


def find_unknown_words(estimates: "Collection[Estimate]") -> frozenset[str]:
    """Find the words that occur in no project."""
    return reduce(frozenset.intersection, (estimate.unknown for estimate in estimates)) if estimates else frozenset()
