"""Settings of the terminal and of the MCP server."""

from msgspec import Struct

from waymeet.settings.constraints import Number, Weight


class Terminal(Struct, frozen=True, forbid_unknown_fields=True):
    """Output on a terminal. Not read from a project's file."""

    links: str = "file"
    """Target of links on file names: `file`, `vscode`, `cursor`, `idea`, `none`, or a URL with {path} and {line} in
    it."""
    pager: bool = True
    """Whether output longer than the screen is shown in $PAGER, or in `less`."""
    notice_seconds: Weight = 2.0
    """Time after which a command that does not write to a terminal says on standard error what it is doing; 0 for
    never."""
    preview_seconds: Weight = 0.5
    """Time for a preview of matching lines before the first indexing of a folder; 0 disables it."""


class Mcp(Struct, frozen=True, forbid_unknown_fields=True):
    """The MCP server, `waymeet mcp`."""

    budget: Number = 4000
    """Maximum size of an answer in tokens (estimated), unless the request sets it."""
    wait_seconds: Weight = 20.0
    """Time that a request waits for the first indexing of a project; MCP clients have timeouts of their own."""
    index_at_start: bool = True
    """Whether the server updates the index, or creates it, as soon as it starts."""
    other_projects: bool = True
    """Whether agents may search and read your other projects, if a request names them. Not read from a project's
    file."""
