"""The settings object: all sections, nested and frozen.

`waymeet settings` shows the docstring below an attribute as its documentation.
"""

from collections.abc import Mapping

from msgspec import Struct

from waymeet.settings.bm25 import Bm25
from waymeet.settings.ingest import Chunking, Ingest, StoreSettings, Watch
from waymeet.settings.interfaces import Mcp, Terminal
from waymeet.settings.models import Embedding, Expand, Rerank
from waymeet.settings.notebook import NotebookSettings, Staleness
from waymeet.settings.query import Feedback, SeveralProjects, Understand
from waymeet.settings.recipes import Auto, Classic, CustomRecipe, Deep, Memory, Neighbours, Threeway
from waymeet.settings.results import Context, Copies, Relevance, Shape
from waymeet.settings.retrieval import Aggregate, Graph, Pool, Rrf, StudentVectors
from waymeet.settings.serve import Serve


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings."""

    understand: Understand = Understand()
    bm25: Bm25 = Bm25()
    pool: Pool = Pool()
    student: StudentVectors = StudentVectors()
    rrf: Rrf = Rrf()
    graph: Graph = Graph()
    aggregate: Aggregate = Aggregate()
    threeway: Threeway = Threeway()
    classic: Classic = Classic()
    memory: Memory = Memory()
    neighbours: Neighbours = Neighbours()
    auto: Auto = Auto()
    deep: Deep = Deep()
    rerank: Rerank = Rerank()
    expand: Expand = Expand()
    feedback: Feedback = Feedback()
    copies: Copies = Copies()
    shape: Shape = Shape()
    relevance: Relevance = Relevance()
    projects: SeveralProjects = SeveralProjects()
    context: Context = Context()
    chunking: Chunking = Chunking()
    ingest: Ingest = Ingest()
    embedding: Embedding = Embedding()
    notebook: NotebookSettings = NotebookSettings()
    staleness: Staleness = Staleness()
    watch: Watch = Watch()
    terminal: Terminal = Terminal()
    mcp: Mcp = Mcp()
    serve: Serve = Serve()
    store: StoreSettings = StoreSettings()
    recipes: Mapping[str, CustomRecipe] = {}
    """Custom recipes by name, each with `base` or `stages`, and `description`, `modes`, `settings`."""
    contexts: Mapping[str, str] = {}
    """Descriptions of folders or files, by path, shown with every result below that path."""
    namespaces: Mapping[str, str] = {}
    """Names of folders, by path, in addition to those of packages and submodules, which are detected."""
    roots: Mapping[str, str] = {}
    """Folders outside the project that are indexed with it, by name; their paths begin with `name:/`."""


PROJECT_SETTINGS = frozenset(
    {
        "understand",
        "bm25",
        "pool",
        "student",
        "rrf",
        "graph",
        "aggregate",
        "threeway",
        "classic",
        "memory",
        "neighbours",
        "auto",
        "deep",
        "feedback",
        "copies",
        "shape",
        "relevance",
        "context",
        "chunking",
        "ingest.ignore",
        "ingest.default_ignore",
        "notebook.notes",
        "notebook.tasks",
        "notebook.skills",
        "notebook.same",
        "notebook.update_similarity",
        "notebook.related_similarity",
        "notebook.max_compared",
        "staleness.threshold_days",
        "recipes",
        "contexts",
        "namespaces",
    }
)
"""Settings and sections that a project's file can set.

The file may be untrusted, so everything that is not listed here is the user's alone: providers, paths, secrets, limits,
confirmations, history. A new setting is the user's until it is listed.
"""
STRICTER: Mapping[str, object] = {"embedding.background": False}
"""Values of these settings that a project's file may set all the same, because they only forbid something."""


def is_project_setting(key: str) -> bool:
    """Return whether a project's file can set a key.

    >>> is_project_setting("bm25.fields.title"), is_project_setting("notebook.history")
    (True, False)
    """
    return any(key == allowed or key.startswith(f"{allowed}.") for allowed in PROJECT_SETTINGS)
