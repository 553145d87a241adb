"""Waymeet: where words, meaning and links meet. Local-first, graph-aware hybrid search for a project's knowledge.

>>> from waymeet import Project
>>> with Project.open("my-project") as project:  # doctest: +SKIP
...     project.index()
...     for hit in project.search("how are results fused").hits:
...         print(hit.id, hit.score)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waymeet.errors import WaymeetError
    from waymeet.project import Project
    from waymeet.types import Answer, Filters, Hit, Query

__version__ = "0.1.0"

__all__ = ["Answer", "Filters", "Hit", "Project", "Query", "WaymeetError", "__version__"]

_HOMES = {
    "Answer": "waymeet.types",
    "Filters": "waymeet.types",
    "Hit": "waymeet.types",
    "Project": "waymeet.project",
    "Query": "waymeet.types",
    "WaymeetError": "waymeet.errors",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever lives under that name
    """Load a public name when it is first used: start-up is a feature."""
    if name not in _HOMES:
        raise AttributeError(f"module 'waymeet' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)
