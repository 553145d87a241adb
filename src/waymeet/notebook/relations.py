"""Where the relations in front matter lead, and what must not be: nothing comes back to itself."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from waymeet.analysis import file_name_key, path_key, symbol_key, title_key
from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.ingest.build.link_keys import link_keys
from waymeet.notebook.fields import REFERRING, RELATIONS, WITHOUT_CIRCLES
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.item import Item, keys
from waymeet.ports import Store

_WIKI = re.compile(r"!?\[\[(?P<target>[^\]|]+)(?:\|[^\]]*)?\]\]|\[[^\]]*\]\((?P<url>[^)\s]+)\)")


class Directory:
    """All items by every name that a relation may call them."""

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = {item.id: item for item in items}
        self._called: dict[str, list[str]] = {}
        for item in self.items.values():
            for key in dict.fromkeys(keys(item)):
                self._called.setdefault(key, []).append(item.id)

    def target(self, value: str, source: str) -> str | None:
        """Say which item a relation's value names, seen from the file that holds it."""
        wanted = bare(value)
        for ref in link_keys(wanted, source) if wanted else ():
            if found := self._called.get(ref):
                here = source.rpartition("/")[0]
                return min(found, key=lambda path: (path.rpartition("/")[0] != here, len(path), path))
        return None

    def referring(self, wanted: str) -> Iterator[tuple[Item, str, str]]:
        """Yield the relations that lead to an item: who has it, of which kind, and how it is written."""
        for item in self.items.values():
            for relation, value in related(item):
                if self.target(value, item.id) == wanted:
                    yield item, relation, value


def related(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the relations of an item as written."""
    for relation in REFERRING:
        for value in item.values(relation):
            yield relation, value


def bare(value: str) -> str:
    """Take the target out of a value that may be written as a link, without the place inside the target.

    >>> bare("[[Setup#Keys|the keys]]"), bare("docs/a.md#keys"), bare("[a](b.md)")
    ('Setup', 'docs/a.md', 'b.md')
    """
    link = _WIKI.fullmatch(value.strip())
    target = (link["target"] or link["url"]) if link else value
    return target.partition("#")[0].strip()


def without_circles(items: Mapping[str, Item], changed: Item) -> None:
    """Make sure that no relation of a changed item leads back to it.

    Raises:
        UsageError: it would; the message shows the way.
    """
    directory = Directory({**items, changed.id: changed}.values())
    for relation in WITHOUT_CIRCLES:
        way = _circle(directory, relation, changed.id)
        if way:
            names = " → ".join(directory.items[each].name for each in way)
            raise UsageError(f"{relation} would go round in a circle: {names}.", "Remove one of these relations first.")


def _circle(directory: Directory, relation: str, start: str) -> list[str]:
    """Find a way from an item back to itself along one relation."""
    came: dict[str, str] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for value in directory.items[here].values(relation):
            there = directory.target(value, here)
            if there == start:
                way = [start]
                while here != start:
                    way.append(here)
                    here = came[here]
                return [start, *reversed(way[1:]), start]
            if there is not None and there not in came:
                came[there] = here
                waiting.append(there)
    return []


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
            raise ItemNotFoundError(f"There is nothing called {target!r} to relate to.", hint)
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
        names = {
            path_key(wanted): "",
            file_name_key(wanted): "",
            title_key(wanted): "",
            symbol_key(wanted): f"#{wanted}",
        }
        found = self._store.documents_by_key([name for name in names if name])
        return next((found[name][0] + mark for name, mark in names.items() if len(found.get(name, ())) == 1), "")
