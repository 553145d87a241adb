"""The list of the user's projects: names, folders and indexes.

It is one JSON file in the user's data folder, replaced as a whole under a lock. A project is added when it is indexed
in its usual place. Its `id` is random and never used again, so that the rights of a token follow a project when it is
renamed, and end when it is forgotten.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from time import time

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import NotFoundError, UsageError
from waymeet.paths import data_folder, index_file, is_visible
from waymeet.project.registered.locked_file import locking, read_content, replace_content

_FORMAT = 1
_NAME_OF_FILE = "list of projects"
_NAME = re.compile(r"[^\W_][\w.-]{0,59}")
_SEPARATOR = "::"
"""Between the name of a project and a path in it."""
ALL = "*"
"""In place of names: all projects."""


class RegisteredProject(Struct, frozen=True, kw_only=True):
    """A project of the user."""

    id: str
    """Random and never used again."""
    name: str
    root: str
    index: str = ""
    """Index file, if it is not in the usual place."""
    added: int = 0
    """Seconds since 1970."""

    @property
    def index_path(self) -> Path:
        """The index file."""
        return Path(self.index) if self.index else index_file(Path(self.root))


class _Content(Struct, frozen=True, kw_only=True):
    format: int = _FORMAT
    projects: tuple[RegisteredProject, ...] = ()


def registry_file() -> Path:
    """Give the path of the list."""
    return data_folder() / "projects.json"


def list_projects() -> tuple[RegisteredProject, ...]:
    """List the projects by name. Indexes that earlier versions made are added first.

    Raises:
        UsageError: the list cannot be read.
    """
    file = registry_file()
    if not is_visible(file) and is_visible(file.with_name("indexes")):
        return _change(_add_existing)
    return tuple(sorted(_read(file).projects, key=lambda project: project.name.casefold()))


def register(root: Path, index: Path | None = None, name: str = "") -> RegisteredProject:
    """Add a project, or return the entry that it has.

    Raises:
        UsageError: the name is invalid or taken, or the list cannot be written.
    """
    if name:
        _check_name(name)
    chosen = str(index) if index and index != index_file(root) else ""
    known = _find_entry(_read(registry_file()).projects, root, chosen)
    if known is not None:
        if name and known.name != name:
            hint = f"Rename it: waymeet projects rename {known.name} {name}"
            raise UsageError(f"{root} is registered as {known.name}.", hint)
        return known
    projects = _change(lambda projects: _append(projects, root, chosen, name))
    return next(project for project in projects if (project.root, project.index) == (str(root), chosen))


def register_indexed(root: Path, index: Path) -> None:
    """Add a project that was indexed in its usual place.

    A list that cannot be written is left as it is.
    """
    if os.environ.get("WAYMEET_INDEX") or index != index_file(root):
        return
    try:
        register(root)
    except UsageError:  # `waymeet projects` reports it; indexing must not fail for it
        return


def forget(name: str) -> RegisteredProject:
    """Remove a project from the list, and nothing else."""
    entry = find_project(list_projects(), name)
    _change(lambda projects: tuple(project for project in projects if project.id != entry.id))
    return entry


def rename(name: str, new_name: str) -> RegisteredProject:
    """Give a project another name."""
    entry = find_project(list_projects(), name)
    _check_name(new_name)

    def change(projects: tuple[RegisteredProject, ...]) -> tuple[RegisteredProject, ...]:
        _refuse_taken(new_name, (project for project in projects if project.id != entry.id))
        return tuple(replace(each, name=new_name) if each.id == entry.id else each for each in projects)

    _change(change)
    return replace(entry, name=new_name)


def choose_projects(names: Iterable[str]) -> tuple[RegisteredProject, ...]:
    """Find projects by name, or all of them by `*`, each once.

    Raises:
        NotFoundError: there is no project of this name, or none at all.
    """
    known = list_projects()
    wanted = list(names)
    found = known if ALL in wanted else tuple(dict.fromkeys(find_project(known, name) for name in wanted))
    if not found:
        raise NotFoundError("No project is registered.", "Index one: waymeet index, in its folder")
    return found


def find_project(projects: Collection[RegisteredProject], name: str) -> RegisteredProject:
    """Find a project by its name, whatever its case.

    Raises:
        NotFoundError: there is none.
    """
    by_name = {project.name.casefold(): project for project in projects}
    found = by_name.get(name.strip().casefold())
    if found is not None:
        return found
    from difflib import get_close_matches

    close = get_close_matches(name.casefold(), by_name, n=1)
    hint = f"Did you mean {by_name[close[0]].name}?" if close else "List them: waymeet projects"
    raise NotFoundError(f"There is no project {name!r}.", hint)


def add_project_name(name: str, id_: str) -> str:
    """Put the name of a project before the id of a document or section.

    >>> add_project_name("tea", "docs/water.md#L1-L3")
    'tea::docs/water.md#L1-L3'
    """
    return f"{name}{_SEPARATOR}{id_}"


def split_project_name(reference: str) -> tuple[str, str]:
    """Split the name of a project off a reference, empty if it has none.

    >>> split_project_name("tea::docs/water.md"), split_project_name("src/a.rs#Foo::new")
    (('tea', 'docs/water.md'), ('', 'src/a.rs#Foo::new'))
    """
    name, separator, rest = reference.partition(_SEPARATOR)
    return (name, rest) if separator and rest and _NAME.fullmatch(name) else ("", reference)


def _find_entry(projects: Iterable[RegisteredProject], root: Path, index: str) -> RegisteredProject | None:
    return next((each for each in projects if (each.root, each.index) == (str(root), index)), None)


def _append(
    projects: tuple[RegisteredProject, ...], root: Path, index: str, name: str = ""
) -> tuple[RegisteredProject, ...]:
    if _find_entry(projects, root, index):
        return projects
    if name:
        _refuse_taken(name, projects)
    name = name or make_name(root, {project.name.casefold() for project in projects})
    entry = RegisteredProject(id=os.urandom(8).hex(), name=name, root=str(root), index=index, added=int(time()))
    return (*projects, entry)


def make_name(root: Path, taken: Collection[str]) -> str:
    """Make a name from a folder, with that of the folder above or a number if it is taken.

    >>> make_name(Path("/work/My tea"), ()), make_name(Path("/work/tea"), {"tea"})
    ('My-tea', 'work-tea')
    >>> make_name(Path("/"), ())
    'project'
    """
    own = _clean(root.name) or "project"
    above = _clean(f"{root.parent.name}-{own}")
    for name in (own, above, *(f"{own}-{number}" for number in range(2, len(taken) + 3))):
        if name.casefold() not in taken:
            return name
    return f"{own}-{os.urandom(4).hex()}"


def _clean(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).lstrip("-._")[:60].rstrip("-.")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        hint = "Use letters, digits, dots, hyphens and underscores, at most 60; begin with a letter or digit."
        raise UsageError(f"{name!r} is no name for a project.", hint)


def _refuse_taken(name: str, projects: Iterable[RegisteredProject]) -> None:
    other = next((project for project in projects if project.name.casefold() == name.casefold()), None)
    if other is not None:
        raise UsageError(f"The name {name} belongs to {other.root}.", "Choose another name.")


def _add_existing(projects: tuple[RegisteredProject, ...]) -> tuple[RegisteredProject, ...]:
    """Add the indexes in the usual place that earlier versions made."""
    from waymeet.project.backend import find_root

    for index in sorted(registry_file().with_name("indexes").glob("*.sqlite")):
        root = find_root(index)
        if root and index_file(Path(root)) == index:
            projects = _append(projects, Path(root), "")
    return projects


def _read(file: Path) -> _Content:
    hint = "Delete the file to start a new list; projects are added again when they are indexed."
    content = read_content(file, _Content, _NAME_OF_FILE, hint)
    if content.format > _FORMAT:
        raise UsageError(f"The {_NAME_OF_FILE} {file} was written by a newer version.", "Update Waymeet.")
    return content


def _change(
    change: Callable[[tuple[RegisteredProject, ...]], tuple[RegisteredProject, ...]],
) -> tuple[RegisteredProject, ...]:
    """Change the list under its lock, and return it by name."""
    file = registry_file()
    with locking(file, _NAME_OF_FILE):
        before = _read(file).projects
        after = tuple(sorted(change(before), key=lambda project: project.name.casefold()))
        if after != before or not is_visible(file):
            replace_content(file, _Content(projects=after))
    return after
