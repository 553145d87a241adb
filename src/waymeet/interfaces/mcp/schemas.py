"""The schemas of the tools' arguments, as short as a model needs them.

A model reads the schemas of all tools in every conversation. Bounds, defaults and fields that agents rarely need are
therefore left out, and the long descriptions of the HTTP API are replaced by short ones. Everything that the request
accepts is still accepted and checked. The schema of answers says only that they are objects.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct

from waymeet.errors import RequestError
from waymeet.interfaces.requests.operations.search import SearchRequest
from waymeet.interfaces.requests.schemas import flat_schema
from waymeet.recipes import RECIPES

OPTIONS_URI = "waymeet://search-options"
_SEARCH_FIELDS = ("query", "limit", "kinds", "paths", "projects", "budget", "cursor")
"""Parameters of `search` that are listed; the others are in `options`."""
_DROPPED = frozenset({"maxLength", "minLength", "maxItems", "minimum", "maximum", "default", "title"})
_HIDDEN = frozenset({"refresh", "recipe"})
"""Parameters of other tools that are accepted but not listed: their defaults are right for an agent."""
_HIDDEN_FOR = {
    "RememberRequest": {"assignee", "file_patterns"},  # `properties` sets them, too
    "UpdateRequest": {"assignee", "file_patterns", "kind"},
    "LinkRequest": {"kind", "version"},  # an id is hardly ever ambiguous, and a relation fits any version
    "ForgetRequest": {"kind"},
    "ContextRequest": {"kinds", "paths", "tags"},
    "IndexRequest": {"embed"},
}
"""The same by request."""
_COMPATIBLE = "topK"
"""A parameter of tools under other names, which have no `budget` in their schemas."""
_SHORT = {
    "query": 'A question, error message or symbol. "a phrase" must occur, -word excludes, word* matches prefixes. '
    "Filters: kind:code path:src/ tag:x type:spec lang:python after:2025-06.",
    "limit": "Maximum results.",
    "kinds": "Only these kinds.",
    "paths": "Only these files or folders.",
    "projects": "Other projects; * for all.",
    "tags": "Tags.",
    "cursor": "Of the last answer, for more.",
    "budget": "Maximum tokens (default {budget}).",
    "task": "The task in plain words.",
    "start": "First line.",
    "lines": "Number of lines.",
    "link_types": "Such as references, imports, calls, source.",
    "direction": "Of the links.",
    "depth": "Links to follow (default 2).",
    "title": "One line.",
    "text": "Markdown, without the title.",
    "version": "From `read`.",
    "kind": "notes: facts; tasks: work; skills: instructions.",
    "status": "Of a task.",
    "priority": "Of a task.",
    "due": "Of a task: 2026-12-31.",
    "description": "Of a skill: its purpose.",
    "triggers": "Of a skill: phrases for it.",
    "steps": "Of a skill, in order.",
    "properties": "Other fields, as assignee=me.",
    "confirm": "It is still right.",
    "resolutions": "Of conflicts, as ID=keep-both.",
    "relation": "Of the item to the target.",
    "target": "An item, a file, or src/a.py#symbol.",
    "remove": "Remove the relation.",
    "everything": "List changed and skipped files.",
    "accept_removals": "Accept that most files are gone.",
    "accept_costs": "Send much text to a paid provider.",
    "topK": "Best results to start from.",
    "maxResults": "Maximum results.",
    "minScore": "0 to 1, relative to the best.",
    "bfsDepth": "Links to follow.",
    "bfsDecay": "Score factor per link.",
    "searchMode": "Signals.",
    "skipExpansion": "No rewording by a model.",
    "mode": "Signals.",
}
_SHORT_IDS = {
    "ReadRequest": "An id from `search`, a path, `path#heading`, or `path:10:5` for five lines from line 10.",
    "RelatedRequest": "An id from `search`, a path, `path#heading`, `path#symbol` or a title.",
    "": "Path, name or title.",
}
"""Descriptions of `id` by request."""


class ToolDefaults(NamedTuple):
    """Settings of a server that appear in the schemas of its tools."""

    budget: int
    """Token budget if a call names none."""
    recipes: tuple[str, ...] = tuple(RECIPES)


@cache
def input_schema(request: type[Struct], defaults: ToolDefaults) -> dict[str, Any]:
    """Build the short, closed schema of a tool's arguments."""
    schema = flat_schema(request)
    names = _SEARCH_FIELDS if request is SearchRequest else tuple(schema["properties"])
    hidden = _hidden_fields(request, schema["properties"])
    properties = {
        name: _shorten_field(schema["properties"][name], _describe(request, name, defaults))
        for name in names
        if name not in hidden
    }
    if request is SearchRequest:
        others = ", ".join(name for name in schema["properties"] if name in _NAMED_OPTIONS)
        properties["options"] = {
            "type": "object",
            "description": f"Rare: {others} and more, see {OPTIONS_URI}",
        }
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _hidden_fields(request: type[Struct], properties: Mapping[str, Any]) -> set[str]:
    budget = {"budget"} if _COMPATIBLE in properties else set()
    return {*_HIDDEN, *_HIDDEN_FOR.get(request.__name__, ()), *budget}


