"""Where agents keep the servers they know, and in which form. Looked up in November 2026."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from waymeet.errors import UsageError

Scope = Literal["project", "user"]


class Agent(Struct, frozen=True):
    """An agent, and where its settings are."""

    name: str
    title: str
    form: Literal["json", "toml"]
    table: str
    """The key under which servers stand."""
    files: Mapping[str, Callable[[Path], Path]]
    """The settings file for each scope, given the project's root."""
    folder: tuple[str, ...] = ()
    """What tells the server which project is meant; empty if it is started in the project's folder."""
    extra: Mapping[str, str] = {}
    after: Mapping[str, str] = {}
    """What the user has to do then, by scope."""


def _home(*parts: str) -> Callable[[Path], Path]:
    return lambda _root: Path.home().joinpath(*parts)


def _inside(*parts: str) -> Callable[[Path], Path]:
    return lambda root: root.joinpath(*parts)


def _application(*parts: str) -> Callable[[Path], Path]:
    """Give a file below the folder where desktop programs keep their settings on this system."""

    def place(_root: Path) -> Path:
        if sys.platform == "darwin":
            base = Path.home() / "Library" / "Application Support"
        elif sys.platform == "win32":
            base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
        else:
            base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return base.joinpath(*parts)

    return place


def _codex(_root: Path) -> Path:
    return Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml"


_WORKSPACE = ("-C", "${workspaceFolder}")
"""Both editors put the opened folder here; neither promises to start a server in it."""
AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            "json",
            "mcpServers",
            {"project": _inside(".mcp.json"), "user": _home(".claude.json")},
            after={"project": "Claude Code asks once, at its next start, whether this project's servers may be used."},
        ),
        Agent(
            "claude-desktop",
            "Claude Desktop",
            "json",
            "mcpServers",
            {"user": _application("Claude", "claude_desktop_config.json")},
            folder=("-C", "{root}"),
            after={"user": "Quit Claude Desktop and start it again."},
        ),
        Agent(
            "cursor",
            "Cursor",
            "json",
            "mcpServers",
            {"project": _inside(".cursor", "mcp.json"), "user": _home(".cursor", "mcp.json")},
            folder=_WORKSPACE,
            after={"project": "Switch it on in Cursor's settings, under MCP.", "user": "Restart Cursor."},
        ),
        Agent(
            "vscode",
            "VS Code",
            "json",
            "servers",
            {"project": _inside(".vscode", "mcp.json"), "user": _application("Code", "User", "mcp.json")},
            folder=_WORKSPACE,
            extra={"type": "stdio"},
            after={"project": "VS Code asks whether the server is trusted when it is first used."},
        ),
        Agent(
            "codex",
            "Codex",
            "toml",
            "mcp_servers",
            {"project": _inside(".codex", "config.toml"), "user": _codex},
            after={"project": "Codex reads this file only in projects that it was told to trust."},
        ),
    )
}


def settings_file(agent: Agent, scope: str, root: Path) -> Path:
    """Say which file to change; one that belongs to the project must lie inside of it.

    Raises:
        UsageError: the agent has no such scope, or a link leads out of the project.
    """
    if scope not in agent.files:
        raise UsageError(f"{agent.title} knows no servers per {scope}.", f"Use --scope {next(iter(agent.files))}.")
    path = agent.files[scope](root)
    real = path.resolve()
    if scope == "project" and not real.is_relative_to(root.resolve()):
        raise UsageError(f"{path} is a link that leads out of the project.", "Look at it, and use --scope user.")
    return real


def server_entry(agent: Agent, scope: str, root: Path) -> dict[str, Any]:
    """Say how the agent starts the server.

    A file of the project is shared with others: there the command is found by its name. In the user's own file it is
    named with its path, for programs that were not started from a shell do not know the shell's.
    """
    command = ["waymeet"] if scope == "project" else _command()
    folder = [part.replace("{root}", str(root)) for part in agent.folder]
    return {**agent.extra, "command": command[0], "args": [*command[1:], "mcp", *folder]}


def server_name(agent: Agent, root: Path) -> str:
    """Name the server: where one file serves several projects, by the project."""
    if agent.folder != ("-C", "{root}"):
        return "waymeet"
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in root.name)
    return f"waymeet-{plain or 'root'}"


def _command() -> list[str]:
    """Give the command that started us, as one that works from anywhere."""
    started = Path(sys.argv[0])
    if started.stem == "waymeet" and started.is_file():
        return [str(started.absolute())]
    found = shutil.which("waymeet")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "waymeet"]
