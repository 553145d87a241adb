"""The tools that agents are offered: few, made from the shared requests, with hints about what they do."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from mcp_types import Tool, ToolAnnotations
from msgspec import Struct

from waymeet.interfaces.mcp import render
from waymeet.interfaces.requests.operations import OPERATIONS
from waymeet.interfaces.requests.schemas import flat_schema, schema
from waymeet.recipes import RECIPES
from waymeet.settings import Settings


class Offered(NamedTuple):
    """A tool: what clients are told of it, and who answers."""

    name: str
    title: str
    description: str
    request: type[Struct]
    answer: type[Struct]
    call: Callable[..., Any]
    """`call(project, request) -> answer`; blocking, raises only `WaymeetError`."""
    text: Callable[[Any], str]
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    waits: bool = True
    """Whether it needs an index."""
    keeps: bool = False
    """Whether it changes something of Waymeet's own, such as the index, though nothing of the project."""


class _Said(NamedTuple):
    title: str
    description: str
    text: Callable[[Any], str]


_SAID = {
    "search": _Said(
        "Search the project",
        "Search this project's docs, code, notes, tasks and skills by words, meaning and links. Use it before "
        "grepping: a question in plain words, an error message or a symbol all work. Every hit has an id "
        "(`path#L10-L24`) that `read` takes and that can be cited. For other wordings of your own, give `lex`, `vec` "
        "or `hyde` with recipe `deep`.",
        render.search_text,
    ),
    "read": _Said(
        "Read a section or file",
        "Read a section by the id that `search` shows, or lines of an indexed file by path. Of notes, tasks and "
        "skills it also gives the version that `update` and `forget` need.",
        render.read_text,
    ),
    "related": _Said(
        "Follow links",
        "Tell what is linked with a document, section or symbol: links and backlinks with their sentences, imports, "
        "calls, what describes it. Use it to see what a change touches.",
        render.related_text,
    ),
    "context": _Said(
        "Gather context for a task",
        "Gather what to read for a task, within a number of tokens: the best sections whole and the pages linked with "
        "them in a sentence. The best first call when work begins; `search` is for single questions.",
        render.context_text,
    ),
    "remember": _Said(
        "Write a note, task or skill",
        "Keep something as a new Markdown file of the project: a note (what is so), a task (what is to be done) or a "
        "skill (how something is done). Entries that resemble or contradict it are named; then `update` those instead.",
        render.saved_text,
    ),
    "update": _Said(
        "Change a note, task or skill",
        "Change a note, task or skill. Needs the version that `read` gave; if somebody changed it since, nothing is "
        "written and both texts are shown.",
        render.saved_text,
    ),
    "link": _Said(
        "Relate two things",
        "Relate a note, task or skill to another, to a file or to a symbol, or take that back with `remove`.",
        render.saved_text,
    ),
    "forget": _Said(
        "Remove a note, task or skill",
        "Remove a note, task or skill, with the relations that lead to it. Past versions are kept. Needs the version "
        "that `read` gave.",
        render.removed_text,
    ),
    "recall_skills": _Said(
        "Recall skills",
        "Find the skills of this project that fit the task at hand, with their steps. Worth a call before work that "
        "may have been done here before.",
        render.skills_text,
    ),
    "status": _Said(
        "State of the index",
        "Tell what is indexed, how much of it is embedded, what changed since, and what makes answers less than they "
        "could be.",
        render.status_text,
    ),
    "index": _Said(
        "Bring the index up to date",
        "Read what changed into the index. Seldom needed, for searches take in a few changed files by themselves: use "
        "it if an answer says that it is behind. Can take long; it tells of its progress and can be cancelled.",
        render.index_text,
    ),
}
_BOUNDS = frozenset({"maxLength", "minLength", "maxItems"})
_EMPTY: tuple[tuple[str, object], ...] = (("default", ""), ("default", []))
_SELDOM = frozenset(
    {
        *("doc_types", "languages", "namespaces", "changed_after", "changed_before"),  # filters in the query say it
        *("intent", "expand", "refresh"),  # what is meant if they are left out is right for an agent
    }
)
_WITHOUT_INDEX = frozenset({"status", "index", "remember", "update", "link", "forget"})


