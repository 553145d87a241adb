"""The made parts of the pages: tables of what there is, read from the very objects that the program runs with."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click
import msgspec

from waymeet.interfaces.agents.known_agents import AGENTS
from waymeet.interfaces.cli import _SECTIONS, cli
from waymeet.interfaces.cli.manage.settings import descriptions
from waymeet.interfaces.http.openapi import build_description
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.prompts import list_prompts as prompts
from waymeet.interfaces.mcp.resources import TEMPLATES
from waymeet.interfaces.mcp.tools import TOOLS, ToolSpec, input_schema, tool_defaults
from waymeet.recipes import RECIPES
from waymeet.recipes.stage_table import STAGES
from waymeet.search.pipeline import stage_name
from waymeet.settings import PRIVATE, Settings, sources
from waymeet.settings.layers import list_keys

COLUMNS = 78


def row(*cells: str) -> str:
    """Write a row of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table."""
    heads = list(heads)
    return "\n".join([row(*heads), "|" + "---|" * len(heads), *(row(*each) for each in rows)])


def code(text: object) -> str:
    """Write something as code; nothing at all as a dash."""
    return f"`{text}`" if str(text) else "–"


def settings() -> str:
    """Describe every setting, a section at a time."""
    said, values, parts = descriptions(), dict(list_keys()), []
    for field in msgspec.structs.fields(Settings):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            about = (field.type.__doc__ or "").strip()
            chosen = [key for key in values if key.startswith(f"{field.name}.")]
        else:
            about, chosen = "A table whose keys you choose.", [field.name]
        rows = ((f"`{key}`<br>`{variable(key)}`", _default(values[key]), who(key), said.get(key, "")) for key in chosen)
        parts += [f"### {field.name}", about, table(("setting and variable", "default", "who", "meaning"), rows)]
    return "\n\n".join(parts)


def variable(key: str) -> str:
    """Name the environment variable of a setting."""
    return "WAYMEET_" + key.replace(".", "_").upper()


def who(key: str) -> str:
    """Say who may set it."""
    private = any(key == each or key.startswith(f"{each}.") for each in PRIVATE)
    return "you" if private else "you, project"


def _default(value: object) -> str:
    if isinstance(value, Mapping):
        return "none"
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, list | tuple):
        return " ".join(code(each) for each in value) or "none"
    return "none" if value is None else code(value) if str(value) else "empty"


def older_variables() -> str:
    """Give the table of variables with older names."""
    return "\n".join(line for line in (sources.__doc__ or "").splitlines() if line.startswith("|"))


def recipes() -> str:
    """List the recipes with their stages and modes."""
    rows = (
        (
            code(each.name),
            each.description,
            " → ".join(map(stage_name, each.stages)),
            " ".join(map(code, each.modes)) or "–",
        )
        for each in RECIPES.values()
    )
    return table(("recipe", "what it does", "stages", "modes"), rows)


def stages() -> str:
    """List the stages: what each does, needs and gives, and which recipes have it."""
    rows = []
    for name, part in STAGES.items():
        users = [each.name for each in RECIPES.values() if name in map(stage_name, each.stages)]
        using = "all" if len(users) == len(RECIPES) else ", ".join(users)
        about = (part.stage.__doc__ or "").partition("\n")[0]
        rows.append((code(name), about, part.needs or "–", part.gives or "–", using or "–"))
    return table(("stage", "what it does", "needs", "gives", "recipes"), rows)


def walked(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Give every command with the words by which it is called."""
    if path:
        yield path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            if inner is not None:
                yield from walked(inner, (*path, name))


def commands() -> str:
    """Give the manual of every command."""
    parts = []
    for path, command in walked(cli):
        called = " ".join(("waymeet", *path[:-1]))
        above = click.Context(click.Command("waymeet"), info_name=called, **cli.context_settings)
        context = click.Context(command, above, info_name=path[-1], terminal_width=COLUMNS)
        level = "##" if len(path) == 1 else "###"
        shown = re.sub(r"[ \t]+$", "", command.get_help(context), flags=re.MULTILINE)
        parts += [f"{level} waymeet {' '.join(path)}", f"```text\n{shown}\n```"]
    return "\n\n".join(parts)


