"""Make the MCP server of a project, and run it over standard input and output or HTTP."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from waymeet import __version__
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.mcp import prompts, resources, stdio, stdio_pipes
from waymeet.interfaces.mcp.background_index import BackgroundIndex
from waymeet.interfaces.mcp.call_tool import ServerContext, call_tool, list_allowed_tools
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.http_sessions import BoundedSessions
from waymeet.interfaces.mcp.render import UNTRUSTED
from waymeet.interfaces.mcp.tools import TOOLS, describe_tools, input_schema, tool_defaults
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.render.text import escape_control
from waymeet.project.registered.projects import Projects
from waymeet.settings import Serve

if TYPE_CHECKING:
    from mcp.server.caching import CacheableMethod
    from mcp.server.context import ServerRequestContext
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette

    Context = ServerRequestContext[None, Any]
    Page = PaginatedRequestParams | None

_INSTRUCTIONS = f"""\
Waymeet searches this project: docs, code, notes, tasks, skills, and the links between them.
- To start a task: `recall_skills`, then `context` with the task in plain words.
- For a question, an error message or a symbol: `search`, then `read` the best ids. Cite ids.
- To see what depends on a file or symbol: `related`.
- To record facts, tasks or instructions: `search` first, then `update` what exists or `remember` what is new.
`degraded` lists what limited an answer; `status` shows the cause. {UNTRUSTED}"""
_CACHE_HOUR = CacheHint(ttl_ms=3_600_000, scope="private")
_CACHE_HINTS: dict["CacheableMethod", CacheHint] = {
    "tools/list": _CACHE_HOUR,
    "prompts/list": _CACHE_HOUR,
    "resources/templates/list": _CACHE_HOUR,
    "server/discover": _CACHE_HOUR,
}


Parameters = TypeVar("Parameters")
Result = TypeVar("Result")
Handler = Callable[["Context", Parameters], Awaitable[Result]]


class _Handlers:
    """Handlers of the protocol's requests."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._project = context.project
        self._defaults = tool_defaults(context.project.project.settings)

    @asynccontextmanager
    async def lifespan(self, _server: Server[None]) -> AsyncIterator[None]:
        async with self._context.background:
            yield

    def masked(self, handle: "Handler[Parameters, Result]") -> "Handler[Parameters, Result]":
        """Wrap a handler so that secrets are masked in its result and its errors."""
        settings = self._project.project

        async def handle_masked(ctx: "Context", params: Parameters) -> Result:
            try:
                return mask_outgoing(await handle(ctx, params), enabled=settings.settings.ingest.mask_secrets)
            except MCPError as error:
                message, data = mask_outgoing(
                    (error.error.message, error.error.data), enabled=settings.settings.ingest.mask_secrets
                )
                raise MCPError(error.error.code, message, data) from error

        return handle_masked

    async def list_tools(self, ctx: "Context", _params: "Page") -> ListToolsResult:
        return ListToolsResult(tools=describe_tools(list_allowed_tools(self._context, ctx).values(), self._defaults))

    def input_schema(self, name: str) -> dict[str, Any] | None:
        tool = self._context.tools.get(name)
        return input_schema(tool.request, self._defaults) if tool else None

    async def call_tool(self, ctx: "Context", params: CallToolRequestParams) -> CallToolResult:
        return await call_tool(self._context, ctx, params.name, params.arguments or {})

    async def list_resources(self, _ctx: "Context", params: "Page") -> ListResourcesResult:
        return await self._project.call(resources.list_resources, (params.cursor if params else None) or "")

    async def list_templates(self, _ctx: "Context", _params: "Page") -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(self, _ctx: "Context", params: ReadResourceRequestParams) -> ReadResourceResult:
        return await self._project.call(resources.read_resource, params.uri, self._defaults)

    async def list_prompts(self, ctx: "Context", _params: "Page") -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.list_prompts(writing=self._context.may_write(ctx.request)))

    async def get_prompt(self, ctx: "Context", params: GetPromptRequestParams) -> GetPromptResult:
        writing = self._context.may_write(ctx.request)
        return prompts.get_prompt(params.name, params.arguments or {}, writing=writing)

    async def complete(self, _ctx: "Context", params: CompleteRequestParams) -> CompleteResult:
        return await self._project.call(resources.complete_path, params.argument.name, params.argument.value)


