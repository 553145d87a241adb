"""`waymeet install` and `waymeet uninstall`."""

import sys
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from waymeet.errors import UsageError
from waymeet.interfaces.agents.config_file import Plan, apply_plan, plan_registration, plan_removal
from waymeet.interfaces.agents.known_agents import AGENTS, Agent, server_entry, server_name, settings_file
from waymeet.interfaces.cli.common import json_option, open_project, print_json, print_lines, project_options, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.render.text import Line

_EPILOG = manual(
    """
    waymeet install --agent claude-code                  this project: .mcp.json
    waymeet install --agent codex --scope user           all your projects
    waymeet install --agent cursor --agent vscode --yes   without asking
    waymeet install --agent claude-desktop --dry-run     only show the change
    """,
    exits={0: "registered", 1: "declined", 4: "the file was changed meanwhile"},
    see="waymeet uninstall, waymeet doctor",
)
_UNINSTALL_EPILOG = manual(
    """
    waymeet uninstall --agent claude-code
    waymeet uninstall --agent codex --scope user --yes
    waymeet uninstall --agent vscode --dry-run     only show the change
    """,
    exits={0: "removed, or not registered", 1: "declined", 4: "the file was changed meanwhile"},
    see="waymeet install",
)
_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_OPTIONS = (
    click.option(
        "--agent", "agents", multiple=True, required=True, type=click.Choice(list(AGENTS)), help="Agent. Repeatable."
    ),
    click.option(
        "--scope",
        type=click.Choice(["project", "user"]),
        help="Project settings or user settings [default: project, if the agent has them].",
    ),
    click.option("--name", help="Name of the server in the agent's settings [default: waymeet]."),
    click.option("--yes", is_flag=True, help="Do not ask."),
    click.option("--dry-run", is_flag=True, help="Show the change without making it."),
    project_options,
    json_option,
)


class _Call(Struct, frozen=True):
    """The options that both commands share."""

    agents: tuple[str, ...]
    scope: str | None
    name: str | None
    yes: bool
    dry_run: bool
    root: Path | None
    index: Path | None
    flags: tuple[str, ...]
    as_json: bool


def _shared_options(command: Callable[[_Call], int]) -> Callable[..., int]:
    """Add the options of both commands, passed to the command as one `_Call`."""

    def run(**options: Any) -> int:  # noqa: ANN401 - named like the fields of a call
        return command(_Call(**options))

    run.__doc__ = command.__doc__
    decorated: Callable[..., int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


@click.command("install", epilog=_EPILOG)
@_shared_options
def command(call: _Call) -> int:
    """Register the MCP server (`waymeet mcp`) in an agent's settings file.

    The change is shown as a diff before you confirm it. Comments and all other content stay;
    `waymeet uninstall` restores the file.
    """

    def plan(agent: Agent, scope: str, root: Path) -> Plan:
        path = settings_file(agent, scope, root)
        return plan_registration(agent, path, call.name or server_name(agent, root), server_entry(agent, scope, root))

    return _change_settings(call, plan, is_install=True)


@click.command("uninstall", epilog=_UNINSTALL_EPILOG)
@_shared_options
def uninstall(call: _Call) -> int:
    """Undo `waymeet install`.

    If the file has not changed since, its previous content is restored byte for byte, or the file is removed if it did
    not exist. Otherwise only the entry of Waymeet is removed.
    """

    def plan(agent: Agent, scope: str, root: Path) -> Plan:
        return plan_removal(agent, settings_file(agent, scope, root), call.name or server_name(agent, root))

    return _change_settings(call, plan, is_install=False)


def _change_settings(call: _Call, plan_change: Callable[[Agent, str, Path], Plan], *, is_install: bool) -> int:
    """Plan, show, confirm and apply a change for each agent, and return the exit code."""
    if call.as_json and not (call.yes or call.dry_run):
        raise click.UsageError("--json cannot ask for confirmation: add --yes or --dry-run.")
    with open_project(call.root, call.index, call.flags) as project:
        root = project.root
    results, is_declined = [], False
    for name in call.agents:
        agent = AGENTS[name]
        scope = call.scope or next(iter(agent.files))
        plan = plan_change(agent, scope, root)
        is_applied = plan.changes and _apply(call, agent, plan, is_install=is_install)
        is_declined |= plan.changes and not is_applied and not call.dry_run
        results.append(
            {"agent": name, "scope": scope, "path": str(plan.path), "changed": is_applied, "diff": _diff(plan)}
        )
        if not call.as_json:
            outcome = _describe_outcome(agent, scope, plan, is_install=is_install)
            say(f"{agent.title}: {f'{plan.path} was not changed.' if plan.changes and not is_applied else outcome}")
    if call.as_json:
        print_json(results)
    return 1 if is_declined else 0


def _apply(call: _Call, agent: Agent, plan: Plan, *, is_install: bool) -> bool:
    """Make a change after confirmation, and return whether it was made."""
    is_applied = not call.dry_run and (call.yes or _confirm(agent, plan, is_install=is_install))
    if (call.yes or call.dry_run) and not call.as_json:
        print_lines(diff_lines(plan))
    if is_applied:
        apply_plan(plan, remember=is_install)
    return is_applied


def _confirm(agent: Agent, plan: Plan, *, is_install: bool) -> bool:
    """Show a change and ask whether to make it."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "Not a terminal: cannot ask for confirmation.", "Add --yes to confirm, or --dry-run to see the change."
        )
    print_lines(diff_lines(plan))
    question = f"Register Waymeet with {agent.title}?" if is_install else f"Unregister Waymeet from {agent.title}?"
    return click.confirm(question, default=True, err=True)


def _describe_outcome(agent: Agent, scope: str, plan: Plan, *, is_install: bool) -> str:
    if not plan.changes:
        return f"Waymeet is {'already' if is_install else 'not'} registered in {plan.path}."
    if is_install:
        return f"registered in {plan.path}. {agent.after.get(scope, '')}".rstrip()
    if plan.after is None:
        return f"{plan.path} was removed; it did not exist before."
    if plan.exact:
        return f"{plan.path} was restored."
    return f"the entry of Waymeet was removed from {plan.path}."


def _diff(plan: Plan) -> str:
    old, new = ((side or b"").decode("utf-8", "replace").splitlines() for side in (plan.before, plan.after))
    name = str(plan.path)
    names = ("/dev/null" if plan.before is None else name, "/dev/null" if plan.after is None else name)
    return "\n".join(unified_diff(old, new, *names, lineterm=""))


def diff_lines(plan: Plan) -> Iterator[Line]:
    """Format a change as a diff."""
    for row in _diff(plan).splitlines():
        is_heading = row.startswith(("+++", "---"))
        yield [(row, "bold" if is_heading else _STYLES.get(row[:1], ""))]
