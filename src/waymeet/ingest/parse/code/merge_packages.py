"""Imports in languages whose files belong to packages or namespaces, which their text declares."""

from collections.abc import Collection, Iterator

from waymeet.analysis import defined
from waymeet.ingest.parse.code.language import Import


def symbol_import(dotted: str, local: str, outside: Collection[str]) -> Import:
    """Import one symbol of a package by its whole name; one of a package outside of the project is nothing of ours.

    >>> symbol_import("shop.store.Store", "Store", ()).refs
    ('s:shop.store.Store',)
    """
    package, _, name = dotted.rpartition(".")
    if not package or is_outside(dotted, outside):
        return Import(local or name)
    return Import(local or name, (defined(dotted),), name, package=package)


def member_import(dotted: str, local: str, outside: Collection[str]) -> Import:
    """Import a member of a class by its whole name.

    >>> member_import("shop.Prices.round", "", ()).anchor
    'Prices.round'
    """
    owner, _, member = dotted.rpartition(".")
    package, _, name = owner.rpartition(".")
    if not package or is_outside(dotted, outside):
        return Import(local or member)
    return Import(local or member, (defined(dotted), defined(owner)), f"{name}.{member}")


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
