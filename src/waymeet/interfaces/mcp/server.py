"""A server of the Model Context Protocol for one project, and how it is run over standard input and output or HTTP."""

import asyncio
import gc
import logging
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
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
from waymeet.interfaces.mcp.call_tool import ServerContext, allowed, called
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.render import UNTRUSTED
from waymeet.interfaces.mcp.tools import TOOLS, input_schema, listed, local
from waymeet.interfaces.render.text import escape_control

if TYPE_CHECKING:
    from mcp.server.caching import CacheableMethod
    from mcp.server.context import ServerRequestContext
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette

    Context = ServerRequestContext[None, Any]
    Listed = PaginatedRequestParams | None

_INSTRUCTIONS = f"""\
Waymeet knows this project: its docs, code, notes, tasks and skills, and how they are linked.
- Beginning a task: `recall_skills`, then `context` with the task in plain words.
- A question, an error message, a symbol: `search`; then `read` the ids that matter. Cite ids.
- What a change touches: `related`.
- What is worth keeping: `remember`; look for it first and `update` rather than repeat.
Answers that could be better say so under `degraded`; `status` tells why. {UNTRUSTED}"""
_CHANGELESS = CacheHint(ttl_ms=3_600_000, scope="private")
_CACHED: dict["CacheableMethod", CacheHint] = {
    "tools/list": _CHANGELESS,
    "prompts/list": _CHANGELESS,
    "resources/templates/list": _CHANGELESS,
    "server/discover": _CHANGELESS,
}


class _Handlers:
    """Takes the requests of the protocol."""

    def __init__(self, serving: ServerContext) -> None:
        self._serving = serving
        self._held = serving.held
        self._here = local(serving.held.project.settings)

    @asynccontextmanager
    async def lifespan(self, _server: Server[None]) -> AsyncIterator[None]:
        async with self._serving.opening:
            yield

    async def list_tools(self, ctx: "Context", _params: "Listed") -> ListToolsResult:
        return ListToolsResult(tools=listed(allowed(self._serving, ctx).values(), self._here))

    def input_schema(self, name: str) -> dict[str, Any] | None:
        tool = self._serving.tools.get(name)
        return input_schema(tool.request, self._here) if tool else None

    async def call_tool(self, ctx: "Context", params: CallToolRequestParams) -> CallToolResult:
        return await called(self._serving, ctx, params.name, params.arguments or {})

    async def list_resources(self, _ctx: "Context", params: "Listed") -> ListResourcesResult:
        return await self._held.call(resources.resources, (params.cursor if params else None) or "")

    async def list_templates(self, _ctx: "Context", _params: "Listed") -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(self, _ctx: "Context", params: ReadResourceRequestParams) -> ReadResourceResult:
        return await self._held.call(resources.read, params.uri)

    async def list_prompts(self, ctx: "Context", _params: "Listed") -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.listed(writing=self._serving.may_write(ctx.request)))

    async def get_prompt(self, ctx: "Context", params: GetPromptRequestParams) -> GetPromptResult:
        writing = self._serving.may_write(ctx.request)
        return prompts.prompt(params.name, params.arguments or {}, writing=writing)

    async def complete(self, _ctx: "Context", params: CompleteRequestParams) -> CompleteResult:
        return await self._held.call(resources.completions, params.argument.name, params.argument.value)


def make_server(
    held: AsyncProject,
    *,
    read_only: bool = False,
    compat: bool = False,
    at_start: bool = True,
    may_write: Callable[[Any], bool] | None = None,
) -> Server[None]:
    """Make a server for a project.

    Args:
        held: the project; it is not closed here.
        read_only: offer no tool that changes anything.
        compat: offer the tools of other systems under their own names, too.
        at_start: bring the index up to date in the background while the server runs.
        may_write: whether the sender of an HTTP request (None elsewhere) may use tools that change something.
    """

    def writing(request: Any) -> bool:  # noqa: ANN401 - whatever the transport has
        return not read_only and (may_write is None or may_write(request))

    tools = {**TOOLS, **(COMPAT if compat else {})}
    door = _Handlers(ServerContext(held, BackgroundIndex(held, at_start=at_start), tools, writing))
    return Server(
        "waymeet",
        version=__version__,
        title="Waymeet",
        description="Searches a project's knowledge on this machine, and explains every answer.",
        instructions=_INSTRUCTIONS,
        cache_hints=_CACHED,
        lifespan=door.lifespan,
        get_tool_input_schema=door.input_schema,
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_resources=door.list_resources,
        on_list_resource_templates=door.list_templates,
        on_read_resource=door.read_resource,
        on_list_prompts=door.list_prompts,
        on_get_prompt=door.get_prompt,
        on_completion=door.complete,
    )


def http_app(
    server: Server[None], *, path: str = "/mcp", security: "TransportSecuritySettings | None" = None
) -> "Starlette":
    """Give a server as an ASGI application that answers at a path.

    Its lifespan must be run: who mounts it enters `app.router.lifespan_context(app)`. Without `security`, only Host and
    Origin of this machine are let in.
    """
    return server.streamable_http_app(
        streamable_http_path=path, max_request_body_size=stdio.LONGEST, transport_security=security
    )


class _Legible(logging.Formatter):
    """Writes nothing that could steer a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return escape_control(super().format(record))


async def serve_stdio(
    taken: stdio_pipes.Pipes, held: AsyncProject, *, read_only: bool = False, compat: bool = False
) -> None:
    """Serve a project over two descriptors until the input ends, the parent dies or somebody ends it; then close it."""
    told = logging.StreamHandler(sys.stderr)
    told.setFormatter(_Legible("waymeet mcp: %(message)s"))
    logging.basicConfig(handlers=[told], level=logging.WARNING)
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    if hasattr(signal, "SIGTERM") and sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, ending.set)

    def gone() -> None:
        loop.call_soon_threadsafe(ending.set)

    stdio_pipes.watch_parent(gone)
    server = make_server(held, read_only=read_only, compat=compat)
    gc.freeze()  # what was imported stays; to look through it again at the end would take a second
    try:
        async with stdio.pipes(taken, ending) as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await held.close()
