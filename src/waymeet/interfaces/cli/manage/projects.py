"""`waymeet projects`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from waymeet.interfaces.cli.common import format_count, json_option, print_json, print_lines, say
from waymeet.interfaces.cli.group import Group
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.shell_complete import complete_projects
from waymeet.interfaces.render.text import Line
from waymeet.paths import existing_folder, index_file, is_visible
from waymeet.project.registered import registry
from waymeet.project.registered.registry import RegisteredProject

_EPILOG = manual(
    """
    waymeet projects                        list them
    waymeet projects add ~/wiki             add a folder that is indexed
    waymeet projects rename work-api api
    waymeet projects forget old-wiki        deletes no file
    waymeet search --all how are keys rotated
    waymeet search --in-project api,wiki how are keys rotated
    """,
    exits={0: "done, or found", 1: "there is none"},
    see="waymeet search, waymeet index, waymeet token",
)
_NAME = click.argument("name", shell_complete=complete_projects)


class ProjectLine(Struct, frozen=True):
    """A project, as it is printed."""

    name: str
    root: str
    index: str
    state: str
    """`ready`, `folder missing`, `not indexed`, or both problems."""


@click.group(cls=Group, invoke_without_command=True, epilog=_EPILOG)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> int | None:
    """List the projects that search --all covers, or change the list.

    A folder is added when it is indexed, under its own name. With --index or WAYMEET_INDEX it is not added; `waymeet
    projects add` does that.
    """
    if ctx.invoked_subcommand:
        return None
    return _print_list(as_json=as_json)


@command.command(
    "list",
    short_help="List the projects.",
    epilog=manual(
        """
        waymeet projects list
        waymeet projects list --json
        """,
        exits={0: "found", 1: "there is none"},
        see="waymeet search --all, waymeet status",
    ),
)
@json_option
def _list(as_json: bool) -> int:
    """List the projects with their folders and whether they can be searched."""
    return _print_list(as_json=as_json)


@command.command(
    "add",
    short_help="Add a folder.",
    epilog=manual(
        """
        waymeet projects add
        waymeet projects add ~/wiki --name handbook
        waymeet projects add ~/wiki --index ~/indexes/wiki.sqlite
        """,
        exits={0: "added, or known"},
        see="waymeet index, waymeet projects rename",
    ),
)
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--name", default="", help="Its name [default: that of the folder].")
@click.option("--index", "index", type=click.Path(path_type=Path), help="Index file [default: in your data folder].")
@json_option
def _add(folder: Path | None, name: str, index: Path | None, as_json: bool) -> int:
    """Add FOLDER to the list, by default the current one. It is indexed by `waymeet index`."""
    root = existing_folder(folder or Path())
    entry = registry.register(root, index_file(root, index) if index else None, name)
    if as_json:
        print_json(_describe(entry))
        return 0
    say(f"{entry.root} is registered as {entry.name}.")
    if not is_visible(entry.index_path):
        say(f"It is not indexed yet. Run: waymeet index {entry.root}", err=True)
    return 0


@command.command(
    "forget",
    short_help="Remove a project from the list.",
    epilog=manual(
        """
        waymeet projects forget old-wiki
        """,
        exits={0: "removed"},
        see="waymeet projects",
    ),
)
@_NAME
@json_option
def _forget(name: str, as_json: bool) -> int:
    """Remove the project NAME from the list.

    No file is deleted: neither the folder nor its index. Tokens lose their rights to it. It is added again when it is
    next indexed.
    """
    entry = registry.forget(name)
    if as_json:
        print_json(_describe(entry))
        return 0
    say(f"Removed {entry.name} from the list. No file was deleted: the folder is {entry.root}")
    if is_visible(entry.index_path):
        say(f"Its index is still {entry.index_path}")
    return 0


@command.command(
    "rename",
    short_help="Give a project another name.",
    epilog=manual(
        """
        waymeet projects rename work-api api
        """,
        exits={0: "renamed"},
        see="waymeet projects",
    ),
)
@_NAME
@click.argument("new_name")
@json_option
def _rename(name: str, new_name: str, as_json: bool) -> int:
    """Rename the project NAME to NEW_NAME. Its folder keeps its name.

    Tokens keep their rights to it.
    """
    entry = registry.rename(name, new_name)
    print_json(_describe(entry)) if as_json else say(f"{entry.root} is now called {entry.name}.")
    return 0


def _print_list(*, as_json: bool) -> int:
    rows = [_describe(entry) for entry in registry.list_projects()]
    if as_json:
        print_json({"projects": rows})
    elif rows:
        print_lines(_lines(rows))
    else:
        say("No project is registered yet. A folder is added when it is indexed: waymeet index")
    return 0 if rows else 1


def _describe(entry: RegisteredProject) -> ProjectLine:
    problems = [] if is_visible(Path(entry.root)) else ["folder missing"]
    if not is_visible(entry.index_path):
        problems.append("not indexed")
    return ProjectLine(entry.name, entry.root, str(entry.index_path), ", ".join(problems) or "ready")


def _lines(rows: Sequence[ProjectLine]) -> Iterator[Line]:
    width = max(len(row.name) for row in rows)
    for row in rows:
        state: Line = [] if row.state == "ready" else [(f"  ({row.state})", "yellow")]
        yield [(row.name.ljust(width), "bold"), (f"  {row.root}", ""), *state]
    yield []
    yield [(f"{format_count(len(rows), 'project')}. Search all: waymeet search --all QUERY", "dim")]
