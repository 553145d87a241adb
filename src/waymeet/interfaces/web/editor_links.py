"""Links that open a file in an editor on this machine."""

import re
from pathlib import Path
from urllib.parse import quote

_FILE_AND_LINE = "://file{path}:{line}"
EDITORS = {
    **{name: f"{name}{_FILE_AND_LINE}" for name in ("vscode", "vscodium", "cursor", "windsurf", "zed")},
    **{name: f"{name}://open?file={{path}}&line={{line}}" for name in ("idea", "pycharm", "webstorm")},
    "textmate": "txmt://open?url=file://{path}&line={line}",
}
"""URLs by which known editors open a file at a line; the path begins with a slash."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_RUN_OR_LOAD = frozenset({"javascript", "data", "vbscript", "blob", "about", "filesystem", "view-source"})
"""Schemes that would run or load something in the browser itself."""


def make_editor_link(editor: str, root: Path, document: str, line: int) -> str:
    """Make the URL that opens a document at a line, or an empty text if no editor is set.

    Files of another root have no link, since their ids do not tell where they are.

    >>> make_editor_link("vscode", Path("/p"), "docs/a b.md", 12)
    'vscode://file/p/docs/a%20b.md:12'
    >>> make_editor_link("myed://{path}?{line}", Path("/p"), "a.md", 1), make_editor_link("", Path("/p"), "a.md", 1)
    ('myed:///p/a.md?1', '')
    >>> make_editor_link("javascript:alert('{path}')", Path("/p"), "a.md", 1)
    ''
    """
    template = EDITORS.get(editor, editor)
    scheme = _SCHEME.match(template)
    if "{path}" not in template or scheme is None or scheme[1].lower() in _RUN_OR_LOAD or ":/" in document:
        return ""
    path = quote((root / document).as_posix())
    return template.replace("{path}", path if path.startswith("/") else f"/{path}").replace("{line}", str(line))
