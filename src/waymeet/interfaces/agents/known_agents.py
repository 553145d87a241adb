"""Supported agents: paths and formats of their MCP server settings, as of November 2026."""

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
    """An agent with its settings files."""

    name: str
    title: str
    form: Literal["json", "toml"]
    table: str
    """The key of the servers in the file."""
    files: Mapping[str, Callable[[Path], Path]]
    """The settings file of each scope, as a function of the project's root."""
    folder: tuple[str, ...] = ()
    """Arguments that select the project; empty if the agent starts the server in the project folder."""
    extra: Mapping[str, str] = {}
    after: Mapping[str, str] = {}
    """The next step for the user, by scope."""


def _home(*parts: str) -> Callable[[Path], Path]:
    return lambda _root: Path.home().joinpath(*parts)


def _inside(*parts: str) -> Callable[[Path], Path]:
    return lambda root: root.joinpath(*parts)


def _application(*parts: str) -> Callable[[Path], Path]:
    """Return a file below the settings folder of desktop programs on this system."""

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
"""Both editors insert the opened folder here; neither guarantees it as the working folder of a server."""
AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            "json",
            "mcpServers",
            {"project": _inside(".mcp.json"), "user": _home(".claude.json")},
            after={"project": "Claude Code will ask at its next start whether to use this project's servers."},
        ),
        Agent(
            "claude-desktop",
            "Claude Desktop",
            "json",
            "mcpServers",
            {"user": _application("Claude", "claude_desktop_config.json")},
            folder=("-C", "{root}"),
            after={"user": "Restart Claude Desktop."},
        ),
        Agent(
            "cursor",
            "Cursor",
            "json",
            "mcpServers",
            {"project": _inside(".cursor", "mcp.json"), "user": _home(".cursor", "mcp.json")},
            folder=_WORKSPACE,
            after={"project": "Enable it in Cursor's settings, under MCP.", "user": "Restart Cursor."},
        ),
        Agent(
            "vscode",
            "VS Code",
            "json",
            "servers",
            {"project": _inside(".vscode", "mcp.json"), "user": _application("Code", "User", "mcp.json")},
            folder=_WORKSPACE,
            extra={"type": "stdio"},
            after={"project": "VS Code will ask whether to trust the server on first use."},
        ),
        Agent(
            "codex",
            "Codex",
            "toml",
            "mcp_servers",
            {"project": _inside(".codex", "config.toml"), "user": _codex},
            after={"project": "Codex reads this file only in trusted projects."},
        ),
    )
}


def settings_file(agent: Agent, scope: str, root: Path) -> Path:
    """Return the settings file of an agent. A file of the project must be inside the project.

    Raises:
        UsageError: the agent does not support the scope, or a symbolic link leaves the project.
    """
    if scope not in agent.files:
        raise UsageError(
            f"{agent.title} has no servers in {scope} settings.", f"Use --scope {next(iter(agent.files))}."
        )
    path = agent.files[scope](root)
    real = path.resolve()
    if scope == "project" and not real.is_relative_to(root.resolve()):
        raise UsageError(
            f"{path} is a symbolic link that leads out of the project.", "Check the link, or use --scope user."
        )
    return real


def server_entry(agent: Agent, scope: str, root: Path) -> dict[str, Any]:
    """Return the settings entry that starts the server.

    A project file is shared with other machines: it has the command without a path. The user's own file has the whole
    path, because programs that are not started from a shell do not have its PATH.
    """
    command = ["waymeet"] if scope == "project" else _own_command()
    folder = [part.replace("{root}", str(root)) for part in agent.folder]
    return {**agent.extra, "command": command[0], "args": [*command[1:], "mcp", *folder]}


def server_name(agent: Agent, root: Path) -> str:
    """Return the name of the server, with the project's name if projects share one file."""
    if agent.folder != ("-C", "{root}"):
        return "waymeet"
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in root.name)
    return f"waymeet-{plain or 'root'}"


def _own_command() -> list[str]:
    """Return the command of this program with its absolute path."""
    started = Path(sys.argv[0])
    if started.stem == "waymeet" and started.is_file():
        return [str(started.absolute())]
    installed = shutil.which("waymeet")
    return [str(Path(installed).absolute())] if installed else [sys.executable, "-m", "waymeet"]
