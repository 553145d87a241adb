"""How a relation names what it leads to: an entry, a file or a symbol."""

import posixpath
from collections.abc import Callable, Mapping
from pathlib import Path

from waymeet.analysis import called, defined, located, titled
from waymeet.errors import NoSuchEntryError, UsageError
from waymeet.notebook.fields import RELATIONS
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.item import Item
from waymeet.notebook.relations import Directory, bare
from waymeet.ports import Store


class Targets:
    """Finds what is meant when one entry is to be related to something."""

    def __init__(self, root: Path, items: Callable[[], Mapping[str, Item]], store: Store | None) -> None:
        self._root = root
        self._items = items
        self._store = store

    def resolved(self, source: str, values: Mapping[str, Value]) -> dict[str, Value]:
        """Write every relation among some fields as the name or path of what it leads to."""
        return {
            key: [self.written(source, each) for each in value]
            if key in RELATIONS and isinstance(value, list)
            else value
            for key, value in values.items()
        }

    def written(self, source: str, target: str) -> str:
        """Say how a relation of an entry is to name its target: by name within its folder, else by path.

        Raises:
            NoSuchEntryError: there is no such thing.
            UsageError: it is the entry itself.
        """
        wanted, anchor = bare(target), target.rstrip("]").partition("#")[2].partition("|")[0]
        found = (self._entry(source, wanted) or self._file(wanted) or self._indexed(wanted)) if wanted else ""
        if not found:
            hint = "Give the path or name of an entry, the path of a file, or the name of a symbol."
            raise NoSuchEntryError(f"There is nothing called {target!r} to relate to.", hint)
        whole = f"{found}#{anchor}" if anchor else found
        return f"[[{whole}]]" if "," in whole else whole  # commas part several targets in one value

    def _entry(self, source: str, wanted: str) -> str:
        items = self._items()
        exact = [item.id for item in items.values() if wanted == f"{item.kind}/{item.name}"]
        found = exact[0] if len(exact) == 1 else Directory(items.values()).target(wanted, source)
        if found == source:
            raise UsageError("An entry cannot be related to itself.")
        if found and posixpath.dirname(found) == posixpath.dirname(source):
            return posixpath.basename(found).removesuffix(".md")
        return found or ""

    def _file(self, wanted: str) -> str:
        path = posixpath.normpath(wanted)
        try:
            inside = not path.startswith(("/", "..")) and (self._root / path).is_file()
        except (OSError, ValueError):
            return ""
        return path if inside else ""

    def _indexed(self, wanted: str) -> str:
        """Find a document or a symbol that is the only one of its name."""
        if self._store is None:
            return ""
        names = {located(wanted): "", called(wanted): "", titled(wanted): "", defined(wanted): f"#{wanted}"}
        found = self._store.named([name for name in names if name])
        return next((found[name][0] + mark for name, mark in names.items() if len(found.get(name, ())) == 1), "")
