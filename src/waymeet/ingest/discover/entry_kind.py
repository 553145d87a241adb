"""Kinds of notebook files (notes, tasks, skills), by the folders in the settings."""

from waymeet.settings import NotebookSettings

KINDS = ("notes", "tasks", "skills")
SKILL_PAGE = "SKILL.md"
_EXTENSION = ".md"


def kind_folder(kind: str, folders: NotebookSettings) -> str:
    """Return the folder of a kind, below the root, without slashes at its ends.

    >>> kind_folder("notes", NotebookSettings(notes="./docs/notes/"))
    'docs/notes'
    """
    folder: str = getattr(folders, kind)
    return folder.removeprefix("./").strip("/")


def entry_kind(path: str, folders: NotebookSettings) -> str:
    """Return the kind of a note, task or skill, or "" for other files.

    A SKILL.md is a skill in any folder. Other files beside it belong to that skill, but are no skills themselves.

    >>> usual = NotebookSettings()
    >>> [entry_kind(path, usual) for path in (".waymeet/notes/a.md", "web/skills/x/SKILL.md", "docs/a.md")]
    ['notes', 'skills', '']
    >>> entry_kind(".waymeet/skills/deploy.md", usual), entry_kind(".waymeet/skills/x/reference.md", usual)
    ('skills', '')
    """
    folder, _, name = path.rpartition("/")
    if name == SKILL_PAGE:
        return "skills"
    if not name.lower().endswith(_EXTENSION):
        return ""
    if folder == kind_folder("skills", folders):
        return "skills"
    return next((kind for kind in ("notes", "tasks") if f"{folder}/".startswith(f"{kind_folder(kind, folders)}/")), "")