def overview() -> str:
    """List the commands with a sentence each."""
    rows = (
        (f"[`waymeet {path[0]}`](commands.md#waymeet-{path[0]})", _first(command))
        for path, command in walked(cli)
        if len(path) == 1
    )
    return table(("command", "what it does"), rows)


def groups() -> str:
    """List the commands by what they are for, in a few lines."""
    rows = ((title, " ".join(map(code, names))) for title, names in _SECTIONS.items())
    return table(("to", "`waymeet …`"), rows)


def _first(command: click.Command) -> str:
    return command.short_help or (command.help or "").partition("\n")[0]


def tools() -> str:
    """Describe the tools for agents with their parameters."""
    return "\n\n".join(_tool(each) for each in TOOLS.values())


def _tool(offered: ToolSpec) -> str:
    kind = (
        "changes files of the project"
        if offered.writes
        else "changes the index"
        if offered.changes_index
        else "only reads"
    )
    schema = input_schema(offered.request, tool_defaults(Settings()))
    rows = (
        (code(name) + (" (needed)" if name in schema["required"] else ""), _kind(each), each.get("description", ""))
        for name, each in schema["properties"].items()
    )
    parameters = table(("parameter", "values", "meaning"), rows) if schema["properties"] else "It takes no parameters."
    return "\n\n".join([f"### `{offered.name}`", f"{offered.description} It {kind}.", parameters])


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        kind = " ".join(code(each) for each in schema["enum"] if each != "")
    elif schema.get("type") == "array":
        kind = f"list of {_kind(schema['items'])}"
    else:
        kind = str(schema.get("type", "any"))
        kind += f" {schema['minimum']}–{schema['maximum']}" if "minimum" in schema and "maximum" in schema else ""
    default = schema.get("default") or ""
    return f"{kind}; {code(str(default).lower())} if not given" if default else kind


def older_tools() -> str:
    """List the tools of other systems that can be offered."""
    rows = (
        (
            code(each.name),
            each.title,
            " ".join(map(code, input_schema(each.request, tool_defaults(Settings()))["properties"])),
        )
        for each in COMPAT.values()
    )
    return table(("tool", "what it does", "parameters"), rows)


def resources() -> str:
    """List what can be read by address."""
    return table(("address", "what it is"), ((code(each.uri_template), each.description or "") for each in TEMPLATES))


def ways_of_working() -> str:
    """List the prompts."""
    rows = (
        (code(each.name), code(each.arguments[0].name) if each.arguments else "–", each.description or "")
        for each in prompts(writing=True)
    )
    return table(("prompt", "argument", "what it does"), rows)


def agents() -> str:
    """List the agents that Waymeet can register itself with."""
    rows = ((code(each.name), each.title, " ".join(map(code, each.files))) for each in AGENTS.values())
    return table(("`--agent`", "program", "`--scope`"), rows)


def routes() -> str:
    """List methods and paths, what they do and whether they need the token."""
    rows = []
    for path, methods in build_description()["paths"].items():
        for method, way in methods.items():
            needs = "token" if way["security"] == [{"token": []}] else "–"
            rows.append((code(f"{method.upper()} {path}"), way["summary"], needs))
    return table(("request", "what it does", "needs"), rows)


PARTS: Mapping[str, Callable[[], str]] = {
    "settings": settings,
    "older-variables": older_variables,
    "recipes": recipes,
    "stages": stages,
    "commands": commands,
    "overview": overview,
    "groups": groups,
    "tools": tools,
    "older-tools": older_tools,
    "resources": resources,
    "prompts": ways_of_working,
    "agents": agents,
    "routes": routes,
}
"""What can stand between `begin` and `end` remarks."""
