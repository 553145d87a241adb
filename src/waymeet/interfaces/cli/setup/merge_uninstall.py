"""`waymeet uninstall`."""

from pathlib import Path

import click

from waymeet.interfaces.agents.config_file import Plan, removing
from waymeet.interfaces.agents.known_agents import Agent, server_name, settings_file
from waymeet.interfaces.cli.common import json_option, opened, project_options
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.setup.install import agent_options, change_settings

_EPILOG = manual(
    """
    waymeet uninstall --agent claude-code
    waymeet uninstall --agent codex --scope user --yes
    waymeet uninstall --agent vscode --dry-run     only shows what would change
    """,
    exits={0: "taken out, or it was not there", 1: "not done: you said no", 4: "the file was changed meanwhile"},
    see="waymeet install",
)


@click.command(short_help="Take back what `waymeet install` did.", epilog=_EPILOG)
@agent_options
@project_options
@json_option
def command(
    agents: tuple[str, ...],
    scope: str | None,
    name: str | None,
    yes: bool,
    dry_run: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Take back what `waymeet install` did.

    If nobody changed the file since, it is given back byte for byte, or removed if there was none. Else only the entry
    of Waymeet is taken out.
    """
    with opened(root, index, flags) as project:
        folder = project.root

    def plan(agent: Agent, chosen: str) -> Plan:
        return removing(agent, settings_file(agent, chosen, folder), name or server_name(agent, folder))

    return change_settings(agents, scope, plan, "Unregister", yes=yes, dry_run=dry_run, as_json=as_json, remember=False)
