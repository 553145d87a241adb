"""One call of a tool, from its arguments to an answer, or to an error that names the next step."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent
from msgspec.structs import replace

from waymeet.errors import ConflictError, WaymeetError
from waymeet.interfaces.async_project import AsyncProject
from waymeet.interfaces.daemon.client import query_daemon
from waymeet.interfaces.mcp.background_index import BackgroundIndex
from waymeet.interfaces.mcp.render import UNTRUSTED, framed
from waymeet.interfaces.mcp.tools import Offered
from waymeet.interfaces.render.text import escape_control, to_single_line
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.errors import Failure, to_failure
from waymeet.interfaces.requests.missing_vectors import UNFINISHED, embed_missing, unfinished
from waymeet.interfaces.requests.operations import OPERATIONS
from waymeet.interfaces.requests.operations.index import IndexRequest
from waymeet.interfaces.requests.operations.status import StatusAnswer
from waymeet.ports import Progress
from waymeet.project import Project
from waymeet.types import Degraded

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

_LOG = logging.getLogger(__name__)
_PACE = 0.2
"""Seconds between two reports of progress, at least."""
_SHOWN = 4000
"""Characters of each text that an error about a conflict shows."""
_NEXT = {
    "no_index": "call `index`, then ask again.",
    "index_unavailable": "call `status`, then ask again.",
    "busy_index": "ask again in a moment.",
    "damaged_index": "have a person run: waymeet check --repair",
    "not_indexed": "call `search` for its id.",
    "not_found": "call `search` for its id.",
    "no_such_entry": "call `search` with kinds notes, tasks or skills for its id.",
    "bad_cursor": "call `search` again without a cursor.",
    "removals": "if the files are meant to be gone, call `index` with accept_removals=true.",
    "unknown_recipe": "call `search` again without recipe and mode.",
}
_META = "waymeet/failure"
_ALLOWING = (
    "Whoever set it up can allow changes: have the client send the header `Authorization: Bearer TOKEN`; "
    "`waymeet serve --show-token` shows the token."
)


class ServerContext(NamedTuple):
    """What a server answers with."""

    held: AsyncProject
    opening: BackgroundIndex
    tools: Mapping[str, Offered]
    may_write: Callable[[Any], bool]
    """Whether whoever sent a request may change notes, tasks and skills; it is given the request of HTTP, or None."""


def allowed(serving: ServerContext, ctx: "ServerRequestContext[Any, Any]") -> dict[str, Offered]:
    """Give the tools that somebody may use."""
    writing = serving.may_write(ctx.request)
    return {name: each for name, each in serving.tools.items() if writing or not (each.writes or each.keeps)}


async def called(
    serving: ServerContext, ctx: "ServerRequestContext[Any, Any]", name: str, arguments: Mapping[str, Any]
) -> CallToolResult:
    """Call a tool.

    Raises:
        MCPError: there is no such tool.
    """
    tools = allowed(serving, ctx)
    if name not in tools:
        raise MCPError(INVALID_PARAMS, _no_such_tool(name, serving.tools, tools, over_http=ctx.request is not None))
    try:
        answer = await _answered(serving, ctx, tools[name], arguments)
    except WaymeetError as error:
        return failed(error, tools)
    except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the server; it is told and logged
        _LOG.exception("the tool %s failed", name)
        return _told(f"This is a mistake in Waymeet, not yours: {error!r}\nNext: report it; other tools still work.")
    return CallToolResult(
        content=[TextContent(text=tools[name].text(answer))],
        structured_content=msgspec.json.decode(msgspec.json.encode(answer)),
        _meta={"waymeet/untrusted": UNTRUSTED},
    )


async def _answered(
    serving: ServerContext, ctx: "ServerRequestContext[Any, Any]", tool: Offered, arguments: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - each tool has its own
    request: Any = convert(tool.request, arguments)
    if getattr(request, "budget", None) == 0 and tool.name != "context":  # which has a setting of its own
        request = replace(request, budget=serving.held.project.settings.mcp.budget)
    async with telling(ctx) as tell:
        if isinstance(request, IndexRequest):
            return await serving.opening.index(request, tell.first, tell.second)
        if tool.waits:
            await serving.opening.usable(tell.first)
        work = serving.held.change if tool.writes else serving.held.call
        answer = await work(_by_whom, tool, request)
        if unfinished(answer) and not _found(answer) and await serving.opening.whole(tell.second):
            answer = await work(_by_whom, tool, request)  # by meaning, for words alone found nothing
    if isinstance(answer, StatusAnswer):
        return replace(answer, degraded=(*answer.degraded, *serving.opening.degraded()))
    if unfinished(answer):
        if far := serving.opening.far:
            return replace(answer, degraded=tuple(_following(each, far) for each in answer.degraded))
        await serving.held.call(embed_missing, answer)
    return answer


def _found(answer: object) -> bool:
    return any(getattr(answer, name, ()) for name in ("hits", "pieces", "skills"))


def _following(degraded: Degraded, far: str) -> Degraded:
    """Say of vectors that are missing that they are being made: there is nothing to do but to ask again."""
    if degraded.code not in UNFINISHED:
        return degraded
    said = degraded.detail.partition(": run `")[0]
    return Degraded(degraded.stage, degraded.code, f"{said}; that is under way ({far}), and later answers are better")


def _by_whom(project: Project, tool: Offered, request: Any) -> Any:  # noqa: ANN401 - each tool has its own
    """Have a question answered by the resident process of the index, if there is one, else here."""
    if tool.waits and tool.name in OPERATIONS:
        answer = query_daemon(project, tool.name, request, tool.answer)
        if answer is not None:
            return answer
    return tool.call(project, request)


def failed(error: WaymeetError, tools: Mapping[str, Offered]) -> CallToolResult:
    """Put an error as a model can act on it."""
    told = to_failure(error)
    step = _NEXT.get(told.code, "")
    if told.code == "no_index" and "index" not in tools:
        step = "have a person run `waymeet index` in the project's folder."
    if told.code == "conflict":
        step = f"look at what the file holds now, then call again with version={told.version}" if told.version else ""
    lines = [told.message, *([told.next_step] if told.next_step != step else []), *([f"Next: {step}"] if step else [])]
    if isinstance(error, ConflictError):
        lines += ["It holds now:", framed(error.current[:_SHOWN])]
    return _told("\n".join(lines), told)


def _told(text: str, failure: Failure | None = None) -> CallToolResult:
    about = {_META: msgspec.to_builtins(failure)} if failure is not None else None
    return CallToolResult(content=[TextContent(text=escape_control(text))], is_error=True, _meta=about)


def _no_such_tool(name: str, every: Mapping[str, Offered], tools: Mapping[str, Offered], *, over_http: bool) -> str:
    if name in every:
        why = f"The tool `{name}` changes things, and this server is read-only for you. There are: {', '.join(tools)}."
        return f"{why} {_ALLOWING}" if over_http else why
    return f"There is no tool {name!r}. There are: {', '.join(tools)}."


class ProgressReporter(NamedTuple):
    """Takes progress of work in two parts, such as reading and embedding."""

    first: Progress
    second: Progress


@asynccontextmanager
async def telling(ctx: "ServerRequestContext[Any, Any]") -> AsyncIterator[ProgressReporter]:
    """Send progress to whoever asked for it: not too often, never backwards, and at last how it ended."""
    latest = (0, 0, "")
    last = before = 0
    news, turn = asyncio.Event(), asyncio.Lock()

    def first(done: int, total: int, item: str) -> None:
        nonlocal before, latest
        before, latest = total, (done, total, item)
        news.set()

    def second(done: int, total: int, item: str) -> None:
        nonlocal latest
        latest = (before + done, before + total, item)
        news.set()

    async def send() -> None:
        nonlocal last
        async with turn:
            done, total, item = latest
            if done > last:
                last = done
                await ctx.session.report_progress(done, total, to_single_line(item))

    async def sending() -> None:
        while await news.wait():
            news.clear()
            await asyncio.shield(send())  # what is on its way arrives, even if the work ends just now
            await asyncio.sleep(_PACE)

    task = asyncio.create_task(sending())
    try:
        yield ProgressReporter(first, second)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await send()