def make_server(
    project: AsyncProject,
    *,
    read_only: bool = False,
    compat: bool = False,
    at_start: bool = True,
    may_write: Callable[[Any], bool] | None = None,
    record_change: Callable[[Any, str, str], None] = lambda _request, _tool, _result: None,
) -> Server[None]:
    """Make a server for a project.

    Args:
        project: the project; the server does not close it.
        read_only: offer only tools that read.
        compat: also offer tools with the names of other systems.
        at_start: update the index in the background while the server runs.
        may_write: whether the sender of an HTTP request (None elsewhere) may use tools that change something.
        record_change: records the call of such a tool: the request, the tool, and `done` or the code of an error.
    """

    def is_allowed(request: Any) -> bool:  # noqa: ANN401 - a request of HTTP, or None
        return not read_only and (may_write is None or may_write(request))

    tools = {**TOOLS, **(COMPAT if compat else {})}
    background = BackgroundIndex(project, at_start=at_start)
    return _build_server(_Handlers(ServerContext(project, background, tools, is_allowed, record_change)))


def _build_server(handlers: _Handlers) -> Server[None]:
    return Server(
        "waymeet",
        version=__version__,
        title="Waymeet",
        description="Hybrid search over a project's docs, code and notes, on this machine, with explained results.",
        instructions=_INSTRUCTIONS,
        cache_hints=_CACHE_HINTS,
        lifespan=handlers.lifespan,
        get_tool_input_schema=handlers.input_schema,
        on_list_tools=handlers.masked(handlers.list_tools),
        on_call_tool=handlers.masked(handlers.call_tool),
        on_list_resources=handlers.masked(handlers.list_resources),
        on_list_resource_templates=handlers.masked(handlers.list_templates),
        on_read_resource=handlers.masked(handlers.read_resource),
        on_list_prompts=handlers.masked(handlers.list_prompts),
        on_get_prompt=handlers.masked(handlers.get_prompt),
        on_completion=handlers.masked(handlers.complete),
    )


def http_app(
    server: Server[None],
    *,
    path: str = "/mcp",
    security: "TransportSecuritySettings | None" = None,
    max_sessions: int = Serve().sessions,
    session_seconds: float = Serve().session_seconds,
) -> "Starlette":
    """Make the ASGI application of a server at a path.

    The caller must run its lifespan: `app.router.lifespan_context(app)`. Without `security`, only requests with a Host
    and Origin of this machine are accepted.
    """
    from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
    from starlette.routing import Route

    app = server.streamable_http_app(
        streamable_http_path=path,
        max_request_body_size=stdio.MAX_LINE_BYTES,
        session_idle_timeout=session_seconds,
        max_sessions=2 * max_sessions,  # those that are being opened or ended count, too
        transport_security=security,
    )
    sessions = BoundedSessions(StreamableHTTPASGIApp(server.session_manager), max_sessions, session_seconds)
    app.router.routes[:] = [Route(path, endpoint=sessions)]
    return app


class _EscapingFormatter(logging.Formatter):
    """Masks secrets and escapes control characters, which could control a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return escape_control(mask_outgoing(super().format(record), enabled=True))


async def serve_stdio(
    pipes: stdio_pipes.Pipes, project: AsyncProject, *, read_only: bool = False, compat: bool = False
) -> None:
    """Serve a project over two descriptors until the input or the parent ends, and close it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_EscapingFormatter("waymeet mcp: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    if hasattr(signal, "SIGTERM") and sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, ending.set)

    def end() -> None:
        loop.call_soon_threadsafe(ending.set)

    stdio_pipes.watch_parent(end)
    project.project.others = Projects(flags=project.project.flags, own=[project.project])
    server = make_server(project, read_only=read_only, compat=compat)
    gc.freeze()  # imported modules stay; collecting them at the end would take a second
    try:
        async with stdio.open_streams(pipes, ending) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await project.close()
