"""The MCP tools, built from the shared requests."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from mcp_types import Tool, ToolAnnotations
from msgspec import Struct

from waymeet.interfaces.mcp import render
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.schemas import flat_schema, schema
from waymeet.recipes import RECIPES
from waymeet.settings import Settings


class ToolSpec(NamedTuple):
    """A tool: its description for clients, its types, its function and its effects."""

    name: str
    title: str
    description: str
    request: type[Struct]
    answer: type[Struct]
    call: Callable[..., Any]
    """`call(project, request) -> answer`: blocks, raises only `WaymeetError`."""
    text: Callable[[Any], str]
    """Renders an answer as text."""
    writes: bool = False
    """Whether it changes notes, tasks or skills."""
    destroys: bool = False
    """Whether it replaces or removes content."""
    repeatable: bool = True
    """Whether it is idempotent."""
    needs_index: bool = True
    """Whether it needs an index."""
    changes_index: bool = False
    """Whether it changes the index."""

    @property
    def is_read_only(self) -> bool:
        """Tell whether it changes neither files of the project nor the index."""
        return not (self.writes or self.changes_index)


class _Description(NamedTuple):
    title: str
    description: str
    text: Callable[[Any], str]


_DESCRIPTIONS = {
    "search": _Description(
        "Search the project",
        "Search this project's docs, code, notes, tasks and skills by words, meaning and links. Use it before grep. "
        "The query can be a question in plain words, an error message or a symbol. Every hit has an id "
        "(`path#L10-L24`): pass it to `read`, and cite it. To add your own wordings, set `lex`, `vec` or `hyde` with "
        "recipe `deep`.",
        render.search_text,
    ),
    "read": _Description(
        "Read a section or file",
        "Read a section by an id from `search`, or lines of an indexed file by path. For notes, tasks and skills, the "
        "answer includes the version that `update` and `forget` need.",
        render.read_text,
    ),
    "related": _Description(
        "Follow links",
        "List what is linked with a document, section or symbol: links and backlinks with their sentences, imports, "
        "calls, and docs that describe it. Use it to see what a change affects.",
        render.related_text,
    ),
    "context": _Description(
        "Collect context for a task",
        "Collect what to read for a task, within a token budget: the best sections in full, and a summary of the pages "
        "linked with them. Call it first when you start a task; use `search` for single questions.",
        render.context_text,
    ),
    "remember": _Description(
        "Write a note, task or skill",
        "Create a Markdown file in the project: a note (a fact or decision), a task (work to do) or a skill (how to do "
        "something). The answer lists similar and contradicting items; if there is one, `update` it instead.",
        render.saved_text,
    ),
    "update": _Description(
        "Change a note, task or skill",
        "Change a note, task or skill. Needs the version from `read`. If the file has changed since, nothing is "
        "written and both texts are returned. With `confirm`, record that it is still right.",
        render.saved_text,
    ),
    "link": _Description(
        "Relate two things",
        "Relate a note, task or skill to another one, a file or a symbol, or remove the relation with `remove`.",
        render.saved_text,
    ),
    "forget": _Description(
        "Remove a note, task or skill",
        "Remove a note, task or skill and the relations to it. Past versions are kept. Needs the version from `read`.",
        render.removed_text,
    ),
    "recall_skills": _Description(
        "Recall skills",
        "Find the skills of this project for a task, with their steps. Call it before work that may have been done in "
        "this project before.",
        render.skills_text,
    ),
    "status": _Description(
        "Status of the index",
        "Show what is indexed, how much of it is embedded, which files changed since, and what limits the results.",
        render.status_text,
    ),
    "index": _Description(
        "Update the index",
        "Index changed files. Rarely needed, because a search indexes a few changed files itself: call it if an answer "
        "reports that the index is behind. May take long; sends progress and can be cancelled.",
        render.index_text,
    ),
}
_BOUNDS = frozenset({"maxLength", "minLength", "maxItems"})
_EMPTY_DEFAULTS: tuple[tuple[str, object], ...] = (("default", ""), ("default", []))
_HIDDEN_FIELDS = frozenset(
    {
        *(
            "doc_types",
            "languages",
            "namespaces",
            "changed_after",
            "changed_before",
        ),  # filters in the query do the same
        *("intent", "expand", "refresh"),  # their defaults are right for an agent
    }
)
_WITHOUT_INDEX = frozenset({"status", "index", "remember", "update", "link", "forget"})


def _make_tool(name: str) -> ToolSpec:
    operation, description = OPERATIONS[name], _DESCRIPTIONS[name]
    return ToolSpec(
        name=name,
        title=description.title,
        description=description.description,
        request=operation.request,
        answer=operation.answer,
        call=operation.call,
        text=description.text,
        writes=operation.writes,
        destroys=operation.destroys,
        repeatable=operation.repeatable,
        needs_index=name not in _WITHOUT_INDEX,
        changes_index=name == "index",
    )


TOOLS: Mapping[str, ToolSpec] = {name: _make_tool(name) for name in _DESCRIPTIONS}


class ToolDefaults(NamedTuple):
    """Settings of a server that appear in the schemas of its tools."""

    budget: int
    """Token budget if a call names none."""
    recipes: tuple[str, ...] = tuple(RECIPES)


def tool_defaults(settings: Settings) -> ToolDefaults:
    """Get the defaults of tools from the settings."""
    return ToolDefaults(settings.mcp.budget, (*RECIPES, *(name for name in settings.recipes if name not in RECIPES)))


def describe_tools(tools: Iterable[ToolSpec], defaults: ToolDefaults) -> list[Tool]:
    """Describe tools for a client."""
    return [
        Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=input_schema(tool.request, defaults),
            output_schema=output_schema(tool.answer),
            annotations=ToolAnnotations(
                title=tool.title,
                read_only_hint=tool.is_read_only,
                destructive_hint=tool.destroys,
                idempotent_hint=tool.repeatable,
                open_world_hint=False,
            ),
        )
        for tool in tools
    ]


@cache
def input_schema(request: type[Struct], defaults: ToolDefaults) -> dict[str, Any]:
    """Build the flat, closed schema of a tool's arguments, with the server's budget and recipes.

    A model reads the schema in every conversation. To save tokens, length limits and rarely used fields are left out;
    both are still accepted and checked.
    """
    schema = flat_schema(request)
    return {
        "type": "object",
        "properties": {
            name: _shorten_field({**field, "enum": defaults.recipes} if name == "recipe" else field, defaults.budget)
            for name, field in schema["properties"].items()
            if name not in _HIDDEN_FIELDS
        },
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _shorten_field(field: Mapping[str, Any], budget: int) -> dict[str, Any]:
    short = {key: value for key, value in field.items() if key not in _BOUNDS and (key, value) not in _EMPTY_DEFAULTS}
    if "enum" in short:
        values = [
            value for value in short["enum"] if value
        ]  # some clients reject empty values, or an enum without type
        short = {"type": "string", **short, "enum": values}
    if "items" in short:
        short["items"] = _shorten_field(short["items"], budget)
    if "description" in short:
        short["description"] = short["description"].replace("0 for no limit", f"0 for this server's default ({budget})")
    return short


@cache
def output_schema(answer: type[Struct]) -> dict[str, Any]:
    """Build the schema of an answer with an object at its root.

    Older clients do not accept a reference there.
    """
    document = schema(answer)
    definitions: dict[str, Any] = _remove_false_items(document["$defs"])
    root = definitions.pop(document["$ref"].rpartition("/")[2])
    return {**root, "$defs": definitions} if definitions else root


def _remove_false_items(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    """Remove `"items": false` of tuples, which some clients reject.

    >>> _remove_false_items({"prefixItems": [{"type": "string"}], "items": False, "maxItems": 1})
    {'prefixItems': [{'type': 'string'}], 'maxItems': 1}
    """
    if isinstance(schema, dict):
        return {
            key: _remove_false_items(value) for key, value in schema.items() if value is not False or key != "items"
        }
    return [_remove_false_items(each) for each in schema] if isinstance(schema, list) else schema
