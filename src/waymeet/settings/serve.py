"""Settings of the daemon, `waymeet serve`."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Weight


class Serve(Struct, frozen=True, forbid_unknown_fields=True):
    """The daemon, `waymeet serve`. Not read from a project's file."""

    port: Annotated[int, Meta(ge=0, le=65_535)] = 7337
    """Port; 0 for any free one. If it is in use and was not set on the command line, a free one is used."""
    hosts: tuple[str, ...] = ()
    """Host names, besides the loopback names, that requests may use (Host header). Such requests need the token,
    because they may come from other machines through a proxy."""
    origins: tuple[str, ...] = ()
    """Origins of web pages that may send requests, such as https://wiki.example.org (Origin header)."""
    use: bool = True
    """Whether commands and `waymeet mcp` use the running daemon of an index."""
    start: bool = False
    """Whether a search starts a daemon for later ones if none runs; it stops after `idle_seconds`."""
    editor: str = ""
    """Editor that the page opens files in: `vscode`, `vscodium`, `cursor`, `windsurf`, `zed`, `idea`, `pycharm`,
    `webstorm`, `textmate`, or a URL with {path} and {line} in it, such as vscode://file{path}:{line}. Empty for no
    link."""
    idle_seconds: Weight = 900.0
    """Time without requests after which an automatically started daemon stops."""
    request_seconds: Annotated[float, Meta(gt=0.0, le=3600.0)] = 60.0
    """Timeout of a request."""
    body_bytes: Annotated[int, Meta(ge=1024, le=1_000_000_000)] = 4_000_000
    """Maximum size of a request."""
    requests: Number = 32
    """Maximum number of requests that are answered at the same time; further ones are rejected with a retry time.
    Another machine may use half of them."""
    streams: Number = 64
    """Maximum number of concurrent event streams, and of concurrent MCP requests."""
    sessions: Number = 128
    """Maximum number of MCP sessions; a further one ends the one that is used least."""
    session_seconds: Annotated[float, Meta(gt=0.0, le=86_400.0)] = 600.0
    """Time without a request after which an MCP session ends; its client opens a new one."""
    sign_in_idle_seconds: Annotated[float, Meta(gt=0.0, le=604_800.0)] = 28_800.0
    """Time without a request after which a browser is no longer signed in."""
    sign_in_seconds: Annotated[float, Meta(gt=0.0, le=2_592_000.0)] = 604_800.0
    """Time after which a browser must sign in again in any case. All sessions end with the server."""
    sign_in_attempts: Number = 10
    """Maximum number of attempts per minute and address to sign in with a token, if several projects are served."""
    kept_jobs: Count = 100
    """Number of finished index jobs whose status is kept."""
    token_requests: Number = 600
    """Maximum number of requests of a token per minute, if several projects are served; a tenth may come at once."""
