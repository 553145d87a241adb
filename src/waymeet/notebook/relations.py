"""Where the relations in front matter lead, and what must not be: nothing comes back to itself."""

import re
from collections.abc import Iterable, Iterator, Mapping

from waymeet.errors import UsageError
from waymeet.ingest.build.link_keys import refs
from waymeet.notebook.fields import REFERRING, WITHOUT_CIRCLES
from waymeet.notebook.item import Item, keys

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
        for ref in refs(wanted, source) if wanted else ():
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
