"""Ignore rules from outside of a project: of the repository around it and of the user.

Git applies every `.gitignore` from the top of the repository down, `info/exclude` of the repository, and one file of
the user (`core.excludesFile`, by default `git/ignore` in the configuration folder). These files are read without
running git. Not read: configuration of the machine or the repository, and files that the configuration includes.
"""

import os
import re
import stat
from collections.abc import Iterator

from msgspec import Struct

from waymeet.ingest.discover.ignore import Rules

_MAX_BYTES = 1_000_000
_SETTING = r"(?im)^[ \t]*(?:\[(?P<section>[^\]\n]*)\][ \t]*)?(?:excludesfile[ \t]*=[ \t]*(?P<value>[^\n]*))?"
_VALUE_PART = r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<escaped>\\.)|(?P<plain>[^"\\#;]+)|(?P<comment>[#;].*)'
"""Compiled when first used, because this module is imported before each search."""


class OuterRules(Struct, frozen=True):
    """Rules from outside of a root, the strongest first."""

    git: tuple[Rules, ...] = ()
    """Rules of the `.gitignore` files above the root."""
    excluded: tuple[Rules, ...] = ()
    """Rules of `info/exclude` and the user's file, which are weaker."""


class _OuterFiles(Struct, frozen=True):
    """Ignore files outside of a root, each with the path from their folder to the root."""

    git: tuple[tuple[str, str], ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()


def read_outer_rules(root: str) -> OuterRules:
    """Read the rules that apply to a root because it is inside of a repository."""
    files = _find_outer_files(root)
    return OuterRules(
        tuple(_parse_rules(_read_text(file, follow=False), above) for file, above in files.git),
        tuple(_parse_rules(_read_text(file), above) for file, above in files.excluded),
    )


def read_outer_texts(root: str) -> tuple[str, ...]:
    """Read the ignore files outside of a root, to see whether they changed."""
    files = _find_outer_files(root)
    return tuple(f"{file}\n{_read_text(file)}" for file, _ in (*files.git, *files.excluded))


def _find_outer_files(root: str) -> _OuterFiles:
    repository = _find_repository(root)
    if repository is None:
        return _OuterFiles()
    inside = _path_between(repository, root)
    weaker = [(_find_user_file(), inside)]
    if repository != root or not os.path.isdir(f"{root}/.git"):  # noqa: PTH112 - the walk reads the root's own
        weaker.insert(0, (f"{_find_git_folder(repository)}/info/exclude", inside))
    above = ((f"{folder}/.gitignore", _path_between(folder, root)) for folder in _folders_above(root, repository))
    return _OuterFiles(tuple(above), tuple(weaker))


def _find_repository(root: str) -> str | None:
    """Find the top of the repository that a folder belongs to.

    A repository in the user's home folder itself usually tracks a few settings and ignores everything else, so other
    folders below it do not count as a part of it.
    """
    home, folder = os.path.expanduser("~"), root  # noqa: PTH111 - a string is all that is needed
    while not os.path.exists(f"{folder}/.git"):  # noqa: PTH110 - likewise
        above = os.path.dirname(folder)  # noqa: PTH120 - likewise
        if above == folder:
            return None
        folder = above
    return None if folder == home != root else folder


def _folders_above(root: str, repository: str) -> Iterator[str]:
    """Yield the folders above a root, up to the top of the repository."""
    while root != repository:
        root = os.path.dirname(root)  # noqa: PTH120 - as above
        yield root


def _path_between(folder: str, root: str) -> str:
    """Return the path from a folder to a root inside of it, with a slash at its end.

    >>> _path_between("/a", "/a/b/c"), _path_between("/a", "/a")
    ('b/c/', '')
    """
    inside = root[len(folder) :].strip("/")
    return f"{inside}/" if inside else ""


def _find_git_folder(repository: str) -> str:
    """Find the git folder of a repository, also in a linked worktree, where `.git` is a file."""
    git_path = f"{repository}/.git"
    key, _, target = _read_text(git_path).strip().partition(": ")
    if key != "gitdir":
        return git_path
    folder = os.path.normpath(os.path.join(repository, target))  # noqa: PTH118 - as above
    return os.path.normpath(os.path.join(folder, _read_text(f"{folder}/commondir").strip()))  # noqa: PTH118


def _find_user_file() -> str:
    """Find the user's own ignore file."""
    home = os.path.expanduser("~")  # noqa: PTH111 - as above
    folder = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    config = os.environ.get("GIT_CONFIG_GLOBAL")
    excludes_file: str | None = None
    for file in (config,) if config else (f"{folder}/git/config", f"{home}/.gitconfig"):
        for value in _parse_excludes_file(_read_text(file)):
            excludes_file = value
    if excludes_file is None:
        return f"{folder}/git/ignore"
    if excludes_file.startswith("~/"):
        return os.path.join(home, excludes_file[2:])  # noqa: PTH118 - as above
    return excludes_file


def _parse_excludes_file(settings: str) -> Iterator[str]:
    r"""Yield the values of `core.excludesFile` in a git configuration.

    >>> list(_parse_excludes_file('[user]\nexcludesfile = no\n[Core] excludesFile = "~/my ignore" # mine\n'))
    ['~/my ignore']
    """
    section = ""
    for match in re.finditer(_SETTING, settings) if "excludesfile" in settings.lower() else ():
        section = match["section"].strip().lower() if match["section"] is not None else section
        if section == "core" and match["value"] is not None:
            yield _unquote(match["value"])


def _unquote(value: str) -> str:
    """Parse a configuration value as git does: quotation marks, backslashes, comments."""
    parts = []
    for match in re.finditer(_VALUE_PART, value.strip()):
        if match["comment"] is not None:
            break
        text = match["quoted"] if match["quoted"] is not None else match["plain"] or match["escaped"]
        parts.append(re.sub(r"\\(.)", r"\1", text))
    return "".join(parts).strip()


def _parse_rules(text: str, above: str) -> Rules:
    return Rules(text.split("\n"), above=above)


def _read_text(file: str, *, follow: bool = True) -> str:
    """Read a small regular file, or return "" if it cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(file, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
        try:
            is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            raw = os.read(descriptor, _MAX_BYTES) if is_regular else b""
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return ""
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
