"""Namespaces: which package, submodule or extra root a file belongs to."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from waymeet.ingest.discover.roots import Root, place
from waymeet.ingest.discover.walk import FoundFile
from waymeet.ingest.read.safe_read import read_file

MANIFESTS = ("package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "composer.json", "setup.py")
"""Files that make the folder they lie in a package; the first one there is gives its name."""
_KNOWN = frozenset(MANIFESTS)
_LARGEST = 1_000_000
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_ARTIFACT = re.compile(r"<artifactId>\s*([^<\s]+)\s*</artifactId>")
_PARENT = re.compile(r"<parent>.*?</parent>", re.DOTALL)


class Manifest(Struct, frozen=True, array_like=True):
    """A package's own description as it was last read."""

    size: int
    modified_ns: int
    name: str


class Namespaces:
    """Which namespace each path has: that of the deepest folder above it that has one."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = folders
        """Namespaces by folder, each with its slash."""
        self._known: dict[str, str] = dict(folders)

    def of(self, path: str) -> str:
        """Name the namespace of a file or folder; empty for the project itself.

        >>> Namespaces({"web/": "web", "web/core/": "core"}).of("web/core/src/a.ts")
        'core'
        """
        if not self.folders:
            return ""
        folder = path[: path.rfind("/") + 1]
        found = self._known.get(folder)
        if found is None:
            found = self._known[folder] = self.of(folder[:-1]) if folder else ""
        return found


def is_manifest(item: FoundFile) -> bool:
    """Tell whether a file makes the folder it lies in a package of its own; at the project's root it does not."""
    path = item.path
    return not item.prefix and "/" in path and path[path.rfind("/") + 1 :] in _KNOWN


def find_namespaces(
    manifests: Mapping[str, Manifest], repositories: Iterable[str], chosen: Mapping[str, str], roots: Iterable[Root]
) -> Namespaces:
    """Put together what names folders: repositories of their own, packages, the settings, extra roots.

    >>> find_namespaces({"a/package.json": Manifest(1, 1, "alpha")}, ["a/", "lib/"], {"services/b": "billing"}, []).folders
    {'a/': 'alpha', 'lib/': 'lib', 'services/b/': 'billing'}
    """
    found = {folder: folder.rstrip("/") for folder in repositories}
    for name in reversed(MANIFESTS):
        for path, manifest in manifests.items():
            folder = path[: path.rfind("/") + 1]
            if path == folder + name:
                found[folder] = manifest.name or folder.rstrip("/")
    found |= {f"{folder.removeprefix('./').strip('/')}/": name for folder, name in chosen.items() if folder.strip("./")}
    found |= {root.prefix: root.name for root in roots if root.name}
    return Namespaces(dict(sorted(found.items())))


def described(item: FoundFile, roots: Iterable[Root]) -> Manifest:
    """Read a package's name from its own description; empty if it does not tell."""
    try:
        folder, inside = place(roots, item.path)
        raw = read_file(folder, inside, _LARGEST).raw
        name = package_name(item.path[item.path.rfind("/") + 1 :], raw.decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):  # whatever is wrong with it, its folder has a name
        name = ""
    return Manifest(item.size, item.modified_ns, " ".join(name.split())[:200])


def package_name(manifest: str, text: str) -> str:
    r"""Find the name that a package gives itself.

    >>> package_name("package.json", '{"name": "@acme/web"}'), package_name("go.mod", "module acme.dev/x\n")
    ('@acme/web', 'acme.dev/x')
    >>> package_name("pyproject.toml", '[project]\nname = "acme"'), package_name("setup.py", "setup(name='x')")
    ('acme', '')
    """
    if manifest.endswith(".json"):
        return _text(_at(msgspec.json.decode(text), "name"))
    if manifest.endswith(".toml"):
        table = tomllib.loads(text)
        return _text(
            _at(table, "project", "name") or _at(table, "package", "name") or _at(table, "tool", "poetry", "name")
        )
    if manifest == "go.mod":
        found = _MODULE.search(text)
    elif manifest == "pom.xml":
        found = _ARTIFACT.search(_PARENT.sub("", text))
    else:
        return ""
    return found[1] if found else ""


def _at(tree: Any, *keys: str) -> Any:  # noqa: ANN401 - whatever a stranger's file holds
    for key in keys:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
