"""Namespaces of files: the package, submodule or extra root that each belongs to."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from waymeet.ingest.discover.roots import Root, locate
from waymeet.ingest.discover.walk import FoundFile
from waymeet.ingest.read.safe_read import read_file

MANIFESTS = ("package.json", "pyproject.toml", "Cargo.toml", "go.mod", "pom.xml", "composer.json", "setup.py")
"""Files that make their folder a package; of several in one folder, the first in this order gives its name."""
_MANIFEST_NAMES = frozenset(MANIFESTS)
_MAX_BYTES = 1_000_000
_MAX_NAME = 200
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_ARTIFACT = re.compile(r"<artifactId>\s*([^<\s]+)\s*</artifactId>")
_PARENT = re.compile(r"<parent>.*?</parent>", re.DOTALL)


class Manifest(Struct, frozen=True, array_like=True):
    """A package manifest as it was last read."""

    size: int
    modified_ns: int
    name: str


class Namespaces:
    """Namespaces by path: that of the deepest folder above the path that has one."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = folders
        """Namespaces by folder, each folder with its slash."""
        self._cache: dict[str, str] = dict(folders)

    def of(self, path: str) -> str:
        """Return the namespace of a file or folder, or "" for the project itself.

        >>> Namespaces({"web/": "web", "web/core/": "core"}).of("web/core/src/a.ts")
        'core'
        """
        if not self.folders:
            return ""
        folder = path[: path.rfind("/") + 1]
        namespace = self._cache.get(folder)
        if namespace is None:
            namespace = self._cache[folder] = self.of(folder[:-1]) if folder else ""
        return namespace


def is_manifest(file: FoundFile) -> bool:
    """Return whether a file makes its folder a package, which must not be the project's root."""
    path = file.path
    return not file.prefix and "/" in path and path[path.rfind("/") + 1 :] in _MANIFEST_NAMES


def find_namespaces(
    manifests: Mapping[str, Manifest], repositories: Iterable[str], chosen: Mapping[str, str], roots: Iterable[Root]
) -> Namespaces:
    """Collect the namespaces of nested repositories, packages, the settings and extra roots.

    >>> package = Manifest(1, 1, "alpha")
    >>> find_namespaces({"a/package.json": package}, ["a/", "lib/"], {"services/b": "billing"}, []).folders
    {'a/': 'alpha', 'lib/': 'lib', 'services/b/': 'billing'}
    """
    names = {folder: folder.rstrip("/") for folder in repositories}
    for manifest_name in reversed(MANIFESTS):  # the first one is written last, so that it wins
        for path, manifest in manifests.items():
            folder = path[: path.rfind("/") + 1]
            if path == folder + manifest_name:
                names[folder] = manifest.name or folder.rstrip("/")
    names |= {f"{folder.removeprefix('./').strip('/')}/": name for folder, name in chosen.items() if folder.strip("./")}
    names |= {root.prefix: root.name for root in roots if root.name}
    return Namespaces(dict(sorted(names.items())))


def read_manifest(file: FoundFile, roots: Iterable[Root]) -> Manifest:
    """Read a package's name from its manifest, which may have none."""
    try:
        folder, path = locate(roots, file.path)
        raw = read_file(folder, path, _MAX_BYTES).raw
        name = package_name(file.path[file.path.rfind("/") + 1 :], raw.decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):  # an unusable manifest: the folder's own name is used
        name = ""
    return Manifest(file.size, file.modified_ns, " ".join(name.split())[:_MAX_NAME])


def package_name(manifest: str, text: str) -> str:
    r"""Extract the package's name from the text of a manifest.

    >>> package_name("package.json", '{"name": "@acme/web"}'), package_name("go.mod", "module acme.dev/x\n")
    ('@acme/web', 'acme.dev/x')
    >>> package_name("pyproject.toml", '[project]\nname = "acme"'), package_name("setup.py", "setup(name='x')")
    ('acme', '')
    """
    if manifest.endswith(".json"):
        return _text(_lookup(msgspec.json.decode(text), "name"))
    if manifest.endswith(".toml"):
        table = tomllib.loads(text)
        return _text(
            _lookup(table, "project", "name")
            or _lookup(table, "package", "name")
            or _lookup(table, "tool", "poetry", "name")
        )
    if manifest == "go.mod":
        match = _MODULE.search(text)
    elif manifest == "pom.xml":
        match = _ARTIFACT.search(_PARENT.sub("", text))
    else:
        return ""
    return match[1] if match else ""


def _lookup(tree: Any, *keys: str) -> Any:  # noqa: ANN401 - a manifest may hold any value
    for key in keys:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
