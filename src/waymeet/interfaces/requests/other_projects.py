"""Requests that read other projects of the user than the one that is served."""

from waymeet.interfaces.requests.operations.read import ReadRequest
from waymeet.project.registered.registry import split_project_name


def reads_other_projects(request: object) -> bool:
    """Tell whether a request names other projects, in `projects` or before an id to read.

    >>> reads_other_projects(ReadRequest(id="tea::docs/water.md")), reads_other_projects(ReadRequest(id="a.rs#A::b"))
    (True, False)
    """
    if getattr(request, "projects", ()):
        return True
    return isinstance(request, ReadRequest) and bool(split_project_name(request.id)[0])