_NAMED_OPTIONS = frozenset({"recipe", "mode", "explain", "include_linked", "depth", "tags"})


def _describe(request: type[Struct], name: str, defaults: ToolDefaults) -> str:
    if name == "id":
        return _SHORT_IDS.get(request.__name__, _SHORT_IDS[""])
    return _SHORT[name].replace("{budget}", str(defaults.budget))


def _shorten_field(field: Mapping[str, Any], description: str) -> dict[str, Any]:
    short = {key: value for key, value in field.items() if key not in {*_DROPPED, "description"}}
    if "enum" in short:  # some clients reject empty values, or an enum without type
        short = {"type": "string", **short, "enum": [value for value in short["enum"] if value]}
    if "items" in short:
        short["items"] = _shorten_field(short["items"], "")
    return {**short, "description": description} if description else short


OUTPUT_SCHEMA = {"type": "object"}


def merge_options(request: type[Struct], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Move the `options` of a search beside its other arguments, where they are accepted, too.

    >>> merge_options(SearchRequest, {"query": "x", "options": {"explain": True}, "limit": 3})
    {'query': 'x', 'limit': 3, 'explain': True}

    Raises:
        RequestError: they are not an object, or contradict another argument.
    """
    if request is not SearchRequest or "options" not in arguments:
        return dict(arguments)
    options = _parse_options(arguments["options"])
    merged = {name: value for name, value in arguments.items() if name != "options"}
    for name, value in options.items():
        if merged.get(name, value) != value:
            raise RequestError(f"`{name}` is set twice, with different values.", "Set it once.")
    return {**merged, **options}


def _parse_options(options: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    """Return the options as a mapping, also if a model wrote them as text."""
    if isinstance(options, str):
        try:
            options = json.loads(options or "{}")
        except ValueError:
            options = None
    if not isinstance(options, dict):
        raise RequestError("`options` is not an object.", f'Write it as {{"explain": true}}. See {OPTIONS_URI}')
    return options


def describe_options(defaults: ToolDefaults) -> str:
    """Describe the options of `search` in Markdown."""
    fields = flat_schema(SearchRequest)["properties"]
    lines = [
        "# Options of `search`",
        "",
        'Pass them as one object: `{"query": "rotate keys", "options": {"recipe": "deep", "explain": true}}`.',
        "",
    ]
    lines += [_option_line(name, field, defaults) for name, field in fields.items() if name not in _SEARCH_FIELDS]
    return "\n".join([*lines, ""])


def _option_line(name: str, field: Mapping[str, Any], defaults: ToolDefaults) -> str:
    values = defaults.recipes if name == "recipe" else tuple(filter(None, field.get("enum", ())))
    kind = "list" if field.get("type") == "array" else field.get("type", "string")
    default = field.get("default")
    details = f", default {json.dumps(default)}" if default not in ("", [], None) else ""
    choices = f" One of {', '.join(values)}." if values else ""
    return f"- `{name}` ({kind}{details}): {field.get('description', '')}{choices}"
