"""Checks of versions, settings, index, models, locks, disk and agents, with remedies."""

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
_LOW_SPACE, _TOO_LITTLE_SPACE = 1_000_000_000, 100_000_000
"""Free bytes below which a warning is given, and below which indexing will fail."""
_MEGABYTE = 1e6
_LOCAL_PROVIDERS = frozenset({"none", "local", "granite", "multilingual", "hashing", "folder"})
"""Providers that send no requests."""


class Finding(Struct, frozen=True):
    """The result of one check."""

    topic: str
    state: State
    """`off`: not set up, and optional."""
    message: str
    remedy: str = ""


def check_versions() -> Iterator[Finding]:
    """Report versions, optional file formats and git."""
    import apsw

    yield Finding(
        "version",
        "ok",
        f"Waymeet {__version__}, Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}, "
        f"{platform.system()} {platform.machine()}",
    )
    yield Finding("files", "ok", "text, source code, Markdown, HTML, Word and notebooks are read")
    if "pdf" in installed_extras().split():
        yield Finding("files", "ok", "PDF files are read")
    else:
        yield Finding("files", "off", "only the paths of PDF files are indexed", "pip install 'waymeet[pdf]'")
    if shutil.which("git") is None:
        yield Finding("git", "warning", "git not found; staleness uses file dates", "Install git.")


def check_settings(root: Path) -> Iterator[Finding]:
    """Validate each source of settings separately."""
    from waymeet.settings.sources import from_environment, from_file, from_project

    user_file = user_settings_file()
    sources: tuple[tuple[str, bool, Callable[[], object]], ...] = (
        (str(user_file), user_file.exists(), lambda: from_file(user_file, str(user_file))),
        (str(root / PROJECT_FILE), (root / PROJECT_FILE).exists(), lambda: from_project(root)),
        (
            "WAYMEET_… variables",
            any(name.startswith("WAYMEET_") for name in os.environ),
            lambda: from_environment(os.environ),
        ),
    )
    for name, exists, read in sources:
        try:
            read()
        except SettingsError as error:
            yield Finding("settings", "problem", error.message, error.hint or "To list all settings: waymeet settings")
            continue
        yield Finding("settings", "ok" if exists else "off", name if exists else f"{name}: none")


def check_index(project: Project) -> Iterator[Finding]:
    """Check that the index exists, can be read, and is up to date with the files."""
    from waymeet.project.freshness import report_repairs

    try:
        if not project.is_indexed:
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
    for note in report_repairs(project.refreshed_store(refresh=False)[0]):
        yield Finding("index", "warning", note.detail, "waymeet index")
    for name, place, problem in status.roots:
        if problem:
            yield Finding(
                "root", "problem", f"{name or 'the project'}: {place} {problem}", "Mount it, or remove the root."
            )
    if status.changes:
        yield Finding(
            "fresh", "warning", f"{len(status.changes)} files changed since they were indexed", "waymeet index"
        )
    elif status.changes is None:
        yield Finding("fresh", "warning", "unknown: too many files for a quick check", "waymeet index --watch")
    else:
        yield Finding("fresh", "ok", "no file changed since it was indexed")
    yield from _coverage(status.vectors)


def _coverage(vectors: VectorStatus) -> Iterator[Finding]:
    """Report how many sections have vectors."""
    if not vectors.spaces:
        return
    message = f"{vectors.embedded} of {vectors.chunks} sections are embedded"
    if vectors.job:
        yield Finding("vectors", "ok", f"{message}; process {vectors.job.pid} is embedding the rest")
    elif vectors.embedded + len(vectors.failures) >= vectors.chunks:
        yield Finding("vectors", "ok", message)
    else:
        error = f"; the last run failed: {vectors.error}" if vectors.error else ""
        yield Finding("vectors", "warning", message + error, "waymeet index")


def check_lock(root: Path, index: Path | None) -> Iterator[Finding]:
    """Check whether another process is indexing."""
    from waymeet.ingest.lock import index_lock

    path = index_file(root, index)
    if not path.exists():
        return
    try:
        with index_lock(path, wait=False):
            yield Finding("lock", "ok", "no other process is indexing")
    except BusyIndexError:
        yield Finding("lock", "warning", "another process is indexing this project", "Wait for it, or end it.")
    except WaymeetError as error:
        yield Finding("lock", "problem", error.message, error.hint)


def check_disk(index: Path) -> Iterator[Finding]:
    """Check the free space and the permissions of the index folder."""
    folder = index.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        yield Finding(
            "disk", "problem", f"{folder}: {error.strerror}", "Set XDG_DATA_HOME, or choose a file with --index."
        )
        return
    if not os.access(folder, os.W_OK):
        yield Finding(
            "disk", "problem", f"{folder} is not writable", "Set XDG_DATA_HOME, or choose a file with --index."
        )
    state: State = "problem" if free < _TOO_LITTLE_SPACE else "warning" if free < _LOW_SPACE else "ok"
    used = index_bytes(index) if index.exists() else 0
    message = f"{free / 1e9:.1f} GB free at {folder}; this index has {used / _MEGABYTE:.1f} MB"
    remedy = "" if state == "ok" else f"Delete old indexes in {data_folder() / 'indexes'}."
    yield Finding("disk", state, message, remedy)


def check_models(project: Project, *, use_network: bool) -> Iterator[Finding]:
    """Test each configured model with one word, on the network only with `use_network`."""
    from waymeet.models.choose_embedders import choose_embedders
    from waymeet.models.choose_rerankers import choose_models

    settings = project.settings
    if settings.embedding.provider == "none":
        message = "no embedding model configured; search uses text and links"
        yield Finding("embedding", "off", message, "waymeet settings embedding")
    is_local = settings.embedding.provider in _LOCAL_PROVIDERS
    for embedder in choose_embedders(settings.embedding):
        yield _test_model(
            "embedding", embedder.space, partial(embedder.embed_query, "waymeet"), run=use_network or is_local
        )
    models = choose_models(settings.rerank, settings.expand)
    reranker, expander = models.reranker, models.expander
    if reranker is None:
        yield Finding("reranker", "off", "not configured")
    else:
        yield _test_model(
            "reranker", settings.rerank.provider, partial(reranker.score, "waymeet", ["waymeet"]), run=use_network
        )
    if expander is None:
        yield Finding("expander", "off", "not configured")
    else:
        yield _test_model("expander", settings.expand.provider, partial(expander.expand, "waymeet", 1), run=use_network)


def _test_model(topic: str, name: str, call: Callable[[], object], *, run: bool) -> Finding:
    if not run:
        return Finding(topic, "ok", f"{name}: not tested (--offline)")
    try:
        call()
    except WaymeetError as error:
        return Finding(topic, "problem", f"{name}: {error.message}", error.hint or f"waymeet settings {topic}")
    return Finding(topic, "ok", f"{name} works")


def check_agents(root: Path) -> Iterator[Finding]:
    """List the agents with which the server is registered."""
    registered = []
    for agent in AGENTS.values():
        for scope in agent.files:
            with suppress(WaymeetError):
                if is_registered(agent, settings_file(agent, scope, root), server_name(agent, root)):
                    registered.append(f"{agent.title} ({scope})")
    if not registered:
        yield Finding("agents", "off", "not registered with an agent", f"waymeet install --agent {next(iter(AGENTS))}")
        return
    yield Finding("agents", "ok", f"registered with {', '.join(registered)}")
    if shutil.which("waymeet") is None and any("(project)" in name for name in registered):
        yield Finding(
            "agents", "warning", "the command waymeet is not on the PATH", f"Add {Path(sys.argv[0]).parent} to PATH."
        )
