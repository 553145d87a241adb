"""The MCP server of a team's server over all projects that the sender may read."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ListToolsResult, TextContent
from msgspec import Struct
from msgspec.structs import replace

from waymeet import __version__
from waymeet.errors import WaymeetError
from waymeet.interfaces.http.middleware import SENDER
from waymeet.interfaces.mcp.call_tool import to_error_result
from waymeet.interfaces.mcp.render import UNTRUSTED
from waymeet.interfaces.mcp.schemas import merge_options
from waymeet.interfaces.mcp.structured import shorten_snippets, to_structured
from waymeet.interfaces.mcp.tools import TOOLS, ToolSpec, describe_tools, tool_defaults
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.teams.token_store import Sender
from waymeet.settings import Settings

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import PaginatedRequestParams

    Context = ServerRequestContext[None, Any]

Call = Callable[[Sender, Any], Awaitable[Any]]
"""Answers a request of a sender from the projects that the sender may read."""

_INSTRUCTIONS = f"""\
Waymeet searches several projects of a team: those that your token may read. `projects` lists them.
- For a question, an error message or a symbol: `search`, then `read` the best ids. Cite ids.
- Ids begin with the name of the project: `tea::docs/water.md#L1-L3`.
- Notes, tasks, skills and links of one project: use its own MCP server, /projects/NAME/mcp.
`degraded` lists what limited an answer. {UNTRUSTED}"""


class ProjectsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List the projects."""


class ListedProject(Struct, frozen=True):
    """A project that the sender may read."""

    name: str
    may_write: bool


class ListedProjects(Struct, frozen=True):
    """The projects that the sender may read."""

    projects: tuple[ListedProject, ...]


def _list_text(listed: ListedProjects) -> str:
    lines = (f"{each.name}{' (you may change it)' if each.may_write else ''}" for each in listed.projects)
    return "\n".join(lines) or "Your token may read no project here."


def _refuse_call(_project: object, _request: object) -> None:
    raise NotImplementedError  # tools are called by `TeamAgents`, which knows the sender


_TOOLS: Mapping[str, ToolSpec] = {
    "search": TOOLS["search"]._replace(
        title="Search the projects",
        description="Search the docs, code, notes, tasks and skills of all your projects by words, meaning and links, "
        "or of some by `projects`. Every hit has an id (`project::path#L10-L24`): pass it to `read`, and cite it.",
    ),
    "read": TOOLS["read"]._replace(
        description="Read a section by an id from `search`, or lines of an indexed file, as `project::path`."
    ),
    "projects": ToolSpec(
        name="projects",
        title="List the projects",
        description="List the projects that you may read.",
        request=ProjectsRequest,
        answer=ListedProjects,
        call=_refuse_call,
        text=_list_text,
    ),
}


class TeamAgents:
    """Handlers of the protocol's requests. Every call is answered with the rights of its sender."""

    def __init__(self, calls: Mapping[str, Call], settings: Settings, masks_secrets: Callable[[], bool]) -> None:
        """Answer by `calls`, one for each tool."""
        self._calls, self._settings, self._masks_secrets = calls, settings, masks_secrets
        self._defaults = tool_defaults(settings)

    def make_server(self) -> Server[None]:
        """Make the server."""
        return Server(
            "waymeet",
            version=__version__,
            title="Waymeet",
            description="Hybrid search over the docs, code and notes of a team's projects, with explained results.",
            instructions=_INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(self, _ctx: "Context", _params: "PaginatedRequestParams | None") -> ListToolsResult:
        return ListToolsResult(tools=describe_tools(_TOOLS.values(), self._defaults))

    async def _call_tool(self, ctx: "Context", params: CallToolRequestParams) -> CallToolResult:
        tool = _TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool {params.name!r}. Tools: {', '.join(_TOOLS)}.")
        http_request: Any = ctx.request
        masked, sender = self._masks_secrets(), http_request.scope[SENDER]
        try:
            request: Any = convert(tool.request, merge_options(tool.request, params.arguments or {}))
            if getattr(request, "budget", None) == 0:
                request = replace(request, budget=self._settings.mcp.budget)
            answer = mask_outgoing(await self._calls[tool.name](sender, request), enabled=masked)
        except WaymeetError as error:
            return mask_outgoing(to_error_result(error, _TOOLS), enabled=masked)
        is_explained = getattr(request, "explain", False)
        shown = answer if is_explained else shorten_snippets(answer)
        structured = to_structured(shown, compact=not is_explained)
        return CallToolResult(content=[TextContent(text=tool.text(shown))], structured_content=structured)
