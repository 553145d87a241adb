"""Keys of modules: how files import one another, in one key each instead of all the paths that might be meant.

A file carries the key of its path without ending (`m:js:/src/shop/cart`), that of its folder if it stands for it
(`m:js:/src/shop/` for `index.ts`, `__init__.py`, `mod.rs`), and those of the ends of its path (`m:js:shop/cart`), for
nobody knows at which folder an absolute import begins. Case matters.
"""

import posixpath
from collections.abc import Collection, Iterator

from waymeet.analysis import symbol_key
from waymeet.ingest.parse.code.language import Import
from waymeet.ingest.parse.references.paths import module as module  # noqa: PLC0414 - part of what this module offers


def symbol_import(dotted: str, local: str, outside: Collection[str]) -> Import:
    """Import one symbol of a package by its whole name; one of a package outside of the project is nothing of ours.

    >>> symbol_import("shop.store.Store", "Store", ()).refs
    ('s:shop.store.Store',)
    """
    package, _, name = dotted.rpartition(".")
    if not package or is_outside(dotted, outside):
        return Import(local or name)
    return Import(local or name, (symbol_key(dotted),), name, package=package)


def member_import(dotted: str, local: str, outside: Collection[str]) -> Import:
    """Import a member of a class by its whole name.

    >>> member_import("shop.Prices.round", "", ()).anchor
    'Prices.round'
    """
    owner, _, member = dotted.rpartition(".")
    package, _, name = owner.rpartition(".")
    if not package or is_outside(dotted, outside):
        return Import(local or member)
    return Import(local or member, (symbol_key(dotted), symbol_key(owner)), f"{name}.{member}")


def package_import(dotted: str, outside: Collection[str]) -> Iterator[Import]:
    """Import everything of a package."""
    if dotted and not is_outside(dotted, outside):
        yield Import("", package=dotted, everything=True)


def is_outside(dotted: str, outside: Collection[str]) -> bool:
    """Tell whether a package is one that never is the project's own.

    >>> is_outside("java.util.List", {"java"}), is_outside("org.junit.Test", {"org.junit"})
    (True, True)
    """
    parts = dotted.split(".")
    return parts[0] in outside or ".".join(parts[:2]) in outside


_LONGEST = 8
"""Parts of the longest end of a path that is a key by itself."""


def stem(path: str) -> str:
    """Take the ending off a path, and all of them off a declaration such as `cart.d.ts`.

    >>> stem("src/cart.d.ts"), stem("src/.profile"), stem("lib/x.test.js")
    ('src/cart', 'src/.profile', 'lib/x.test')
    """
    folder, slash, name = path.rpartition("/")
    before, dot, _ = name.rpartition(".")
    return f"{folder}{slash}{(before.removesuffix('.d') if dot and before else name)}"


def modules(family: str, path: str, folders: Collection[str] = (), least: int = 2) -> Iterator[str]:
    """List the keys of a file; `folders` are the names of files that stand for their folder.

    >>> list(modules("js", "web/shop/index.ts", {"index"}))
    ['m:js:/web/shop/index', 'm:js:/web/shop/', 'm:js:web/shop/']
    >>> list(modules("js", "web/shop/cart.ts", {"index"}))
    ['m:js:/web/shop/cart', 'm:js:shop/cart', 'm:js:web/shop/cart']
    """
    whole, behind = stem(path), ""
    yield module(family, f"/{whole}")
    folder, _, name = whole.rpartition("/")
    if name in folders:
        if not folder:
            return
        whole, behind = folder, "/"
        yield module(family, f"/{folder}/")
    parts = whole.split("/")
    for length in range(least, min(len(parts), _LONGEST) + 1):
        yield module(family, "/".join(parts[-length:]) + behind)


def joined(folder: str, target: str) -> str:
    """Follow a relative path from a folder; empty if it leads out of the root.

    >>> joined("web/shop", "../cart"), joined("web", "../../x")
    ('web/cart', '')
    """
    path = posixpath.normpath(posixpath.join(folder, target))
    return "" if path in {"", ".", ".."} or path.startswith(("../", "/")) else path


def above(path: str) -> Iterator[str]:
    """Yield the folders that a file lies in, its own first, the root (the empty string) last.

    >>> list(above("a/b/c.py"))
    ['a/b', 'a', '']
    """
    folder = posixpath.dirname(path)
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""
