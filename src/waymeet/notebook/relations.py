"""Relations between items: resolving targets, finding backlinks, and refusing cycles."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from waymeet.analysis import file_name_key, path_key, symbol_key, title_key
from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.ingest.build.link_keys import link_keys
from waymeet.notebook.fields import ACYCLIC_RELATIONS, REFERENCE_FIELDS, RELATIONS
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.item import Item, link_keys_of
from waymeet.ports import Store

_LINK = re.compile(r"!?\[\[(?P<target>[^\]|]+)(?:\|[^\]]*)?\]\]|\[[^\]]*\]\((?P<url>[^)\s]+)\)")


class Directory:
    """All items, by every key that a relation may use."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = {item.id: item for item in items}
        self._by_key: dict[str, list[str]] = {}
        for item in self.items.values():
            for key in dict.fromkeys(link_keys_of(item)):
                self._by_key.setdefault(key, []).append(item.id)

    def resolve(self, value: str, source: str) -> str | None:
        """Find the item that a relation's value refers to, seen from the file `source`."""
        target = strip_link(value)
        for key in link_keys(target, source) if target else ():
            if paths := self._by_key.get(key):
                folder = source.rpartition("/")[0]
                return min(paths, key=lambda path: (path.rpartition("/")[0] != folder, len(path), path))
        return None

    def find_references(self, target: str) -> Iterator[tuple[Item, str, str]]:
        """Yield the relations to an item: referring item, relation, and value as written."""
        for item in self.items.values():
            for relation, value in _list_relations(item):
                if self.resolve(value, item.id) == target:
                    yield item, relation, value


def _list_relations(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the relations of an item as written."""
    for relation in REFERENCE_FIELDS:
        for value in item.values(relation):
            yield relation, value


def strip_link(value: str) -> str:
    """Return the target of a value that may be written as a link, without its anchor.

    >>> strip_link("[[Setup#Keys|the keys]]"), strip_link("docs/a.md#keys"), strip_link("[a](b.md)")
    ('Setup', 'docs/a.md', 'b.md')
    """
    link = _LINK.fullmatch(value.strip())
    target = (link["target"] or link["url"]) if link else value
    return target.partition("#")[0].strip()


def refuse_cycles(items: Mapping[str, Item], changed: Item) -> None:
    """Check that no relation of a changed item leads back to it.

    Raises:
        UsageError: there is a cycle, which the message shows.
    """
    directory = Directory({**items, changed.id: changed}.values())
    for relation in ACYCLIC_RELATIONS:
        cycle = _find_cycle(directory, relation, changed.id)
        if cycle:
            names = " → ".join(directory.items[id_].name for id_ in cycle)
            raise UsageError(f"{relation} would create a cycle: {names}.", "Remove one of these relations first.")


def _find_cycle(directory: Directory, relation: str, start: str) -> list[str]:
    """Find a path from an item back to itself along one relation, by depth-first search."""
    predecessors: dict[str, str] = {}
    stack = [start]
    while stack:
        current = stack.pop()
        for value in directory.items[current].values(relation):
            target = directory.resolve(value, current)
            if target == start:
                path = []
                while current != start:
                    path.append(current)
                    current = predecessors[current]
                return [start, *reversed(path), start]
            if target is not None and target not in predecessors:
                predecessors[target] = current
                stack.append(target)
    return []


class TargetResolver:
    """Resolves the targets that users give for relations."""

    def __init__(self, root: Path, items: Callable[[], Mapping[str, Item]], store: Store | None) -> None:
        self._root = root
        self._items = items
        self._store = store

    def resolve_fields(self, source: str, values: Mapping[str, Value]) -> dict[str, Value]:
        """Replace the targets of all relations among some fields by their names or paths."""
        return {
            key: [self.resolve(source, target) for target in value]
            if key in RELATIONS and isinstance(value, list)
            else value
            for key, value in values.items()
        }

    def resolve(self, source: str, target: str) -> str:
        """Return the value to write for a target: its name within the item's folder, else its path.

        Raises:
            ItemNotFoundError: the target does not exist.
            UsageError: the target is the item itself.
        """
        name, anchor = strip_link(target), target.rstrip("]").partition("#")[2].partition("|")[0]
        path = (self._find_item(source, name) or self._find_file(name) or self._find_indexed(name)) if name else ""
        if not path:
            hint = "Give the path or name of an item, the path of a file, or the name of a symbol."
            raise ItemNotFoundError(f"There is no item, file or symbol {target!r}.", hint)
        value = f"{path}#{anchor}" if anchor else path
        return f"[[{value}]]" if "," in value else value  # a comma separates targets, unless they are in brackets

    def _find_item(self, source: str, name: str) -> str:
        items = self._items()
        exact = [item.id for item in items.values() if name == f"{item.kind}/{item.name}"]
        path = exact[0] if len(exact) == 1 else Directory(items.values()).resolve(name, source)
        if path == source:
            raise UsageError("An item cannot be related to itself.")
        if path and posixpath.dirname(path) == posixpath.dirname(source):
            return posixpath.basename(path).removesuffix(".md")
        return path or ""

    def _find_file(self, name: str) -> str:
        path = posixpath.normpath(name)
        try:
            is_inside = not path.startswith(("/", "..")) and (self._root / path).is_file()
        except (OSError, ValueError):
            return ""
        return path if is_inside else ""

    def _find_indexed(self, name: str) -> str:
        """Find a document or a symbol that is the only one of its name."""
        if self._store is None:
            return ""
        anchors = {
            path_key(name): "",
            file_name_key(name): "",
            title_key(name): "",
            symbol_key(name): f"#{name}",
        }
        documents = self._store.documents_by_key([key for key in anchors if key])
        return next(
            (documents[key][0] + anchor for key, anchor in anchors.items() if len(documents.get(key, ())) == 1), ""
        )
