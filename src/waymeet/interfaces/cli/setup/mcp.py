"""`waymeet mcp`."""

import asyncio
import sys
from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    json_option,
    no_background_option,
    open_project,
    print_json,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual

_EPILOG = manual(
    """
    waymeet mcp                         started by an agent; see waymeet install
    waymeet mcp -C ~/projects/shop      another project
    waymeet mcp --read-only             without tools that write
    waymeet mcp --compat                also docs_search, code_search and so on
    waymeet mcp --list                  list the tools
    waymeet mcp --set mcp.budget=8000   longer answers
    """,
    exits={0: "the agent closed the connection"},
    see="waymeet install, waymeet index, waymeet status",
)


@click.command(epilog=_EPILOG)
@click.option("--read-only", is_flag=True, help="Offer only tools that do not write.")
@click.option("--compat", is_flag=True, help="Also offer tools under the names of other systems.")
@click.option("--list", "listing", is_flag=True, help="List the tools and exit.")
@no_background_option
@project_options
@json_option
def command(
    read_only: bool,
    compat: bool,
    listing: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Serve an agent over the Model Context Protocol (MCP), by standard input and output.

    The agent starts this command and ends it. The project is indexed in the background, changed files included.
    """
    if listing:
        return _print_tools(read_only=read_only, compat=compat, as_json=as_json)
    if sys.stdin is not None and sys.stdin.isatty():
        say("Waiting for MCP messages on standard input; Ctrl-D ends it. To register it: waymeet install", err=True)
    project = open_project(root, index, flags)
    from waymeet.interfaces.mcp.stdio_pipes import claim_pipes

    pipes = claim_pipes()  # before an import can print
    from waymeet.interfaces.async_project import AsyncProject
    from waymeet.interfaces.mcp.server import serve_stdio

    asyncio.run(serve_stdio(pipes, AsyncProject(project), read_only=read_only, compat=compat))
    return 0


def _print_tools(*, read_only: bool, compat: bool, as_json: bool) -> int:
    from waymeet.interfaces.mcp.compat import COMPAT
    from waymeet.interfaces.mcp.tools import TOOLS

    tools = [*TOOLS.values(), *(COMPAT.values() if compat else ())]
    offered = [tool for tool in tools if not (read_only and (tool.writes or tool.changes_index))]
    if as_json:
        print_json([{"name": tool.name, "title": tool.title, "description": tool.description} for tool in offered])
    else:
        for tool in offered:
            say(f"{tool.name:<18} {tool.title}")
    return 0
