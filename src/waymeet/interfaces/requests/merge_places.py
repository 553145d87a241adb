"""Paths as a program names them: below the project's root, or absolute and inside it."""

from pathlib import Path, PurePath


def below(root: Path, path: str) -> str:
    """Read a path or an id as one below the root; what lies elsewhere stays as it is and is not found.

    >>> below(Path("/project"), "/project/docs/a.md#L1-L2"), below(Path("/a"), "./docs"), below(Path("/a"), "b.md")
    ('docs/a.md#L1-L2', 'docs', 'b.md')
    """
    path = path.removeprefix("./")
    found = PurePath(path)
    if not found.is_absolute() or not found.is_relative_to(root):
        return path
    tail = "/" if path.endswith("/") else ""
    return found.relative_to(root).as_posix() + tail if found != root else "."
