"""Keys of modules, by which imports are resolved without listing all possible paths.

A file has the key of its path without extension (`m:js:/src/shop/cart`), that of its folder if it is its index file
(`m:js:/src/shop/` for `index.ts`, `__init__.py`, `mod.rs`), and those of the ends of its path (`m:js:shop/cart`),
because the root of absolute imports is not known. Case matters.
"""

import posixpath
from collections.abc import Collection, Iterator

from waymeet.analysis import symbol_key
from waymeet.ingest.parse.code.language import Import
from waymeet.ingest.parse.references.paths import module_key as module_key  # noqa: PLC0414 - reexported for the languages


def symbol_import(dotted: str, local: str, external: Collection[str]) -> Import:
    """Build the import of one symbol of a package, without keys if it is an external package.

    >>> symbol_import("shop.store.Store", "Store", ()).refs
    ('s:shop.store.Store',)
    """
    package, _, name = dotted.rpartition(".")
    if not package or is_external(dotted, external):
        return Import(local or name)
    return Import(local or name, (symbol_key(dotted),), name, package=package)


def member_import(dotted: str, local: str, external: Collection[str]) -> Import:
    """Build the import of a member of a class.

    >>> member_import("shop.Prices.round", "", ()).anchor
    'Prices.round'
    """
    owner, _, member = dotted.rpartition(".")
    package, _, name = owner.rpartition(".")
    if not package or is_external(dotted, external):
        return Import(local or member)
    return Import(local or member, (symbol_key(dotted), symbol_key(owner)), f"{name}.{member}")


def package_import(dotted: str, external: Collection[str]) -> Iterator[Import]:
    """Build the import of all names of a package, or none if it is external."""
    if dotted and not is_external(dotted, external):
        yield Import("", package=dotted, is_wildcard=True)


def is_external(dotted: str, external: Collection[str]) -> bool:
    """Check whether a package is known to be external.

    >>> is_external("java.util.List", {"java"}), is_external("org.junit.Test", {"org.junit"})
    (True, True)
    """
    parts = dotted.split(".")
    return parts[0] in external or ".".join(parts[:2]) in external


_MAX_PARTS = 8
"""Parts of the longest end of a path that is a key."""


def stem(path: str) -> str:
    """Remove the extension of a path, both of them for a declaration such as `cart.d.ts`.

    >>> stem("src/cart.d.ts"), stem("src/.profile"), stem("lib/x.test.js")
    ('src/cart', 'src/.profile', 'lib/x.test')
    """
    folder, slash, name = path.rpartition("/")
    before, dot, _ = name.rpartition(".")
    return f"{folder}{slash}{(before.removesuffix('.d') if dot and before else name)}"


def list_module_keys(family: str, path: str, index_names: Collection[str] = (), min_parts: int = 2) -> Iterator[str]:
    """Yield the module keys of a file, given the stems of index files.

    >>> list(list_module_keys("js", "web/shop/index.ts", {"index"}))
    ['m:js:/web/shop/index', 'm:js:/web/shop/', 'm:js:web/shop/']
    >>> list(list_module_keys("js", "web/shop/cart.ts", {"index"}))
    ['m:js:/web/shop/cart', 'm:js:shop/cart', 'm:js:web/shop/cart']
    """
    module, suffix = stem(path), ""
    yield module_key(family, f"/{module}")
    folder, _, name = module.rpartition("/")
    if name in index_names:
        if not folder:
            return
        module, suffix = folder, "/"
        yield module_key(family, f"/{folder}/")
    parts = module.split("/")
    for length in range(min_parts, min(len(parts), _MAX_PARTS) + 1):
        yield module_key(family, "/".join(parts[-length:]) + suffix)


def join_relative(folder: str, target: str) -> str:
    """Join a folder and a relative path, empty if it leads out of the root.

    >>> join_relative("web/shop", "../cart"), join_relative("web", "../../x")
    ('web/cart', '')
    """
    path = posixpath.normpath(posixpath.join(folder, target))
    return "" if path in {"", ".", ".."} or path.startswith(("../", "/")) else path
