"""Resolution of paths in documents, relative to their folder, a parent or the root."""

import posixpath
from collections.abc import Iterator


def module_key(family: str, path: str) -> str:
    """Build the key of a module by its path or the end of its path (see `code.modules`).

    >>> module_key("js", "/src/cart"), module_key("js", "shop/cart")
    ('m:js:/src/cart', 'm:js:shop/cart')
    """
    return f"m:{family}:{path}"


def join_below_root(folder: str, target: str) -> str | None:
    """Join a folder and a path, or return None if it leads out of the root.

    >>> join_below_root("docs", "../src/a.py"), join_below_root("", "../a.py"), join_below_root("", "src//b/")
    ('src/a.py', None, 'src/b')
    """
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path in {"..", "."} or path.startswith("../") else path


def join_to_source_folder(source: str, target: str) -> str | None:
    """Join a path to the folder of the document that contains it."""
    return join_below_root(posixpath.dirname(source), target)


def parent_folders(source: str) -> Iterator[str]:
    """Yield the folders above a document, its own first, the root (an empty string) last.

    >>> list(parent_folders("a/b/c.md"))
    ['a/b', 'a', '']
    """
    folder = posixpath.dirname(source)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
