"""Finding out what sort of project a folder is, and what in it is hardly worth searching."""

import json
import re
from collections import Counter
from pathlib import Path, PurePosixPath

from msgspec import Struct

from waymeet.errors import SettingsError
from waymeet.ingest.discover.walk import GIT_IGNORE, OWN_IGNORE, FoundFile, walk
from waymeet.paths import is_visible
from waymeet.settings import PROJECT_FILE, Ingest

_SORTS = {
    "pyproject.toml": "Python",
    "setup.py": "Python",
    "package.json": "JavaScript",
    "tsconfig.json": "TypeScript",
    "Cargo.toml": "Rust",
    "go.mod": "Go",
    "pom.xml": "Java",
    "build.gradle": "Java",
    "build.gradle.kts": "Kotlin",
    "build.sbt": "Scala",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "Package.swift": "Swift",
    "CMakeLists.txt": "C or C++",
    ".obsidian": "an Obsidian vault",
    "mkdocs.yml": "MkDocs pages",
    "docusaurus.config.js": "Docusaurus pages",
    "conf.py": "Sphinx pages",
    "docs/conf.py": "Sphinx pages",
}
_MADE = frozenset(
    "dist build target out .next .nuxt .svelte-kit .gradle coverage htmlcov site _build public .terraform".split()
)
"""Folders that tools make."""
_OTHERS = frozenset("vendor third_party third-party external extern bower_components Pods deps".split())
"""Folders with what others wrote."""
_HEAVY_FILES, _HEAVY_PART = 2_000, 0.3
_SEVERAL = 50
"""Files from which on a folder with a telling name is worth a word."""
_MOST_FILES = 200_000
"""Files to look at; more will not change the picture."""
_DEEP = 3
"""How many folders down to look for heavy ones."""


class Heavy(Struct, frozen=True):
    """A folder that makes the index larger and answers worse."""

    path: str
    """With a slash at the end."""
    files: int
    why: str
    sure: bool
    """Whether its name says that nobody wrote it here."""


class Detected(Struct, frozen=True):
    """What was found out about a folder."""

    name: str
    sorts: tuple[str, ...]
    ignore_files: tuple[str, ...]
    heavy: tuple[Heavy, ...]
    files: int
    complete: bool
    """Whether all files were looked at."""
    elsewhere: str = ""
    """Where settings stand that a file of the project's own would replace."""


def detected(root: Path, ingest: Ingest) -> Detected:
    """Look through a folder as indexing would, without opening files."""
    held: Counter[str] = Counter()
    files, complete = 0, True
    for each in walk(root, ingest):
        if not isinstance(each, FoundFile):
            continue
        files += 1
        parents = PurePosixPath(each.path).parts[:-1]
        held.update("/".join(parents[: depth + 1]) for depth in range(min(len(parents), _DEEP)))
        if files >= _MOST_FILES:
            complete = False
            break
    return Detected(
        name=root.name,
        sorts=tuple(dict.fromkeys(sort for mark, sort in _SORTS.items() if is_visible(root / mark))),
        ignore_files=tuple(name for name in (GIT_IGNORE, OWN_IGNORE) if is_visible(root / name)),
        heavy=_heavy(held, files),
        files=files,
        complete=complete,
        elsewhere=_elsewhere(root),
    )


def _heavy(held: Counter[str], files: int) -> tuple[Heavy, ...]:
    """Choose the folders worth leaving out; of those inside each other, the outermost."""
    found: dict[str, Heavy] = {}
    for path, number in sorted(held.items()):
        if any(path.startswith(f"{outer}/") for outer in found):
            continue
        name = path.rpartition("/")[2]
        if number >= _SEVERAL and name in _MADE | _OTHERS:
            sort = "made by a tool" if name in _MADE else "written by others"
            found[path] = Heavy(f"{path}/", number, f"{number:,} files; by its name, {sort}", sure=True)
    for path, number in sorted(held.items(), key=lambda each: -len(each[0])):
        inside = any(path == outer or path.startswith(f"{outer}/") or outer.startswith(f"{path}/") for outer in found)
        if not inside and number >= _HEAVY_FILES and number >= _HEAVY_PART * files:
            found[path] = Heavy(f"{path}/", number, f"{number:,} of {files:,} files", sure=False)
    return tuple(sorted(found.values(), key=lambda each: -each.files))


def _elsewhere(root: Path) -> str:
    """Say whether pyproject.toml holds settings, which waymeet.toml would replace."""
    if is_visible(root / PROJECT_FILE):
        return ""
    from waymeet.settings.sources import from_project

    try:
        return "pyproject.toml" if from_project(root).values else ""
    except SettingsError:
        return "pyproject.toml"


def settings_text(found: Detected) -> str:
    """Write the settings file: what is sure is set, what is likely stands there as a comment."""
    sure = [each for each in found.heavy if each.sure]
    likely = [each for each in found.heavy if not each.sure]
    about = f" ({_comment(', '.join(found.sorts))})" if found.sorts else ""
    rows = [
        f"# Settings of Waymeet for this project{about}. All of them: waymeet settings",
        "# Whoever clones the project gets them, too; keys and models belong into your own file.",
        "",
        "[ingest]",
        "# Patterns in the manner of .gitignore, beside .gitignore and .waymeetignore.",
        "ignore = [" if found.heavy else "ignore = []",
        *(f"    {_pattern(each)},  # {_comment(each.why)}" for each in sure),
        *(f"    # {_pattern(each)},  # {_comment(each.why)}: is it worth searching?" for each in likely),
        *(["]"] if found.heavy else []),
        "",
        "# What folders are, shown with every result that lies below them.",
        "# [contexts]",
        '# "docs/adr" = "decisions, the newest last"',
        "",
        "# Names for folders, for --namespace; packages are found by themselves.",
        "# [namespaces]",
        '# "services/billing" = "billing"',
        "",
        "# A ranking of your own: waymeet recipes --help",
        "# [recipes.mine]",
        '# base = "auto"',
        "",
    ]
    return "\n".join(rows)


def _pattern(heavy: Heavy) -> str:
    """Write a folder as a pattern that means it alone, as a string of TOML."""
    return json.dumps("/" + re.sub(r"([\\\[\]*?])", r"\\\1", heavy.path), ensure_ascii=False)


def _comment(text: str) -> str:
    """Keep a text on its line of comment."""
    return " ".join(text.split())
