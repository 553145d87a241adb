"""What surrounds a page: its project, the other projects, and who is signed in."""

from contextvars import ContextVar
from typing import NamedTuple
from urllib.parse import quote

PROJECTS = "/p"
"""Path above the pages of each project, on a server that shows several."""
ALL = "/all"
"""Path of the search over all projects."""


class ProjectLink(NamedTuple):
    """A project that the page can be switched to."""

    name: str
    url: str
    """Address of its search page."""
    is_read_only: bool = False


class Frame(NamedTuple):
    """What surrounds the pages that answer one request."""

    prefix: str = ""
    """Put before the paths of the project's pages; empty for the project of a server of its own."""
    project: str = ""
    """Name of the project that is shown; empty if it is the only one, or if all are."""
    projects: tuple[ProjectLink, ...] = ()
    """All projects of the switcher; empty for no switcher."""
    start: str = "/"
    """Path of the page that searches what is shown."""
    has_project: bool = True
    """Whether the pages of a project can be shown: notes, graph, status."""
    person: str = ""
    """Name of the token that is signed in, on a server of several projects."""
    form_token: str = ""
    """For the form that signs this person out."""


NO_PROJECT = Frame(start=ALL, has_project=False)
"""Of a server of several projects, for someone who is not signed in."""
FRAME: ContextVar[Frame] = ContextVar("frame", default=Frame())  # noqa: B039 - it is immutable
"""The frame of the request that is answered. Each request runs in a task, so that its value ends with it."""


def page_url(path: str) -> str:
    """Give the address of a page of the project that is shown.

    >>> page_url("/notes")
    '/notes'
    """
    return f"{FRAME.get().prefix}{path}"


def project_prefix(name: str) -> str:
    """Give what is put before the paths of a project's pages.

    >>> project_prefix("お茶")
    '/p/%E3%81%8A%E8%8C%B6'
    """
    return f"{PROJECTS}/{quote(name, safe='')}"
