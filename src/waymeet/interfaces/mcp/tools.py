"""The MCP tools, built from the shared requests."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mcp_types import Tool, ToolAnnotations
from msgspec import Struct

from waymeet.interfaces.mcp import render
from waymeet.interfaces.mcp.schemas import OUTPUT_SCHEMA, ToolDefaults, input_schema
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.recipes import RECIPES
from waymeet.settings import Settings

__all__ = ["TOOLS", "ToolDefaults", "ToolSpec", "describe_tools", "input_schema", "tool_defaults"]


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
        "Every hit has an id (`path#L10-L24`): pass it to `read`, and cite it.",
        render.search_text,
    ),
    "read": _Description(
        "Read a section or file",
        "Read a section by an id from `search`, or lines of an indexed file. For notes, tasks and skills it gives "
        "the version that `update` and `forget` need.",
        render.read_text,
    ),
    "related": _Description(
        "Follow links",
        "List what links to and from a document, section or symbol: links, imports, calls, docs that describe it. Use "
        "it to see what a change affects.",
        render.related_text,
    ),
    "context": _Description(
        "Collect context for a task",
        "Collect what to read for a task: the best sections in full, and summaries of linked pages. Call it first when "
        "you start a task; use `search` for single questions.",
        render.context_text,
    ),
    "remember": _Description(
        "Write a note, task or skill",
        "Create a note (a fact or decision), a task (work to do) or a skill (how to do something) as a Markdown file. "
        "It lists similar and contradicting ones: `update` these instead.",
        render.saved_text,
    ),
    "update": _Description(
        "Change a note, task or skill",
        "Change a note, task or skill; other fields stay. Needs the version from `read`. Where the text has "
        "`[secret]`, the file keeps its value. With `confirm`, record that it is still right.",
        render.saved_text,
    ),
    "link": _Description(
        "Relate two things",
        "Relate a note, task or skill to another one, a file or a symbol.",
        render.saved_text,
    ),
    "forget": _Description(
        "Remove a note, task or skill",
        "Remove a note, task or skill. Past versions are kept. Needs the version from `read`.",
        render.removed_text,
    ),
    "recall_skills": _Description(
        "Recall skills",
        "Find skills for a task, with their steps. Call it before work that may have been done before.",
        render.skills_text,
    ),
    "status": _Description(
        "Status of the index",
        "Show what is indexed and embedded, what changed since, and what limits the results.",
        render.status_text,
    ),
    "index": _Description(
        "Update the index",
        "Index changed files. Rarely needed: `search` does it. Call it if an answer says that the index is "
        "behind. May take long.",
        render.index_text,
    ),
}
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
            output_schema=OUTPUT_SCHEMA,
            annotations=ToolAnnotations(
                read_only_hint=tool.is_read_only,
                destructive_hint=tool.destroys,
                idempotent_hint=tool.repeatable,
                open_world_hint=False,
            ),
        )
        for tool in tools
    ]
