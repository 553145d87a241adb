"""Names of files with a mask in them, as answers show them, and the files they stand for."""

import re
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from waymeet.errors import UsageError
from waymeet.interfaces.outgoing import mask_outgoing

_MASK = "[secret]"
_PLACE = re.compile(r"#|:(?=\d)")


def unmask_path(root: Path, reference: str) -> str:
    """Replace a masked path, with or without a place in it, by that of the file.

    A reference without a mask, or without such a file, is returned unchanged.

    Raises:
        UsageError: several files have this masked name.
    """
    if _MASK not in reference or reference.startswith("/") or ".." in reference.split("/"):
        return reference
    ends = [len(reference), *(match.start() for match in reversed(list(_PLACE.finditer(reference))))]
    for end in ends:
        paths = list(_find_files(root, reference[:end]))
        if len(paths) > 1:
            message = f"{reference} may mean any of {len(paths)} files, whose names have secrets in them."
            raise UsageError(message, "Search for its title, or rename the files.")
        if paths:
            return paths[0] + reference[end:]
    return reference


def _find_files(root: Path, masked: str) -> Iterator[str]:
    """Find the files below the root whose masked path is the given one."""
    if _MASK not in masked or not masked.strip("/"):
        return
    pattern = "*".join(map(escape, masked.rstrip("/").split(_MASK)))
    for path in root.glob(pattern):
        name = path.relative_to(root).as_posix() + ("/" if masked.endswith("/") else "")
        if mask_outgoing(name, enabled=True) == masked:
            yield name
