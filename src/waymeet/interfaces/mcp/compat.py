"""The tools of the systems that Waymeet's rankings come from, under their own names, with their own parameters.

They are offered only to those who ask for them (`waymeet mcp --compat`): their answers are those of `search`.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from waymeet.interfaces.mcp.render import search_text
from waymeet.interfaces.mcp.tools import Offered
from waymeet.interfaces.requests.fields import Budget, Kind, Question
from waymeet.interfaces.requests.operations.search import SearchAnswer, SearchRequest, answer_search
from waymeet.project import Project
from waymeet.settings import Layer

Mode = Literal["hybrid", "vector", "keyword"]
Part = Annotated[float, Meta(ge=0.0, le=1.0)]
_Asked = Annotated[Question, Meta(min_length=1, description="What to look for.")]
_Seeds = Annotated[int, Meta(ge=1, le=1000, description="Best nodes to start from; else 5.")]
_Files = Annotated[int, Meta(ge=1, le=1000, description="Best files to take; else 10.")]
_Most = Annotated[int, Meta(ge=1, le=1000, description="Most results; else 5, of files 10.")]
_Least = Annotated[
    Part, Meta(description="Leave out what scores less, the best being 1; else 0.5, of files and skills_recall 0.3.")
]
_Far = Annotated[int, Meta(ge=0, le=10, description="How many links far to walk; else 1.")]
_Left = Annotated[Part, Meta(description="What is left of a score behind a link; else by the kind of the link.")]
_By = Annotated[Mode, Meta(description="By words and meaning, by meaning alone, or by words alone.")]


class NodesRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """The best sections and symbols, and what is linked to them."""

    query: _Asked
    top_k: _Seeds | UnsetType = UNSET
    bfs_depth: _Far | UnsetType = UNSET
    max_results: _Most | UnsetType = UNSET
    min_score: _Least | UnsetType = UNSET
    bfs_decay: _Left | UnsetType = UNSET
    search_mode: _By = "hybrid"
    budget: Budget = 0


class FilesRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Whole files by path, title and the names of what is in them."""

    query: _Asked
    top_k: _Files | UnsetType = UNSET
    max_results: _Most | UnsetType = UNSET
    min_score: _Least | UnsetType = UNSET
    search_mode: _By = "hybrid"
    budget: Budget = 0


class StagedRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A question to the search in stages."""

    query: _Asked
    top_k: Annotated[int, Meta(ge=1, le=1000, description="Most results.")] = 10
    skip_expansion: Annotated[bool, Meta(description="Ask no model for other wordings.")] = False
    budget: Budget = 0


class ModedRequest(StagedRequest, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """A question to the search in stages, in one of its modes."""

    mode: Annotated[
        Literal["hybrid", "bm25_only", "vec_only", "deep"],
        Meta(description="Words and meaning, words alone, meaning alone, or all stages."),
    ] = "hybrid"


def _nodes(recipe: str, kinds: tuple[Kind, ...]) -> Callable[[Project, Any], SearchAnswer]:
    def answer(project: Project, request: NodesRequest | FilesRequest) -> SearchAnswer:
        given = {
            "top_k": request.top_k,
            "max_results": request.max_results,
            "min_score": request.min_score,
            "uniform": getattr(request, "bfs_decay", UNSET),
        }
        numbers = {name: value for name, value in given.items() if value is not UNSET}
        depth = getattr(request, "bfs_depth", UNSET)
        most = 10 if recipe == "files" else 5
        asked = SearchRequest(
            query=request.query,
            limit=most if isinstance(request.max_results, UnsetType) else request.max_results,
            recipe=recipe,
            mode=request.search_mode,
            kinds=kinds,
            depth=-1 if depth is UNSET else depth,
            budget=request.budget,
        )
        return answer_search(project, asked, (Layer("the call", {"neighbours": numbers}),))

    return answer


def _staged(project: Project, request: StagedRequest) -> SearchAnswer:
    mode = request.mode if isinstance(request, ModedRequest) else "deep"
    asked = SearchRequest(
        query=request.query,
        limit=request.top_k,
        recipe="deep" if mode == "deep" else "classic",
        mode="" if mode == "deep" else mode,
        expand=not request.skip_expansion,
        budget=request.budget,
    )
    return answer_search(project, asked)


def _tool(name: str, said: str, request: type[Struct], call: Callable[..., SearchAnswer]) -> Offered:
    return Offered(name, said, f"{said}, as `search` does.", request, SearchAnswer, call, search_text)


def _kinds(what: str, kind: Kind) -> Offered:
    said = f"Search {what} and what is linked to them"
    return _tool(f"{kind}_search", said, NodesRequest, _nodes("neighbours", (kind,)))


_TOOLS = (
    _kinds("sections of docs", "docs"),
    _kinds("symbols of code", "code"),
    _kinds("notes", "notes"),
    _kinds("tasks", "tasks"),
    _kinds("skills", "skills"),
    _tool("skills_recall", "Find skills that fit a task", NodesRequest, _nodes("skills_recall", ())),
    _tool("docs_search_files", "Find files of docs", FilesRequest, _nodes("files", ("docs",))),
    _tool("code_search_files", "Find files of code", FilesRequest, _nodes("files", ("code",))),
    _tool("files_search", "Find files by path", FilesRequest, _nodes("files", ())),
    _tool("deep_search", "Search in all stages", StagedRequest, _staged),
    _tool("projecthub_search", "Search in one of four modes", ModedRequest, _staged),
)
COMPAT: Mapping[str, Offered] = {each.name: each for each in _TOOLS}
