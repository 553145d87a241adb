"""Ignore rules that hold in a project but lie outside of it: those of the repository around it, and the user's own.

Git heeds every `.gitignore` from the top of the repository down, `info/exclude` of the repository, and one file of the
user's (`core.excludesFile`, by default `git/ignore` in the folder for settings). They are read here, as patterns only,
and git itself is not run. Not read: settings of the machine or the repository, and what settings include.
"""

import os
import re
import stat
from collections.abc import Iterator

from msgspec import Struct

from waymeet.ingest.discover.ignore import Rules

_LIMIT = 1_000_000
_SETTING = r"(?im)^[ \t]*(?:\[(?P<section>[^\]\n]*)\][ \t]*)?(?:excludesfile[ \t]*=[ \t]*(?P<value>[^\n]*))?"
_WRITTEN = r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<escaped>\\.)|(?P<plain>[^"\\#;]+)|(?P<comment>[#;].*)'
"""Compiled when first needed, for this module is loaded before each search."""


class Outside(Struct, frozen=True):
    """The rules from outside of a root, the strongest first."""

    git: tuple[Rules, ...] = ()
    """Of `.gitignore` files above it."""
    excluded: tuple[Rules, ...] = ()
    """Of weaker files."""


def outside(root: str) -> Outside:
    """Find the rules that hold in a root because it belongs to a repository; none if it does not."""
    repository = _repository(root)
    if repository is None:
        return Outside()
    weaker = [_rules(_user_file(), _between(repository, root))]
    if repository != root or not os.path.isdir(f"{root}/.git"):  # noqa: PTH112 - the walk reads that of a root's own
        weaker.insert(0, _rules(f"{_git_folder(repository)}/info/exclude", _between(repository, root)))
    files = ((f"{folder}/.gitignore", _between(folder, root)) for folder in _above(root, repository))
    return Outside(tuple(_rules(*each, follow=False) for each in files), tuple(weaker))


def _repository(root: str) -> str | None:
    """Find the top of the repository that a folder belongs to.

    A repository that is the user's whole home keeps a few settings and usually ignores everything else: what lies
    below it is not a part of it.
    """
    home, folder = os.path.expanduser("~"), root  # noqa: PTH111 - a string is all that is needed
    while not os.path.exists(f"{folder}/.git"):  # noqa: PTH110 - likewise
        above = os.path.dirname(folder)  # noqa: PTH120 - likewise
        if above == folder:
            return None
        folder = above
    return None if folder == home != root else folder


def _above(root: str, repository: str) -> Iterator[str]:
    """Yield the folders above a root up to the top of the repository."""
    while root != repository:
        root = os.path.dirname(root)  # noqa: PTH120 - as above
        yield root


def _between(folder: str, root: str) -> str:
    """Give the path from a folder to a root inside of it, with a slash at its end.

    >>> _between("/a", "/a/b/c"), _between("/a", "/a")
    ('b/c/', '')
    """
    inside = root[len(folder) :].strip("/")
    return f"{inside}/" if inside else ""


def _git_folder(repository: str) -> str:
    """Find where git keeps what belongs to a repository; a further working tree says so in a file."""
    here = f"{repository}/.git"
    key, _, pointed = _text(here).strip().partition(": ")
    if key != "gitdir":
        return here
    place = os.path.normpath(os.path.join(repository, pointed))  # noqa: PTH118 - as above
    return os.path.normpath(os.path.join(place, _text(f"{place}/commondir").strip()))  # noqa: PTH118


def _user_file() -> str:
    """Find the user's own file of ignore rules."""
    home = os.path.expanduser("~")  # noqa: PTH111 - as above
    folder = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    chosen = os.environ.get("GIT_CONFIG_GLOBAL")
    said: str | None = None
    for file in (chosen,) if chosen else (f"{folder}/git/config", f"{home}/.gitconfig"):
        for value in _values(_text(file)):
            said = value
    if said is None:
        return f"{folder}/git/ignore"
    return os.path.join(home, said[2:]) if said.startswith("~/") else said  # noqa: PTH118 - as above


def _values(settings: str) -> Iterator[str]:
    r"""Yield what git's settings say of `core.excludesFile`.

    >>> list(_values('[user]\nexcludesfile = no\n[Core] excludesFile = "~/my ignore" # mine\n'))
    ['~/my ignore']
    """
    section = ""
    for match in re.finditer(_SETTING, settings) if "excludesfile" in settings.lower() else ():
        section = match["section"].strip().lower() if match["section"] is not None else section
        if section == "core" and match["value"] is not None:
            yield _unquoted(match["value"])


def _unquoted(value: str) -> str:
    """Read a value as git does: quotation marks, backslashes, comments."""
    parts = []
    for match in re.finditer(_WRITTEN, value.strip()):
        if match["comment"] is not None:
            break
        text = match["quoted"] if match["quoted"] is not None else match["plain"] or match["escaped"]
        parts.append(re.sub(r"\\(.)", r"\1", text))
    return "".join(parts).strip()


def _rules(file: str, above: str, *, follow: bool = True) -> Rules:
    return Rules(_text(file, follow=follow).split("\n"), above=above)


def _text(file: str, *, follow: bool = True) -> str:
    """Read a small regular file; nothing if there is none, or it cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(file, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
        try:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            raw = os.read(descriptor, _LIMIT) if regular else b""
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return ""
    return raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
