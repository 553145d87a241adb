"""`waymeet mcp`."""

import asyncio
import sys
from pathlib import Path

import click

from waymeet.interfaces.cli.common import json_option, opened, print_json, project_options, say
from waymeet.interfaces.cli.help import manual

_EPILOG = manual(
    """
    waymeet mcp                              for an agent to start; waymeet install registers it
    waymeet mcp -C ~/projects/shop           for another folder
    waymeet mcp --read-only                  nothing can be changed through it
    waymeet mcp --compat                     with docs_search, code_search, deep_search and others
    waymeet mcp --list                       which tools there are
    waymeet mcp --set mcp.budget=8000        longer answers
    """,
    exits={0: "the agent is gone, or it was ended"},
    see="waymeet install, waymeet index, waymeet status",
)


@click.command(short_help="Serve agents by the Model Context Protocol.", epilog=_EPILOG)
@click.option("--read-only", is_flag=True, help="Offer no tool that changes anything.")
@click.option("--compat", is_flag=True, help="Offer also the tools of other systems under their own names.")
@click.option("--list", "listing", is_flag=True, help="List the tools and end.")
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
    """Serve an agent by the Model Context Protocol, over standard input and output.

    An agent starts it and speaks with it; nothing but messages is printed. It ends with the agent. The project is
    indexed in the background if it was not, and what changed is read.
    """
    if listing:
        return _listed(read_only=read_only, compat=compat, as_json=as_json)
    if sys.stdin is not None and sys.stdin.isatty():
        say("waymeet mcp waits for an agent's messages here; Ctrl-D ends it. To register it: waymeet install", err=True)
    project = opened(root, index, flags)
    from waymeet.interfaces.mcp.stdio_pipes import claim_pipes

    wires = claim_pipes()  # before anything is imported that might print
    from waymeet.interfaces.async_project import AsyncProject
    from waymeet.interfaces.mcp.server import serve_stdio

    held = AsyncProject(project)
    asyncio.run(serve_stdio(wires, held, read_only=read_only, compat=compat))
    return 0


def _listed(*, read_only: bool, compat: bool, as_json: bool) -> int:
    from waymeet.interfaces.mcp.compat import COMPAT
    from waymeet.interfaces.mcp.tools import TOOLS

    tools = [*TOOLS.values(), *(COMPAT.values() if compat else ())]
    shown = [each for each in tools if not (read_only and (each.writes or each.changes_index))]
    if as_json:
        print_json([{"name": each.name, "title": each.title, "description": each.description} for each in shown])
    else:
        for each in shown:
            say(f"{each.name:<18} {each.title}")
    return 0
