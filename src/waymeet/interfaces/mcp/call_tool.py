"""Call a tool: from arguments to an answer, or to an error with a next step."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent
from msgspec.structs import replace

from waymeet.errors import AuditError, ConflictError, RequestError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.client import query_daemon
from waymeet.interfaces.mcp.background_index import BackgroundIndex
from waymeet.interfaces.mcp.render import quote_untrusted
from waymeet.interfaces.mcp.schemas import merge_options
from waymeet.interfaces.mcp.structured import shorten_snippets, to_structured
from waymeet.interfaces.mcp.tools import ToolSpec
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.render.text import escape_control, to_single_line
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.errors import STARTED, Failure, to_failure
from waymeet.interfaces.requests.missing_vectors import MISSING_VECTORS, add_missing, describe_start, lacks_vectors
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.operations.index import IndexRequest
from waymeet.interfaces.requests.operations.status import StatusAnswer
from waymeet.interfaces.requests.other_projects import reads_other_projects
from waymeet.ports import Progress
from waymeet.project import Project
from waymeet.types import Degraded

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

_LOG = logging.getLogger(__name__)
_PROGRESS_SECONDS = 0.2
"""Minimum seconds between two progress notifications."""
_MAX_CONFLICT_CHARS = 4000
"""Maximum characters of the current text in a conflict error."""
_NEXT_STEPS = {
    "no_index": "call `index`, then repeat the call.",
    "index_unavailable": "call `status`, then repeat the call.",
    "busy_index": "repeat the call in a moment.",
    "damaged_index": "ask the user to run: waymeet check --repair",
    "not_indexed": "call `search` for its id.",
    "not_found": "call `search` for its id.",
    "no_such_entry": "call `search` with kinds notes, tasks or skills for its id.",
    "bad_cursor": "call `search` again without a cursor.",
    "removals": "if the files were removed on purpose, call `index` with accept_removals=true.",
    "unknown_recipe": "call `search` again without recipe and mode.",
}
_FAILURE_KEY = "waymeet/failure"
_ALLOW_CHANGES = (
    "To allow changes, have the client send the header `Authorization: Bearer TOKEN`. "
    "To see the token: waymeet serve --show-token"
)


def _record_nothing(_request: object, _tool: str, _result: str) -> None:
    """Leave out a call from the audit log."""


class ServerContext(NamedTuple):
    """The project, background index, tools and permissions of a server."""

    project: AsyncProject
    background: BackgroundIndex
    tools: Mapping[str, ToolSpec]
    may_write: Callable[[Any], bool]
    """Tells whether the sender of an HTTP request (None for other transports) may change things."""
    record_change: Callable[[Any, str, str], None] = _record_nothing
    """Records a change in the audit log: the request, the tool, and `done` or the code of an error."""


def list_allowed_tools(server: ServerContext, ctx: "ServerRequestContext[Any, Any]") -> dict[str, ToolSpec]:
    """List the tools that the sender of a request may call."""
    may_write = server.may_write(ctx.request)
    return {name: tool for name, tool in server.tools.items() if may_write or tool.is_read_only}


async def call_tool(
    server: ServerContext, ctx: "ServerRequestContext[Any, Any]", name: str, arguments: Mapping[str, Any]
) -> CallToolResult:
    """Call a tool.

    Raises:
        MCPError: there is no such tool, or the sender may not call it.
    """
    tools = list_allowed_tools(server, ctx)
    record = server.record_change if name in server.tools and not server.tools[name].is_read_only else _record_nothing
    try:
        record(ctx.request, name, STARTED)
    except AuditError as error:
        return to_error_result(error, tools)
    if name not in tools:
        record(ctx.request, name, "read_only")
        raise MCPError(INVALID_PARAMS, _unknown_tool(name, server.tools, tools, over_http=ctx.request is not None))
    try:
        request: Any = convert(tools[name].request, merge_options(tools[name].request, arguments))
        _check_other_projects(server, ctx, request)
        answer = await _compute_answer(server, ctx, tools[name], request)
    except WaymeetError as error:
        record(ctx.request, name, to_failure(error).code)
        return to_error_result(error, tools)
    except Exception as error:  # noqa: BLE001 - a bug in one tool must not end the server; it is reported and logged
        record(ctx.request, name, "unknown")
        _LOG.exception("the tool %s failed", name)
        return _error_result(f"Internal error in Waymeet: {error!r}\nNext: report it. Other tools still work.")
    record(ctx.request, name, "done")
    shown = mask_outgoing(answer, enabled=server.project.project.settings.ingest.mask_secrets)
    is_explained = getattr(request, "explain", False)
    shown = shown if is_explained else shorten_snippets(shown)
    structured = to_structured(shown, compact=not is_explained)
    return CallToolResult(content=[TextContent(text=tools[name].text(shown))], structured_content=structured)


def _check_other_projects(server: ServerContext, ctx: "ServerRequestContext[Any, Any]", request: object) -> None:
    """Refuse to read other projects, unless the sender is their user and the settings allow it.

    Raises:
        RequestError: the sender may not.
    """
    if not reads_other_projects(request):
        return
    if not server.project.project.settings.mcp.other_projects:
        message = "The user has not allowed agents to read other projects (setting mcp.other_projects)."
        raise RequestError(message, "Read this project only.")
    if ctx.request is not None and not server.may_write(ctx.request):
        raise RequestError("Reading other projects needs the token.", _ALLOW_CHANGES)


async def _compute_answer(
    server: ServerContext,
    ctx: "ServerRequestContext[Any, Any]",
    tool: ToolSpec,
    request: Any,  # noqa: ANN401 - each tool has its own types
) -> Any:  # noqa: ANN401
    if getattr(request, "budget", None) == 0 and tool.name != "context":  # `context` has its own setting
        request = replace(request, budget=server.project.project.settings.mcp.budget)
    async with report_progress(ctx) as progress:
        if isinstance(request, IndexRequest):
            return await server.background.index(request, progress.first, progress.second)
        if tool.needs_index:
            await server.background.wait_until_usable(progress.first)
        call = server.project.change if tool.writes else server.project.call
        answer = await call(_run_tool, tool, request)
        if (
            lacks_vectors(answer)
            and not _has_results(answer)
            and await server.background.wait_until_embedded(progress.second)
        ):
            answer = await call(_run_tool, tool, request)  # vectors may find what lexical search did not
    return await _add_background_state(server, answer)


async def _add_background_state(server: ServerContext, answer: Any) -> Any:  # noqa: ANN401 - each tool has its own type
    """Add the state of the background index, and start embedding if vectors are missing."""
    if isinstance(answer, StatusAnswer):
        return replace(answer, degraded=(*answer.degraded, *server.background.list_degraded()))
    progress = server.background.progress
    if progress:
        if not lacks_vectors(answer):
            return answer
        return replace(answer, degraded=tuple(_add_progress(each, progress) for each in answer.degraded))
    start = await server.project.call(add_missing, answer)
    if start and start.is_first:
        _LOG.warning("%s", describe_start(server.project.project, start))
    return answer


def _has_results(answer: object) -> bool:
    return any(getattr(answer, name, ()) for name in ("hits", "pieces", "skills"))


def _add_progress(degraded: Degraded, progress: str) -> Degraded:
    """Replace the advice to embed missing vectors by the progress of embedding them."""
    if degraded.code not in MISSING_VECTORS:
        return degraded
    cause = degraded.detail.partition(": run `")[0]
    detail = f"{cause}; embedding in progress ({progress}), later results will be more complete"
    return Degraded(degraded.stage, degraded.code, detail)


def _run_tool(project: Project, tool: ToolSpec, request: Any) -> Any:  # noqa: ANN401 - each tool has its own types
    """Send a request to the daemon of the index if one is running, else compute the answer here."""
    if tool.needs_index and tool.name in OPERATIONS:
        answer = query_daemon(project, tool.name, request, tool.answer)
        if answer is not None:
            return answer
    return tool.call(project, request)


def to_error_result(error: WaymeetError, tools: Mapping[str, ToolSpec]) -> CallToolResult:
    """Convert an error to a result with the next call for an agent."""
    failure = to_failure(error)
    step = _NEXT_STEPS.get(failure.code, "")
    if failure.code == "no_index" and "index" not in tools:
        step = "ask the user to run `waymeet index` in the project's folder."
    if failure.code == "conflict":
        retry = f"compare with the current text, then call again with version={failure.version}"
        step = retry if failure.version else ""  # an item that is gone has no version
    lines = [failure.message]
    if failure.next_step != step:
        lines.append(failure.next_step)
    if step:
        lines.append(f"Next: {step}")
    if isinstance(error, ConflictError):
        lines += ["Current text:", quote_untrusted(error.current[:_MAX_CONFLICT_CHARS])]
    return _error_result("\n".join(lines), failure)


def _error_result(text: str, failure: Failure | None = None) -> CallToolResult:
    meta = {_FAILURE_KEY: msgspec.to_builtins(failure)} if failure is not None else None
    return CallToolResult(content=[TextContent(text=escape_control(text))], is_error=True, _meta=meta)


def _unknown_tool(
    name: str, all_tools: Mapping[str, ToolSpec], allowed: Mapping[str, ToolSpec], *, over_http: bool
) -> str:
    if name in all_tools:
        message = f"The tool `{name}` is not allowed: this server is read-only for you. Tools: {', '.join(allowed)}."
        return f"{message} {_ALLOW_CHANGES}" if over_http else message
    return f"Unknown tool {name!r}. Tools: {', '.join(allowed)}."


class ProgressReporter(NamedTuple):
    """Progress callbacks for work in two phases, such as reading and embedding."""

    first: Progress
    second: Progress


class _ProgressSender:
    """Sends the latest progress of two phases to a client, never backwards."""

    def __init__(self, ctx: "ServerRequestContext[Any, Any]") -> None:
        self._ctx = ctx
        self._latest = (0, 0, "")
        self._last_sent = self._first_total = 0
        self._updated, self._sending = asyncio.Event(), asyncio.Lock()

    def update_first(self, done: int, total: int, item: str) -> None:
        self._first_total, self._latest = total, (done, total, item)
        self._updated.set()

    def update_second(self, done: int, total: int, item: str) -> None:
        self._latest = (self._first_total + done, self._first_total + total, item)
        self._updated.set()

    async def send_latest(self) -> None:
        async with self._sending:
            done, total, item = self._latest
            if done > self._last_sent:
                self._last_sent = done
                await self._ctx.session.report_progress(done, total, to_single_line(mask_outgoing(item, enabled=True)))

    async def send_updates(self) -> None:
        while await self._updated.wait():
            self._updated.clear()
            await asyncio.shield(self.send_latest())  # a notification that is being sent must arrive whole
            await asyncio.sleep(_PROGRESS_SECONDS)


@asynccontextmanager
async def report_progress(ctx: "ServerRequestContext[Any, Any]") -> AsyncIterator[ProgressReporter]:
    """Send progress notifications to the client.

    They are throttled, never go backwards, and end with the last state.
    """
    sender = _ProgressSender(ctx)
    task = asyncio.create_task(sender.send_updates())
    try:
        yield ProgressReporter(sender.update_first, sender.update_second)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await sender.send_latest()
