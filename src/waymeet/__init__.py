r"""Local-first hybrid search with text, vectors and links for docs, code and notes.

A `Project` is a folder with its index. `open` it, update the index with `index`, and search:

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from waymeet import Filters, Project, Query
>>> place = TemporaryDirectory()
>>> page = Path(place.name, "project", "fusion.md")
>>> page.parent.mkdir()
>>> _ = page.write_text("# Fusion\n\nRanks are fused by RRF, see [weights](weights.md).\n", encoding="utf-8")
>>> plain = ["embedding.provider=none"]  # text and links only: no model is loaded
>>> project = Project.open(page.parent, index=Path(place.name, "index.sqlite"), flags=plain)
>>> project.index().added
1
>>> [(hit.id, hit.title) for hit in project.search("how are ranks fused").hits]
[('fusion.md#L1-L3', 'Fusion')]

Options and filters are keyword arguments, or fields of a `Query`. `explain` adds the computation of each score.
`context` collects text for a task:

>>> [hit.id for hit in project.search("rank fusion", limit=3, kinds=["docs"]).hits]
['fusion.md#L1-L3']
>>> query = Query("rank fusion", limit=3, filters=Filters(kinds=("docs",)))
>>> [hit.explanation.value == hit.score for hit in project.explain(query).hits if hit.explanation]
[True]
>>> project.context("change how ranks are fused", budget=500).pieces[0].id
'fusion.md#L1-L3'

Notes, tasks and skills are Markdown files of the project. An update names the version it is based on:

>>> saved = project.notebook.create("notes", "Weights", "RRF uses k = 60.")
>>> project.notebook.update(saved.item.id, version=saved.item.version, fields={"tags": ["rank"]}).changed
True
>>> [edge.kind for edge in project.graph("fusion.md").edges]
['references']
>>> project.close()
>>> place.cleanup()

`Projects` searches all projects of the user, or some by name, as one.

Errors are `WaymeetError`s with a message and a hint. Threads may share a project. `AsyncProject` has the same methods
for asyncio.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waymeet.errors import WaymeetError
    from waymeet.interfaces.async_project import AsyncProject
    from waymeet.project import Project
    from waymeet.project.registered.projects import Projects
    from waymeet.types import Answer, Explanation, Filters, Hit, Query, Variant

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AsyncProject",
    "Explanation",
    "Filters",
    "Hit",
    "Project",
    "Projects",
    "Query",
    "Variant",
    "WaymeetError",
    "__version__",
]

_HOMES = {
    "Answer": "waymeet.types",
    "AsyncProject": "waymeet.interfaces.async_project",
    "Explanation": "waymeet.types",
    "Filters": "waymeet.types",
    "Hit": "waymeet.types",
    "Project": "waymeet.project",
    "Projects": "waymeet.project.registered.projects",
    "Query": "waymeet.types",
    "Variant": "waymeet.types",
    "WaymeetError": "waymeet.errors",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public object
    """Import a public name on first use, for a fast start-up."""
    if name not in _HOMES:
        raise AttributeError(f"module 'waymeet' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
