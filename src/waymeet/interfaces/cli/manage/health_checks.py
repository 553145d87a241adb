"""Looking whether all is well: settings, index, models, locks, room on the disk, agents. Each with a remedy."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal

from msgspec import Struct

from waymeet import __version__
from waymeet.errors import BusyIndexError, NoIndexError, SettingsError, WaymeetError
from waymeet.ingest.discover.run_state import installed_extras
from waymeet.ingest.status import VectorStatus
from waymeet.interfaces.agents.config_file import is_registered
from waymeet.interfaces.agents.known_agents import AGENTS, server_name, settings_file
from waymeet.paths import data_folder, index_bytes, index_file
from waymeet.project import Project
from waymeet.settings import PROJECT_FILE, user_settings_file

State = Literal["ok", "off", "warning", "problem"]
_LITTLE, _TOO_LITTLE = 1_000_000_000, 100_000_000
"""Free bytes below which it is time to warn, and below which indexing will fail."""
_MEGABYTE = 1e6
_HERE = frozenset({"none", "local", "granite", "multilingual", "hashing", "folder"})
"""Providers that ask nobody on the network."""


class Finding(Struct, frozen=True):
    """How one thing stands."""

    topic: str
    state: State
    """`off` is what is not set up and need not be."""
    said: str
    remedy: str = ""


def versions() -> Iterator[Finding]:
    """Say what runs here."""
    import apsw

    yield Finding(
        "version",
        "ok",
        f"Waymeet {__version__}, Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, "
        f"{platform.system()} {platform.machine()}",
    )
    for extra in ("html", "pdf"):
        there = extra in installed_extras().split()
        said = f"{extra} files are read" if there else f"{extra} files are found by their path only"
        yield Finding("files", "ok" if there else "off", said, "" if there else f"pip install 'waymeet[{extra}]'")
    if shutil.which("git") is None:
        yield Finding("git", "warning", "git is not found: staleness is judged by file times", "Install git.")


def settings_of(root: Path) -> Iterator[Finding]:
    """Read each settings file by itself, so that what is wrong with one is told of that one."""
    from waymeet.settings.sources import from_environment, from_file, from_project

    mine = user_settings_file()
    sources: tuple[tuple[str, bool, Callable[[], object]], ...] = (
        (str(mine), mine.exists(), lambda: from_file(mine, str(mine))),
        (str(root / PROJECT_FILE), (root / PROJECT_FILE).exists(), lambda: from_project(root)),
        (
            "WAYMEET_… variables",
            any(name.startswith("WAYMEET_") for name in os.environ),
            lambda: from_environment(os.environ),
        ),
    )
    for name, there, read in sources:
        try:
            read()
        except SettingsError as error:
            yield Finding("settings", "problem", error.message, error.hint or "Correct it: waymeet settings lists all.")
            continue
        yield Finding("settings", "ok" if there else "off", name if there else f"{name}: none")


def index_of(project: Project) -> Iterator[Finding]:
    """Look whether there is an index that can be read, whether it is whole, and whether it is behind the files."""
    try:
        if not project.indexed:
            raise NoIndexError("this folder is not indexed yet", "waymeet index")
        status = project.status()
    except NoIndexError as error:
        yield Finding("index", "off", error.message, "waymeet index")
        return
    except BusyIndexError as error:
        yield Finding("index", "warning", error.message, error.hint)
        return
    except WaymeetError as error:
        yield Finding("index", "problem", error.message, error.hint or "waymeet check --repair")
        return
    size = f"{status.index_bytes / _MEGABYTE:.1f} MB"
    yield Finding(
        "index", "ok", f"{status.counts.documents} documents, {status.counts.chunks} sections, {size}: {status.index}"
    )
    for name, place, trouble in status.roots:
        if trouble:
            yield Finding(
                "root", "problem", f"{name or 'the project'}: {place} {trouble}", "Mount it, or remove the root."
            )
    if status.changes:
        yield Finding(
            "fresh", "warning", f"{len(status.changes)} files changed since they were indexed", "waymeet index"
        )
    elif status.changes is None:
        yield Finding("fresh", "warning", "there are too many files to look at quickly", "waymeet index --watch")
    else:
        yield Finding("fresh", "ok", "every file is as it was indexed")
    yield from _coverage(status.vectors)


def _coverage(meaning: VectorStatus) -> Iterator[Finding]:
    """Say how much of the index has vectors, and whether somebody is making the rest."""
    if not meaning.spaces:
        return
    said = f"{meaning.embedded} of {meaning.chunks} sections are embedded"
    if meaning.job:
        yield Finding("meaning", "ok", f"{said}; process {meaning.job.pid} is embedding the rest")
    elif meaning.embedded + len(meaning.failures) >= meaning.chunks:
        yield Finding("meaning", "ok", said)
    else:
        trouble = f"; the last try ended early: {meaning.error}" if meaning.error else ""
        yield Finding("meaning", "warning", said + trouble, "waymeet index")


def lock_of(root: Path, chosen: Path | None) -> Iterator[Finding]:
    """Look whether another process is indexing; what a dead process left behind is no lock."""
    from waymeet.ingest.lock import index_lock

    index = index_file(root, chosen)
    if not index.exists():
        return
    try:
        with index_lock(index, wait=False):
            yield Finding("lock", "ok", "nobody else is indexing")
    except BusyIndexError:
        yield Finding("lock", "warning", "another process is indexing this project now", "Wait for it, or end it.")
    except WaymeetError as error:
        yield Finding("lock", "problem", error.message, error.hint)


def room(index: Path) -> Iterator[Finding]:
    """Look whether there is room where the index lies, and whether it may be written there."""
    folder = index.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        yield Finding(
            "disk", "problem", f"{folder}: {error.strerror}", "Set XDG_DATA_HOME, or name a file with --index."
        )
        return
    if not os.access(folder, os.W_OK):
        yield Finding(
            "disk", "problem", f"{folder} cannot be written", "Set XDG_DATA_HOME, or name a file with --index."
        )
    state: State = "problem" if free < _TOO_LITTLE else "warning" if free < _LITTLE else "ok"
    used = index_bytes(index) if index.exists() else 0
    said = f"{free / 1e9:.1f} GB free at {folder}; this index has {used / _MEGABYTE:.1f} MB"
    yield Finding(
        "disk", state, said, "" if state == "ok" else f"Make room; old indexes lie in {data_folder() / 'indexes'}."
    )


def models_of(project: Project, *, asking: bool) -> Iterator[Finding]:
    """Try each model that was chosen with one word; those on the network only if asking is allowed."""
    from waymeet.models.choose_embedders import choose_embedders
    from waymeet.models.choose_rerankers import choose_models

    numbers = project.settings
    if numbers.embedding.provider == "none":
        said = "no embedding model: answers come from words and links"
        yield Finding("embedding", "off", said, "waymeet settings embedding")
    here = numbers.embedding.provider in _HERE
    for embedder in choose_embedders(numbers.embedding):
        yield _tried("embedding", embedder.space, partial(embedder.embed_query, "waymeet"), ask=asking or here)
    others = choose_models(numbers.rerank, numbers.expand)
    reranker, expander = others.reranker, others.expander
    if reranker is None:
        yield Finding("reranker", "off", "none is chosen")
    else:
        yield _tried("reranker", numbers.rerank.provider, partial(reranker.score, "waymeet", ["waymeet"]), ask=asking)
    if expander is None:
        yield Finding("expander", "off", "none is chosen")
    else:
        yield _tried("expander", numbers.expand.provider, partial(expander.expand, "waymeet", 1), ask=asking)


def _tried(topic: str, name: str, call: Callable[[], object], *, ask: bool) -> Finding:
    if not ask:
        return Finding(topic, "ok", f"{name}: not asked, as you wish")
    try:
        call()
    except WaymeetError as error:
        return Finding(topic, "problem", f"{name}: {error.message}", error.hint or f"waymeet settings {topic}")
    return Finding(topic, "ok", f"{name} answers")


def agents_of(root: Path) -> Iterator[Finding]:
    """Say which agents know the server."""
    known = []
    for agent in AGENTS.values():
        for scope in agent.files:
            with suppress(WaymeetError):
                if is_registered(agent, settings_file(agent, scope, root), server_name(agent, root)):
                    known.append(f"{agent.title} ({scope})")
    if not known:
        yield Finding("agents", "off", "no agent knows Waymeet here", f"waymeet install --agent {next(iter(AGENTS))}")
        return
    yield Finding("agents", "ok", f"registered with {', '.join(known)}")
    if shutil.which("waymeet") is None and any("(project)" in each for each in known):
        yield Finding(
            "agents", "warning", "the command waymeet is not on the PATH", f"Add {Path(sys.argv[0]).parent} to it."
        )
