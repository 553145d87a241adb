"""`waymeet install`, and what `waymeet uninstall` shares with it."""

import sys
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

from waymeet.errors import UsageError
from waymeet.interfaces.agents.config_file import Plan, apply_plan, plan_registration, plan_removal
from waymeet.interfaces.agents.known_agents import AGENTS, Agent, server_entry, server_name, settings_file
from waymeet.interfaces.cli.common import json_option, open_project, print_json, print_lines, project_options, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.render.text import Line

_EPILOG = manual(
    """
    waymeet install --agent claude-code                  for this project: .mcp.json
    waymeet install --agent codex --scope user           for all your projects
    waymeet install --agent cursor --agent vscode --yes   without asking
    waymeet install --agent claude-desktop --dry-run     only shows what would change
    """,
    exits={0: "registered, or it was before", 1: "not done: you said no", 4: "the file was changed meanwhile"},
    see="waymeet uninstall, waymeet doctor",
)
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def agent_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which agent's settings are meant, and whether to ask."""
    options = (
        click.option(
            "--agent",
            "agents",
            multiple=True,
            required=True,
            type=click.Choice(list(AGENTS)),
            help="Which agent. Repeatable.",
        ),
        click.option(
            "--scope",
            type=click.Choice(["project", "user"]),
            help="In the project's settings or in your own [default: project, if the agent has such settings].",
        ),
        click.option("--name", help="What the agent calls the server [default: waymeet]."),
        click.option("--yes", is_flag=True, help="Do not ask."),
        click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command(short_help="Let an agent use Waymeet: register it in the agent's settings.", epilog=_EPILOG)
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
    """Let an agent use Waymeet: register its MCP server (`waymeet mcp`) in the agent's settings file.

    The change is shown as a diff, and made only when you agree. Comments and whatever else the file holds stay as they
    are; `waymeet uninstall` gives back the file as it was before.
    """
    with open_project(root, index, flags) as project:
        folder = project.root

    def plan(agent: Agent, chosen: str) -> Plan:
        path = settings_file(agent, chosen, folder)
        return plan_registration(agent, path, name or server_name(agent, folder), server_entry(agent, chosen, folder))

    return change_settings(agents, scope, plan, "Register", yes=yes, dry_run=dry_run, as_json=as_json, remember=True)


def change_settings(
    agents: tuple[str, ...],
    scope: str | None,
    plan: Callable[[Agent, str], Plan],
    what: str,
    *,
    yes: bool,
    dry_run: bool,
    as_json: bool,
    remember: bool,
) -> int:
    """Plan a change for each agent, show it, ask, and make it; give the exit code."""
    if as_json and not (yes or dry_run):
        raise click.UsageError("With --json nobody can be asked: add --yes or --dry-run.")
    told, refused = [], False
    for each in agents:
        agent = AGENTS[each]
        chosen = scope or next(iter(agent.files))
        planned = plan(agent, chosen)
        done = planned.changes and not dry_run and (yes or _agreed(agent, planned, what))
        if planned.changes and (yes or dry_run) and not as_json:
            print_lines(diff_lines(planned))
        if done:
            apply_plan(planned, remember=remember)
        refused |= planned.changes and not done and not dry_run
        told.append(
            {"agent": each, "scope": chosen, "path": str(planned.path), "changed": done, "diff": _diff(planned)}
        )
        if not as_json:
            _tell(agent, chosen, planned, done=done, dry_run=dry_run, remember=remember)
    if as_json:
        print_json(told)
    return 1 if refused else 0


def _agreed(agent: Agent, planned: Plan, what: str) -> bool:
    """Show a change and ask whether it is to be made."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("Nobody is there to be asked.", "Add --yes to agree, or --dry-run to see what would change.")
    print_lines(diff_lines(planned))
    return click.confirm(f"{what} Waymeet with {agent.title}?", default=True, err=True)


def _tell(agent: Agent, scope: str, planned: Plan, *, done: bool, dry_run: bool, remember: bool) -> None:
    if not planned.changes:
        state = "is registered" if remember else "is not registered"
        say(f"{agent.title}: Waymeet {state} in {planned.path}; nothing to do.")
    elif dry_run:
        say(f"{agent.title}: nothing was changed in {planned.path}.")
    elif not done:
        say(f"{agent.title}: left as it is.")
    elif remember:
        say(f"{agent.title}: registered in {planned.path}. {agent.after.get(scope, '')}".rstrip())
    else:
        how = "is as it was before" if planned.exact else "lost that entry and nothing else"
        how = "is gone, as there was none before" if planned.after is None else how
        say(f"{agent.title}: {planned.path} {how}.")


def _diff(planned: Plan) -> str:
    old, new = ((side or b"").decode("utf-8", "replace").splitlines() for side in (planned.before, planned.after))
    name = str(planned.path)
    names = ("/dev/null" if planned.before is None else name, "/dev/null" if planned.after is None else name)
    return "\n".join(unified_diff(old, new, *names, lineterm=""))


def diff_lines(planned: Plan) -> Iterator[Line]:
    """Show a change as a diff."""
    for row in _diff(planned).splitlines():
        heading = row.startswith(("+++", "---"))
        yield [(row, "bold" if heading else _STYLES.get(row[:1], ""))]


_UNINSTALL_EPILOG = manual(
    """
    waymeet uninstall --agent claude-code
    waymeet uninstall --agent codex --scope user --yes
    waymeet uninstall --agent vscode --dry-run     only shows what would change
    """,
    exits={0: "taken out, or it was not there", 1: "not done: you said no", 4: "the file was changed meanwhile"},
    see="waymeet install",
)


@click.command(short_help="Take back what `waymeet install` did.", epilog=_UNINSTALL_EPILOG)
@agent_options
@project_options
@json_option
def uninstall(
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
    with open_project(root, index, flags) as project:
        folder = project.root

    def plan(agent: Agent, chosen: str) -> Plan:
        return plan_removal(agent, settings_file(agent, chosen, folder), name or server_name(agent, folder))

    return change_settings(agents, scope, plan, "Unregister", yes=yes, dry_run=dry_run, as_json=as_json, remember=False)