def _offered(name: str) -> Offered:
    operation, said = OPERATIONS[name], _SAID[name]
    return Offered(
        name=name,
        title=said.title,
        description=said.description,
        request=operation.request,
        answer=operation.answer,
        call=operation.call,
        text=said.text,
        writes=operation.writes,
        destroys=operation.destroys,
        repeatable=operation.repeatable,
        waits=name not in _WITHOUT_INDEX,
        keeps=name == "index",
    )


TOOLS: Mapping[str, Offered] = {name: _offered(name) for name in _SAID}


class Local(NamedTuple):
    """What the schemas of tools say of this server."""

    budget: int
    """The number of tokens that is meant if none is named."""
    recipes: tuple[str, ...] = tuple(RECIPES)


def local(settings: Settings) -> Local:
    """Say what a server's settings mean for its tools."""
    return Local(settings.mcp.budget, (*RECIPES, *(name for name in settings.recipes if name not in RECIPES)))


def listed(tools: Iterable[Offered], here: Local) -> list[Tool]:
    """Describe tools to a client."""
    return [
        Tool(
            name=each.name,
            title=each.title,
            description=each.description,
            input_schema=input_schema(each.request, here),
            output_schema=output_schema(each.answer),
            annotations=ToolAnnotations(
                title=each.title,
                read_only_hint=not (each.writes or each.keeps),
                destructive_hint=each.destroys,
                idempotent_hint=each.repeatable,
                open_world_hint=False,
            ),
        )
        for each in tools
    ]


@cache
def input_schema(request: type[Struct], here: Local) -> dict[str, Any]:
    """Give the schema of a tool's arguments: flat, closed, with the server's own budget and recipes in it.

    A model reads it with every question: bounds that nobody comes near and fields that are seldom needed are left out
    here, though they hold.
    """
    whole = flat_schema(request)
    return {
        "type": "object",
        "properties": {
            name: _lean({**each, "enum": here.recipes} if name == "recipe" else each, here.budget)
            for name, each in whole["properties"].items()
            if name not in _SELDOM
        },
        "required": whole.get("required", []),
        "additionalProperties": False,
    }


def _lean(field: Mapping[str, Any], budget: int) -> dict[str, Any]:
    kept = {key: value for key, value in field.items() if key not in _BOUNDS and (key, value) not in _EMPTY}
    if "enum" in kept:
        named = [each for each in kept["enum"] if each]  # some clients take no empty name, and no enum without a type
        kept = {"type": "string", **kept, "enum": named}
    if "items" in kept:
        kept["items"] = _lean(kept["items"], budget)
    if "description" in kept:
        kept["description"] = kept["description"].replace("0 for no bound", f"0 for this server's own ({budget})")
    return kept


@cache
def output_schema(answer: type[Struct]) -> dict[str, Any]:
    """Give the schema of a tool's answer as an object, for older clients take no reference at its root."""
    whole = schema(answer)
    named: dict[str, Any] = _portable(whole["$defs"])
    root = named.pop(whole["$ref"].rpartition("/")[2])
    return {**root, "$defs": named} if named else root


def _portable(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    """Leave out the bare `false` that ends a list of fixed length: some clients take no such schema.

    >>> _portable({"prefixItems": [{"type": "string"}], "items": False, "maxItems": 1})
    {'prefixItems': [{'type': 'string'}], 'maxItems': 1}
    """
    if isinstance(schema, dict):
        return {key: _portable(value) for key, value in schema.items() if value is not False or key != "items"}
    return [_portable(each) for each in schema] if isinstance(schema, list) else schema
