"""Several projects that are searched as one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock
from time import perf_counter
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
from waymeet.project.query_options import QueryOptions, make_query
from waymeet.project.registered.fan_out import FanOut, Question, Searched
from waymeet.project.registered.registry import (
    ALL,
    RegisteredProject,
    add_project_name,
    choose_projects,
    find_project,
    split_project_name,
)
from waymeet.project.store_address import find_address
from waymeet.settings import Layer, Shape
from waymeet.settings.ingest import StoreSettings
from waymeet.types import Answer, Degraded, Query, Step

if TYPE_CHECKING:
    from waymeet.search.lookup.citation import Excerpt


class _Opened(NamedTuple):
    """A project that stays open between two searches."""

    entry: RegisteredProject
    project: Project
    identity: tuple[int, int] | None
    """Device and inode of its index file."""


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
        self._own: dict[tuple[str, Path], Project] = {}
        for project in own:
            self.add_own(project)
        self._lock = RLock()
        self._fan_out = FanOut(self.open)

    def add_own(self, project: Project) -> None:
        """Use a project that is open already, and is not closed here."""
        project.models.shared = self._embedders
        self._own[str(project.root), project.index_path] = project

    def remove_own(self, project: Project) -> None:
        """Use a project no longer that its owner closes."""
        self._own.pop((str(project.root), project.index_path), None)

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
        limit = options.get("limit") or (query.limit if isinstance(query, Query) else Shape().limit)
        options["limit"] = limit

        def make(project: Project) -> Query:
            return make_query(project.root, limit, query, options)

        return self.ask(Question(make, limit, refresh, tuple(over)), self.entries(names))

    def ask(self, question: Question, entries: Sequence[RegisteredProject]) -> Answer:
        """Search given projects, and merge their answers."""
        from waymeet.search.merge import merge_answers

        started = perf_counter()
        searched = self._fan_out.search(question, entries)
        answers = {each.name: each.answer for each in searched if each.answer is not None}
        errors = {each.name: each.error for each in searched if each.error is not None}
        failures = tuple(report_failure(name, error) for name, error in errors.items())
        if not answers:
            _raise_common_error(errors)
        merged = merge_answers(answers, question.limit, add_project_name)
        left_out = [each for each in searched if each.answer is None and each.error is None]
        notes = (_describe_choice(answers, len(entries)),) if left_out else ()
        return replace(
            merged,
            degraded=(*failures, *merged.degraded, *_report_estimates(left_out)),
            notes=(*merged.notes, *notes),
            steps=(*merged.steps, *map(_describe_estimate, left_out)),
            seconds=perf_counter() - started,
        )

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
        address = find_address(entry.index_path, Path(entry.root), StoreSettings())
        if not address.may_exist:
            raise NoIndexError(f"{entry.root} is not indexed.", f"Run: waymeet index {entry.root}")
        if needs_upgrade(address):
            message = f"The index of {entry.root} was made by an earlier version."
            raise IndexUnavailableError(message, f"Convert it: waymeet status -C {entry.root}")
        project = Project.open(entry.root, index=Path(entry.index) if entry.index else None, flags=self._flags)
        project.models.shared = self._embedders
        return project

    def finish_checks(self) -> None:
        """Wait until files are compared that a search left for after its answer."""
        self._fan_out.finish_checks()

    def close(self) -> None:
        """Close all projects."""
        self._fan_out.close()
        with self._lock:
            for opened in self._opened.values():
                opened.project.close()
            self._opened.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _describe_choice(names: Collection[str], number: int) -> str:
    chosen = f"searched the {len(names)} likeliest of {number} projects: {', '.join(names)} (setting projects.searched)"
    return f"{chosen}; what changed in the others within the last minute may not count"


def _describe_estimate(left_out: Searched) -> Step:
    reason = f"not among the likeliest projects: estimated chance of an answer {left_out.estimate:.3f}"
    return Step(f"project {left_out.name}", 0.0, skipped=reason)


def _report_estimates(left_out: Iterable[Searched]) -> Iterator[Degraded]:
    """Report what limits the estimates of projects that were not searched."""
    for each in left_out:
        for degraded in each.degraded:
            yield Degraded(degraded.stage, degraded.code, f"{each.name}: {degraded.detail}")


def report_failure(name: str, error: WaymeetError) -> Degraded:
    """Report that a project cannot be opened or searched."""
    detail = f"{name}: {error.message} {error.hint}".replace("\n", " ").rstrip()
    return Degraded("project", "project_unavailable", detail)


def _raise_common_error(errors: Mapping[str, WaymeetError]) -> NoReturn:
    """Raise the error of a wrong query as it is, else one that names the error of each project."""
    for error in errors.values():
        if isinstance(error, UsageError) and not isinstance(error, NotFoundError | SettingsError):
            raise error
    detail = "; ".join(report_failure(name, error).detail for name, error in errors.items())
    raise IndexUnavailableError(f"No project can be searched. {detail}", "List them: waymeet projects")
