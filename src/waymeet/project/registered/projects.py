"""Several projects that are searched as one."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import RLock
from time import monotonic, perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Self, Unpack

from msgspec.structs import replace

from waymeet.errors import (
    IndexUnavailableError,
    NoIndexError,
    NotFoundError,
    SettingsError,
    UsageError,
    WaymeetError,
)
from waymeet.paths import file_identity
from waymeet.project.backend import needs_upgrade
from waymeet.project.models import SharedEmbedders
from waymeet.project.project import Project
from waymeet.project.query_options import QueryOptions
from waymeet.project.registered.registry import (
    ALL,
    RegisteredProject,
    add_project_name,
    choose_projects,
    find_project,
    split_project_name,
)
from waymeet.settings import Layer
from waymeet.types import Answer, Degraded, Query

if TYPE_CHECKING:
    from waymeet.search.lookup.citation import Excerpt

_MAX_THREADS = 4
"""Projects that are searched at the same time."""
_MIN_EMBEDDING_SECONDS = 0.05
"""Time below which no section is embedded during a query: it does not suffice for a few."""


class _Opened(NamedTuple):
    """A project that stays open between two searches."""

    entry: RegisteredProject
    project: Project
    identity: tuple[int, int] | None
    """Device and inode of its index file."""


class _Searched(NamedTuple):
    """The answer of one project, or why there is none."""

    name: str
    answer: Answer | None = None
    error: WaymeetError | None = None


class TimeLimits(NamedTuple):
    """What is left for one of several projects of the time that a search of one project has."""

    refresh_seconds: float
    """Time to look for changed files and index them."""
    layers: tuple[Layer, ...] = ()
    """Settings that divide the time for embedding sections during a query."""


Search = Callable[[Project, TimeLimits], Answer]
"""Searches one project within time limits."""


class Projects:
    """The user's projects, searched as one. Threads may share it.

    Each project is opened when it is first searched and stays open. A model is loaded once for all of them, and a query
    is embedded once. A project that cannot be searched is named in `degraded`, and the others answer.
    """

    def __init__(
        self,
        names: Iterable[str] = (ALL,),
        flags: Iterable[str] = (),
        *,
        own: Collection[Project] = (),
    ) -> None:
        """Choose projects by name, by default all that are registered.

        `flags` are settings as `section.key=value`. `own` are projects that are open already; they are not closed here.
        """
        self.names = tuple(names)
        self._flags = tuple(flags)
        self._opened: dict[str, _Opened] = {}
        self._embedders = SharedEmbedders()
        self._own = {(str(project.root), project.index_path): project for project in own}
        for project in own:
            project.models.shared = self._embedders
        self._lock = RLock()
        self._pool: ThreadPoolExecutor | None = None

    def search(
        self,
        query: str | Query,
        *,
        names: Collection[str] = (),
        refresh: bool = True,
        over: Iterable[Layer] = (),
        **options: Unpack[QueryOptions],
    ) -> Answer:
        """Answer a query from all projects, or from those named, with hits ordered by relevance.

        Ids begin with the name of the project: `tea::docs/water.md#L1-L3`. Options are those of `Project.search`.

        Raises:
            NotFoundError: there is no project of a name, or none at all.
            WaymeetError: no project can be searched; the first error.
        """
        over = tuple(over)

        def search(project: Project, limits: TimeLimits) -> Answer:
            seconds = limits.refresh_seconds if refresh else False
            return project.search(query, refresh=seconds, over=(*limits.layers, *over), **options)

        limit = options.get("limit") or (query.limit if isinstance(query, Query) else 0)
        return self.search_each(search, names, limit)

    def search_each(self, search: Search, names: Collection[str] = (), limit: int = 0) -> Answer:
        """Search projects by a function, and merge their answers.

        A limit of 0 is that of the settings.
        """
        return self.search_entries(search, self.entries(names), limit)

    def search_entries(self, search: Search, entries: Sequence[RegisteredProject], limit: int = 0) -> Answer:
        """Search given projects by a function, and merge their answers."""
        from waymeet.search.merge import merge_answers

        started = perf_counter()
        searched = self._search_all(entries, search)
        answers = {each.name: each.answer for each in searched if each.answer is not None}
        errors = {each.name: each.error for each in searched if each.error is not None}
        failures = tuple(_report_failure(name, error) for name, error in errors.items())
        if not answers:
            _raise_common_error(errors)
        merged = merge_answers(answers, limit or self._default_limit(), add_project_name)
        return replace(merged, degraded=(*failures, *merged.degraded), seconds=perf_counter() - started)

    def _default_limit(self) -> int:
        with self._lock:
            projects = [*(opened.project for opened in self._opened.values()), *self._own.values()]
            return max(project.settings.shape.limit for project in projects)

    def entries(self, names: Collection[str] = ()) -> tuple[RegisteredProject, ...]:
        """Give the entries of the chosen projects, or of those named."""
        return choose_projects(tuple(names) or self.names)

    def find(self, name: str) -> RegisteredProject | None:
        """Find one of the projects by its name."""
        try:
            return find_project(self.entries(), name) if name else None
        except NotFoundError:
            return None

    def read(self, reference: str, *, start: int = 0, lines: int = 0) -> "Excerpt":
        """Read a section or lines of a file by an id with the name of its project.

        Raises:
            NotFoundError: there is no such project or file.
        """
        name, rest = split_project_name(reference)
        entry = find_project(self.entries(), name)
        excerpt = self.open(entry).read(rest, start=start, lines=lines)
        return replace(
            excerpt,
            id=add_project_name(entry.name, excerpt.id),
            document=add_project_name(entry.name, excerpt.document),
        )

    def open(self, entry: RegisteredProject) -> Project:
        """Give an open project, opened again if its index was replaced.

        Raises:
            WaymeetError: it cannot be opened.
        """
        index = entry.index_path
        own = self._own.get((entry.root, index))
        if own is not None:
            return own
        identity = file_identity(index)
        with self._lock:
            opened = self._opened.get(entry.id)
            if opened is None or (opened.entry.root, opened.identity) != (entry.root, identity):
                opened = _Opened(entry, self._open_new(entry), identity)
                self._opened[entry.id] = opened
            return opened.project

    def _open_new(self, entry: RegisteredProject) -> Project:
        index = entry.index_path
        if not index.exists():
            raise NoIndexError(f"{entry.root} is not indexed.", f"Run: waymeet index {entry.root}")
        if needs_upgrade(index):
            message = f"The index of {entry.root} was made by an earlier version."
            raise IndexUnavailableError(message, f"Convert it: waymeet status -C {entry.root}")
        project = Project.open(entry.root, index=Path(entry.index) if entry.index else None, flags=self._flags)
        project.models.shared = self._embedders
        return project

    def _search_all(self, entries: Sequence[RegisteredProject], search: Search) -> list[_Searched]:
        """Search projects in a few threads, the largest index first.

        All together have one time limit for changed files.
        """
        sizes = {entry.id: _index_size(entry) for entry in entries}
        ordered = sorted(entries, key=lambda entry: -sizes[entry.id])
        began = monotonic()

        def run(entry: RegisteredProject) -> _Searched:
            try:
                project = self.open(entry)
                left = project.settings.ingest.refresh_seconds - (monotonic() - began)
                limits = TimeLimits(max(left, 0.0), _divide_embedding_time(project, len(entries)))
                return _Searched(entry.name, search(project, limits))
            except WaymeetError as error:
                return _Searched(entry.name, error=error)

        if len(ordered) == 1:
            return [run(ordered[0])]
        with self._lock:
            self._pool = self._pool or ThreadPoolExecutor(_count_threads(), thread_name_prefix="waymeet-projects")
            pool = self._pool
        found = {each.name: each for each in pool.map(run, ordered)}
        return [found[entry.name] for entry in entries]

    def close(self) -> None:
        """Close all projects."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None
            for opened in self._opened.values():
                opened.project.close()
            self._opened.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _report_failure(name: str, error: WaymeetError) -> Degraded:
    detail = f"{name}: {error.message} {error.hint}".replace("\n", " ").rstrip()
    return Degraded("project", "project_unavailable", detail)


def _raise_common_error(errors: Mapping[str, WaymeetError]) -> NoReturn:
    """Raise the error of a wrong query as it is, else one that names the error of each project."""
    for error in errors.values():
        if isinstance(error, UsageError) and not isinstance(error, NotFoundError | SettingsError):
            raise error
    detail = "; ".join(_report_failure(name, error).detail for name, error in errors.items())
    raise IndexUnavailableError(f"No project can be searched. {detail}", "List them: waymeet projects")


def _divide_embedding_time(project: Project, number: int) -> tuple[Layer, ...]:
    """Divide the time for embedding sections during a query by the number of projects."""
    if number == 1:
        return ()
    seconds = project.settings.embedding.on_demand_seconds / number
    divided = seconds if seconds >= _MIN_EMBEDDING_SECONDS else 0.0
    return (Layer("several projects", {"embedding": {"on_demand_seconds": divided}}),)


def _count_threads() -> int:
    return max(min(_MAX_THREADS, os.cpu_count() or 1), 2)


def _index_size(entry: RegisteredProject) -> int:
    try:
        return entry.index_path.stat().st_size
    except OSError:
        return 0
