"""Which files are notes, tasks and skills: those in the folders that the settings name, and every SKILL.md."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.settings import NotebookSettings

if TYPE_CHECKING:
    from waymeet.ingest.parse import Parsed  # parsers cost more to import than a search that finds nothing changed

KINDS = ("notes", "tasks", "skills")
SKILL_PAGE = "SKILL.md"
ENDING = ".md"


def kind_folder(kind: str, folders: NotebookSettings) -> str:
    """Give the folder of a kind, below the root, without slashes at its ends.

    >>> kind_folder("notes", NotebookSettings(notes="./docs/notes/"))
    'docs/notes'
    """
    chosen: str = getattr(folders, kind)
    return chosen.removeprefix("./").strip("/")


def entry_kind(path: str, folders: NotebookSettings) -> str:
    """Tell whether a file is a note, a task or a skill; empty if it is none of them.

    What lies in a folder beside a SKILL.md belongs to that skill, but is no skill itself.

    >>> [entry_kind(path, NotebookSettings()) for path in (".waymeet/notes/a.md", "web/skills/x/SKILL.md", "docs/a.md")]
    ['notes', 'skills', '']
    >>> entry_kind(".waymeet/skills/deploy.md", NotebookSettings()), entry_kind(".waymeet/skills/x/reference.md", NotebookSettings())
    ('skills', '')
    """
    folder, _, name = path.rpartition("/")
    if name == SKILL_PAGE:
        return "skills"
    if not name.lower().endswith(ENDING):
        return ""
    if folder == kind_folder("skills", folders):
        return "skills"
    return next((kind for kind in ("notes", "tasks") if f"{folder}/".startswith(f"{kind_folder(kind, folders)}/")), "")


def sorted_in(path: str, parsed: "Parsed", folders: NotebookSettings) -> "Parsed":
    """Give what was parsed its kind; a SKILL.md is called by the name that its front matter states."""
    kind = entry_kind(path, folders)
    if not kind:
        return parsed
    name = parsed.properties.get("name", "") if path.endswith(SKILL_PAGE) else ""
    if not name or name == parsed.title:
        return replace(parsed, kind=kind)
    return replace(parsed, kind=kind, title=name, aliases=(*parsed.aliases, parsed.title))
