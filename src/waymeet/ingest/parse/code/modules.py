"""Keys of modules: how files import one another, in one key each instead of all the paths that might be meant.

A file carries the key of its path without ending (`m:js:/src/shop/cart`), that of its folder if it stands for it
(`m:js:/src/shop/` for `index.ts`, `__init__.py`, `mod.rs`), and those of the ends of its path (`m:js:shop/cart`), for
nobody knows at which folder an absolute import begins. Case matters.
"""

import posixpath
from collections.abc import Collection, Iterator

from waymeet.ingest.parse.references.paths import module as module  # noqa: PLC0414 - part of what this module offers

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
