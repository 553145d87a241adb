"""Detection of the type of a project and of large folders that are not worth indexing."""

import json
import re
from collections import Counter
from pathlib import Path, PurePosixPath

from msgspec import Struct

from waymeet.errors import SettingsError
from waymeet.ingest.discover.walk import GIT_IGNORE, OWN_IGNORE, FoundFile, walk
from waymeet.paths import is_visible
from waymeet.settings import PROJECT_FILE, Ingest

_TYPES = {
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
_GENERATED = frozenset(
    "dist build target out .next .nuxt .svelte-kit .gradle coverage htmlcov site _build public .terraform".split()
)
"""Folders of generated files."""
_THIRD_PARTY = frozenset("vendor third_party third-party external extern bower_components Pods deps".split())
"""Folders of third-party code."""
_LARGE_FILES, _LARGE_SHARE = 2_000, 0.3
"""Files, and share of all files, from which a folder counts as large."""
_NAMED_FILES = 50
"""Files from which a folder of generated or third-party files is reported."""
_MAX_FILES = 200_000
"""Files after which detection stops."""
_MAX_DEPTH = 3


class LargeFolder(Struct, frozen=True):
    """A folder that is probably not worth indexing."""

    path: str
    """With a slash at the end."""
    files: int
    reason: str
    certain: bool
    """Whether its name shows that its files are generated or third-party."""


class DetectedProject(Struct, frozen=True):
    """The result of detection."""

    name: str
    types: tuple[str, ...]
    ignore_files: tuple[str, ...]
    large_folders: tuple[LargeFolder, ...]
    files: int
    complete: bool
    """Whether all files were counted."""
    replaces: str = ""
    """The file whose settings a new waymeet.toml would replace."""


def detect_project(root: Path, ingest: Ingest) -> DetectedProject:
    """Walk a folder as indexing does, without opening files."""
    counts: Counter[str] = Counter()
    files, complete = 0, True
    for entry in walk(root, ingest):
        if not isinstance(entry, FoundFile):
            continue
        files += 1
        parents = PurePosixPath(entry.path).parts[:-1]
        counts.update("/".join(parents[: depth + 1]) for depth in range(min(len(parents), _MAX_DEPTH)))
        if files >= _MAX_FILES:
            complete = False
            break
    return DetectedProject(
        name=root.name,
        types=tuple(dict.fromkeys(type_ for marker, type_ in _TYPES.items() if is_visible(root / marker))),
        ignore_files=tuple(name for name in (GIT_IGNORE, OWN_IGNORE) if is_visible(root / name)),
        large_folders=_find_large_folders(counts, files),
        files=files,
        complete=complete,
        replaces=_other_settings_file(root),
    )


def _find_large_folders(counts: Counter[str], files: int) -> tuple[LargeFolder, ...]:
    """Choose the folders to leave out, of nested ones the outermost."""
    folders: dict[str, LargeFolder] = {}
    for path, number in sorted(counts.items()):
        if any(path.startswith(f"{outer}/") for outer in folders):
            continue
        name = path.rpartition("/")[2]
        if number >= _NAMED_FILES and name in _GENERATED | _THIRD_PARTY:
            origin = "generated" if name in _GENERATED else "third-party"
            folders[path] = LargeFolder(f"{path}/", number, f"{number:,} files, {origin} by its name", certain=True)
    for path, number in sorted(counts.items(), key=lambda item: -len(item[0])):
        is_nested = any(
            path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in folders
        )
        if not is_nested and number >= _LARGE_FILES and number >= _LARGE_SHARE * files:
            folders[path] = LargeFolder(f"{path}/", number, f"{number:,} of {files:,} files", certain=False)
    return tuple(sorted(folders.values(), key=lambda folder: -folder.files))


def _other_settings_file(root: Path) -> str:
    """Return pyproject.toml if it has settings that a new waymeet.toml would replace."""
    if is_visible(root / PROJECT_FILE):
        return ""
    from waymeet.settings.sources import from_project

    try:
        return "pyproject.toml" if from_project(root).values else ""
    except SettingsError:
        return "pyproject.toml"


def settings_text(detected: DetectedProject) -> str:
    """Format the settings file: certain folders are ignored, others are suggested in comments."""
    certain = [folder for folder in detected.large_folders if folder.certain]
    uncertain = [folder for folder in detected.large_folders if not folder.certain]
    about = f" ({_comment(', '.join(detected.types))})" if detected.types else ""
    rows = [
        f"# Waymeet settings of this project{about}. To list all settings: waymeet settings",
        "# This file is shared with the project. Keys and models belong in your own settings file.",
        "",
        "[ingest]",
        "# Patterns as in .gitignore, in addition to .gitignore and .waymeetignore.",
        "ignore = [" if detected.large_folders else "ignore = []",
        *(f"    {_pattern(folder)},  # {_comment(folder.reason)}" for folder in certain),
        *(f"    # {_pattern(folder)},  # {_comment(folder.reason)}: worth searching?" for folder in uncertain),
        *(["]"] if detected.large_folders else []),
        "",
        "# Descriptions of folders, shown with every result below them.",
        "# [contexts]",
        '# "docs/adr" = "decisions, the newest last"',
        "",
        "# Names of folders, for --namespace; packages are detected automatically.",
        "# [namespaces]",
        '# "services/billing" = "billing"',
        "",
        "# A custom ranking: waymeet recipes --help",
        "# [recipes.mine]",
        '# base = "auto"',
        "",
    ]
    return "\n".join(rows)


def _pattern(folder: LargeFolder) -> str:
    """Format the pattern that matches only this folder, as a TOML string."""
    return json.dumps("/" + re.sub(r"([\\\[\]*?])", r"\\\1", folder.path), ensure_ascii=False)


def _comment(text: str) -> str:
    """Put a text on one line."""
    return " ".join(text.split())
