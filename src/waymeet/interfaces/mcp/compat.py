"""Tools with the names and parameters of the systems that some rankings come from.

They are offered only on request (`waymeet mcp --compat`). Their answers are those of `search`.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from waymeet.interfaces.mcp.render import search_text
from waymeet.interfaces.mcp.tools import ToolSpec
from waymeet.interfaces.render.text import to_single_line
from waymeet.interfaces.requests.fields import Budget, Kind, QueryText
from waymeet.interfaces.requests.operations.search import SearchAnswer, SearchRequest, answer_search
from waymeet.project import Project
from waymeet.settings import Layer
from waymeet.types import Step

Mode = Literal["hybrid", "vector", "keyword"]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
_Query = Annotated[QueryText, Meta(min_length=1, description="What to search for.")]
_NodeSeeds = Annotated[int, Meta(ge=1, le=1000, description="Number of best nodes to start from; default 5.")]
_FileSeeds = Annotated[int, Meta(ge=1, le=1000, description="Number of best files to rank; default 10.")]
_MaxResults = Annotated[int, Meta(ge=1, le=1000, description="Maximum results; default 5, for files 10.")]
_MinScore = Annotated[
    Share, Meta(description="Minimum score, relative to the best; default 0.5, for files and skills_recall 0.3.")
]
_Depth = Annotated[int, Meta(ge=0, le=10, description="Maximum number of links to follow; default 1.")]
_Decay = Annotated[Share, Meta(description="Factor of the score per link; default by link type.")]
_Mode = Annotated[Mode, Meta(description="Lexical and vector search, vector search only, or lexical search only.")]


class NodesRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Search sections and symbols, and follow their links."""

    query: _Query
    top_k: _NodeSeeds | UnsetType = UNSET
    bfs_depth: _Depth | UnsetType = UNSET
    max_results: _MaxResults | UnsetType = UNSET
    min_score: _MinScore | UnsetType = UNSET
    bfs_decay: _Decay | UnsetType = UNSET
    search_mode: _Mode = "hybrid"
    budget: Budget = 0


class FilesRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Search files by path, title and symbol names."""

    query: _Query
    top_k: _FileSeeds | UnsetType = UNSET
    max_results: _MaxResults | UnsetType = UNSET
    min_score: _MinScore | UnsetType = UNSET
    search_mode: _Mode = "hybrid"
    budget: Budget = 0


class StagedRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Search in all stages."""

    query: _Query
    top_k: Annotated[int, Meta(ge=1, le=1000, description="Maximum results.")] = 10
    skip_expansion: Annotated[bool, Meta(description="Do not let a model suggest other wordings.")] = False
    budget: Budget = 0


class ModedRequest(StagedRequest, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Search in one of four modes."""

    mode: Annotated[
        Literal["hybrid", "bm25_only", "vec_only", "deep"],
        Meta(description="Lexical and vector search, lexical only, vector only, or all stages."),
    ] = "hybrid"


def _make_nodes_call(recipe: str, kinds: tuple[Kind, ...]) -> Callable[[Project, Any], SearchAnswer]:
    def answer(project: Project, request: NodesRequest | FilesRequest) -> SearchAnswer:
        parameters = {
            "top_k": request.top_k,
            "max_results": request.max_results,
            "min_score": request.min_score,
            "uniform": getattr(request, "bfs_decay", UNSET),
        }
        numbers = {name: value for name, value in parameters.items() if value is not UNSET}
        depth = getattr(request, "bfs_depth", UNSET)
        default_limit = 10 if recipe == "files" else 5
        search = SearchRequest(
            query=request.query,
            limit=default_limit if isinstance(request.max_results, UnsetType) else request.max_results,
            recipe=recipe,
            mode=request.search_mode,
            kinds=kinds,
            depth=-1 if depth is UNSET else depth,
            budget=request.budget,
        )
        return answer_search(project, search, (Layer("the call", {"neighbours": numbers}),))

    return answer


def _answer_staged(project: Project, request: StagedRequest) -> SearchAnswer:
    mode = request.mode if isinstance(request, ModedRequest) else "deep"
    search = SearchRequest(
        query=request.query,
        limit=request.top_k,
        recipe="deep" if mode == "deep" else "classic",
        mode="" if mode == "deep" else mode,
        expand=not request.skip_expansion,
        budget=request.budget,
    )
    return answer_search(project, search)


def _staged_text(answer: SearchAnswer) -> str:
    """List the hits, and the stages of the recipe `deep` with what each did and took."""
    lines = [search_text(answer)]
    if answer.recipe == "deep":
        lines += ["Stages:", *map(_stage_line, answer.steps)]
    return "\n".join(lines)


def _stage_line(step: Step) -> str:
    """Write the line of a stage.

    >>> _stage_line(Step("lexical", 0.0021, effect="lexical list of 50 sections"))
    '- lexical: 2.1 ms, lexical list of 50 sections'
    >>> _stage_line(Step("expand", 0.0, "llm_unavailable"))
    '- expand: skipped (llm_unavailable)'
    """
    if step.skipped:
        return f"- {step.stage}: skipped ({to_single_line(step.skipped)})"
    return f"- {step.stage}: {step.seconds * 1000:.1f} ms" + (f", {to_single_line(step.effect)}" if step.effect else "")


def _make_tool(
    name: str,
    title: str,
    request: type[Struct],
    call: Callable[..., SearchAnswer],
    text: Callable[[SearchAnswer], str] = search_text,
) -> ToolSpec:
    return ToolSpec(name, title, f"{title}, as `search` does.", request, SearchAnswer, call, text)


def _make_kind_tool(subject: str, kind: Kind) -> ToolSpec:
    title = f"Search {subject} and follow their links"
    return _make_tool(f"{kind}_search", title, NodesRequest, _make_nodes_call("neighbours", (kind,)))


_TOOLS = (
    _make_kind_tool("sections of docs", "docs"),
    _make_kind_tool("symbols of code", "code"),
    _make_kind_tool("notes", "notes"),
    _make_kind_tool("tasks", "tasks"),
    _make_kind_tool("skills", "skills"),
    _make_tool("skills_recall", "Find skills for a task", NodesRequest, _make_nodes_call("skills_recall", ())),
    _make_tool("docs_search_files", "Find doc files", FilesRequest, _make_nodes_call("files", ("docs",))),
    _make_tool("code_search_files", "Find code files", FilesRequest, _make_nodes_call("files", ("code",))),
    _make_tool("files_search", "Find files by path", FilesRequest, _make_nodes_call("files", ())),
    _make_tool("deep_search", "Search in all stages", StagedRequest, _answer_staged, _staged_text),
    _make_tool("projecthub_search", "Search in one of four modes", ModedRequest, _answer_staged, _staged_text),
)
COMPAT: Mapping[str, ToolSpec] = {tool.name: tool for tool in _TOOLS}
