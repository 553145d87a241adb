"""Generated tables of the pages, made from the objects that the program itself uses."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click
import msgspec
import scale_model

from waymeet.interfaces.agents.known_agents import AGENTS
from waymeet.interfaces.cli import _SECTIONS, cli
from waymeet.interfaces.cli.manage.settings import descriptions
from waymeet.interfaces.http.openapi import build_description
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.prompts import list_prompts as prompts
from waymeet.interfaces.mcp.resources import TEMPLATES
from waymeet.interfaces.mcp.tools import TOOLS, ToolSpec, input_schema, tool_defaults
from waymeet.interfaces.requests.schemas import flat_schema
from waymeet.recipes import RECIPES
from waymeet.recipes.stage_table import STAGES
from waymeet.search.pipeline import stage_name
from waymeet.settings import Settings, is_project_setting, sources
from waymeet.settings.layers import list_keys

COLUMNS = 78
"""Width of the manuals."""


def format_row(*cells: str) -> str:
    """Format a row of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def format_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Format a table."""
    header = list(header)
    return "\n".join([format_row(*header), "|" + "---|" * len(header), *(format_row(*row) for row in rows)])


def format_code(text: object) -> str:
    """Format a value as code, or as a dash if it is empty."""
    return f"`{text}`" if str(text) else "–"


def setting_tables() -> str:
    """Describe every setting, a table for each section."""
    docs, values, parts = descriptions(), dict(list_keys()), []
    for field in msgspec.structs.fields(Settings):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            about = (field.type.__doc__ or "").strip()
            keys = [key for key in values if key.startswith(f"{field.name}.")]
        else:
            about, keys = "A table whose keys you choose.", [field.name]
        rows = (
            (f"`{key}`<br>`{variable_name(key)}`", _format_default(values[key]), list_setters(key), docs.get(key, ""))
            for key in keys
        )
        parts += [f"### {field.name}", about, format_table(("setting and variable", "default", "who", "meaning"), rows)]
    return "\n\n".join(parts)


def variable_name(key: str) -> str:
    """Return the name of the environment variable of a setting."""
    return "WAYMEET_" + key.replace(".", "_").upper()


def list_setters(key: str) -> str:
    """List who may set a setting: the user, or the project's file as well."""
    return "you, project" if is_project_setting(key) else "you"


def _format_default(value: object) -> str:
    if isinstance(value, Mapping):
        return "none"
    if isinstance(value, bool):
        return format_code(str(value).lower())
    if isinstance(value, list | tuple):
        return " ".join(format_code(item) for item in value) or "none"
    return "none" if value is None else format_code(value) if str(value) else "empty"


def alias_table() -> str:
    """Return the table of second names of environment variables."""
    switches = {
        "WAYMEET_ENABLE_CROSS_ENCODER": "`rerank.provider`: `auto` if true, `none` if false",
        "WAYMEET_CROSS_ENCODER_PROVIDER": "`rerank.provider`, where the reranker is enabled by the variable above",
        "WAYMEET_RERANK_CACHE_TTL": "`rerank.cache_seconds`, given in milliseconds",
    }
    rows = [*switches.items(), *((name, f"`{key}`") for name, key in sources.SAME_VALUE.items())]
    return format_table(("variable", "setting"), ((f"`{name}`", meaning) for name, meaning in rows))


def recipe_table() -> str:
    """List the recipes with their stages and modes."""
    rows = (
        (
            format_code(recipe.name),
            recipe.description,
            " → ".join(map(stage_name, recipe.stages)),
            " ".join(map(format_code, recipe.modes)) or "–",
        )
        for recipe in RECIPES.values()
    )
    return format_table(("recipe", "what it does", "stages", "modes"), rows)


def stage_table() -> str:
    """List the stages: what each does, needs and gives, and which recipes have it."""
    rows = []
    for name, stage in STAGES.items():
        recipes = [recipe.name for recipe in RECIPES.values() if name in map(stage_name, recipe.stages)]
        used_by = "all" if len(recipes) == len(RECIPES) else ", ".join(recipes)
        about = (stage.stage.__doc__ or "").partition("\n")[0]
        rows.append((format_code(name), about, stage.needs or "–", stage.gives or "–", used_by or "–"))
    return format_table(("stage", "what it does", "needs", "gives", "recipes"), rows)


