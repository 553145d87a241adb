"""Paths as documents write them: from their own folder, from the root, or from somewhere between."""

import posixpath
from collections.abc import Iterator


def module(family: str, path: str) -> str:
    """Give the key of a module by its path from the root, or by the end of its path (see `code.keys`).

    >>> module("js", "/src/cart"), module("js", "shop/cart")
    ('m:js:/src/cart', 'm:js:shop/cart')
    """
    return f"m:{family}:{path}"


def below_root(folder: str, target: str) -> str | None:
    """Join a path, unless it leads out of the root.

    >>> below_root("docs", "../src/a.py"), below_root("", "../a.py"), below_root("", "src//b/")
    ('src/a.py', None, 'src/b')
    """
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path in {"..", "."} or path.startswith("../") else path


def from_folder(source: str, target: str) -> str | None:
    """Join a path to the folder of the document that writes it."""
    return below_root(posixpath.dirname(source), target)


def above(source: str) -> Iterator[str]:
    """Yield the folders a document lies in, its own first, the root (the empty string) last.

    >>> list(above("a/b/c.md"))
    ['a/b', 'a', '']
    """
    folder = posixpath.dirname(source)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
