"""Settings of the resident process, `waymeet serve`. A project's own file can set none of them."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Weight


class Serve(Struct, frozen=True, forbid_unknown_fields=True):
    """The resident process that answers over HTTP, `waymeet serve`. Never read from a project's own file."""

    port: Annotated[int, Meta(ge=0, le=65_535)] = 7337
    """Where it listens; 0 for any free port. If it is taken and none was named on the command line, a free one."""
    hosts: tuple[str, ...] = ()
    """Names of this machine, beside its loopback names, that requests may be addressed to (the Host header).

    Such requests need the token, for they may come from elsewhere through a proxy."""
    origins: tuple[str, ...] = ()
    """Web pages of other origins that may send requests, such as https://wiki.example.org (the Origin header)."""
    use: bool = True
    """Whether commands and `waymeet mcp` ask the resident process of an index if there is one."""
    start: bool = False
    """Whether a search that found no resident process starts one for the next; it ends after `idle_seconds`."""
    idle_seconds: Weight = 900.0
    """After how long without a request a process that was started by itself ends."""
    request_seconds: Annotated[float, Meta(gt=0.0, le=3600.0)] = 60.0
    """How long an answer may take before the asker is told that it takes too long."""
    body_bytes: Annotated[int, Meta(ge=1024, le=1_000_000_000)] = 4_000_000
    """The largest request that is read."""
    requests: Number = 32
    """Most requests that are answered or wait for an answer at once; more are told to come back."""
    streams: Number = 64
    """Most streams of events, and requests of agents, at once."""
    kept_jobs: Count = 100
    """Index jobs that have ended and can still be asked about."""