def walk_commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with the words that call it."""
    if path:
        yield path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            subcommand = command.get_command(click.Context(command), name)
            if subcommand is not None:
                yield from walk_commands(subcommand, (*path, name))


def command_manuals() -> str:
    """Return the manuals of all commands."""
    parts = []
    for path, command in walk_commands(cli):
        parent_name = " ".join(("waymeet", *path[:-1]))
        parent = click.Context(click.Command("waymeet"), info_name=parent_name, **cli.context_settings)
        context = click.Context(command, parent, info_name=path[-1], terminal_width=COLUMNS)
        level = "##" if len(path) == 1 else "###"
        manual = re.sub(r"[ \t]+$", "", command.get_help(context), flags=re.MULTILINE)
        parts += [f"{level} waymeet {' '.join(path)}", f"```text\n{manual}\n```"]
    return "\n\n".join(parts)


def command_table() -> str:
    """List the commands with their summaries."""
    rows = (
        (f"[`waymeet {path[0]}`](commands.md#waymeet-{path[0]})", _summary(command))
        for path, command in walk_commands(cli)
        if len(path) == 1
    )
    return format_table(("command", "what it does"), rows)


def group_table() -> str:
    """List the commands by group."""
    rows = ((title, " ".join(map(format_code, names))) for title, names in _SECTIONS.items())
    return format_table(("to", "`waymeet …`"), rows)


def _summary(command: click.Command) -> str:
    return command.short_help or (command.help or "").partition("\n")[0]


def tool_tables() -> str:
    """Describe the MCP tools with their parameters."""
    return "\n\n".join(_describe_tool(tool) for tool in TOOLS.values())


def _describe_tool(tool: ToolSpec) -> str:
    effect = (
        "changes files of the project" if tool.writes else "changes the index" if tool.changes_index else "only reads"
    )
    listed = input_schema(tool.request, tool_defaults(Settings()))["properties"]
    schema = flat_schema(tool.request)
    unlisted = "in `options`" if "options" in listed else "not listed"
    required = dict.fromkeys(schema.get("required", ()), "required")
    remarks = {name: required.get(name, "" if name in listed else unlisted) for name in schema["properties"]}
    rows = [
        (
            format_code(name) + (f" ({remarks[name]})" if remarks[name] else ""),
            _describe_type(parameter),
            parameter.get("description", ""),
        )
        for name, parameter in sorted(schema["properties"].items(), key=lambda item: remarks[item[0]] == unlisted)
    ]
    if "options" in listed:
        rows.append(("`options`", "object", "The parameters marked above, as one object."))
    parameters = format_table(("parameter", "values", "meaning"), rows) if rows else "It takes no parameters."
    return "\n\n".join([f"### `{tool.name}`", f"{tool.description} It {effect}.", parameters])


def _describe_type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        kind = " ".join(format_code(value) for value in schema["enum"] if value != "")
    elif schema.get("type") == "array":
        kind = f"list of {_describe_type(schema['items'])}"
    else:
        kind = str(schema.get("type", "any"))
        kind += f" {schema['minimum']}–{schema['maximum']}" if "minimum" in schema and "maximum" in schema else ""
    default = schema.get("default") or ""
    return f"{kind}; {format_code(str(default).lower())} if not given" if default else kind


def compat_tool_table() -> str:
    """List the tools under the names of other systems."""
    rows = (
        (
            format_code(tool.name),
            tool.title,
            " ".join(map(format_code, input_schema(tool.request, tool_defaults(Settings()))["properties"])),
        )
        for tool in COMPAT.values()
    )
    return format_table(("tool", "what it does", "parameters"), rows)


def resource_table() -> str:
    """List the MCP resources."""
    return format_table(
        ("address", "what it is"),
        ((format_code(template.uri_template), template.description or "") for template in TEMPLATES),
    )


def prompt_table() -> str:
    """List the MCP prompts."""
    rows = (
        (
            format_code(prompt.name),
            format_code(prompt.arguments[0].name) if prompt.arguments else "–",
            prompt.description or "",
        )
        for prompt in prompts(writing=True)
    )
    return format_table(("prompt", "argument", "what it does"), rows)


def agent_table() -> str:
    """List the agents that Waymeet can register itself with."""
    rows = (
        (format_code(agent.name), agent.title, " ".join(map(format_code, agent.files))) for agent in AGENTS.values()
    )
    return format_table(("`--agent`", "program", "`--scope`"), rows)


def route_table() -> str:
    """List the HTTP routes, what they do and whether they need the token."""
    rows = []
    for path, methods in build_description()["paths"].items():
        for method, route in methods.items():
            needs = "token" if route["security"] == [{"token": []}] else "–"
            rows.append((format_code(f"{method.upper()} {path}"), route["summary"], needs))
    return format_table(("request", "what it does", "needs"), rows)


def scale_constants() -> str:
    """List the constants of the sizing model."""
    return format_table(("quantity", "measured"), scale_model.constant_rows())


def scale_plan() -> str:
    """List what numbers of sections need."""
    header = ("sections", "disk", "memory of a server", "servers", "storing, one core", "embedding, one core", "layout")
    return format_table(header, scale_model.plan_rows())


PARTS: Mapping[str, Callable[[], str]] = {
    "settings": setting_tables,
    "variable-aliases": alias_table,
    "recipes": recipe_table,
    "stages": stage_table,
    "commands": command_manuals,
    "overview": command_table,
    "groups": group_table,
    "tools": tool_tables,
    "compat-tools": compat_tool_table,
    "resources": resource_table,
    "prompts": prompt_table,
    "agents": agent_table,
    "routes": route_table,
    "scale-constants": scale_constants,
    "scale-plan": scale_plan,
}
"""The parts between `begin` and `end` comments, by name."""
