"""Where a link leads: the one rule by which its keys choose a document.

The first key that any document carries decides; the key of a symbol only if no other document carries it, for nothing
tells which of several is meant. Among several documents that carry another key, the one that shares the longest run of
folders with the linking document is meant, then the one with the shortest path, then the first in the alphabet.

>>> carriers = Carriers({"setup": ["docs/setup.md", "web/docs/setup.md", "web/setup.md"]})
>>> carriers.target("web/pages/start.md", ["setup"])
'web/setup.md'
>>> carriers.target("web/docs/start.md", ["no-such-page", "setup"])
'web/docs/setup.md'
>>> carriers.target("readme.md", ["setup"])
'web/setup.md'
>>> carriers.target("readme.md", ["no-such-page"]) is None
True
>>> Carriers({"s:put": ["a.py", "b.py"], "s:Store.put": ["a.py"]}).target("c.py", ["s:put", "s:Store.put"])
'a.py'
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from waymeet.analysis.keys import SYMBOL_PREFIX


class Carriers:
    """The documents that carry each key, ready to be chosen from."""

    def __init__(self, documents: Mapping[str, Collection[str]]) -> None:
        self._nearest = {
            key: _by_folder(carrying)
            for key, carrying in documents.items()
            if not key.startswith(SYMBOL_PREFIX) or len(set(carrying)) == 1
        }

    def target(self, source: str, refs: Iterable[str]) -> str | None:
        """Say which document a link of `source` leads to, or None if it dangles."""
        for ref in refs:
            nearest = self._nearest.get(ref)
            if nearest:
                return next(nearest[folder] for folder in _folders(source) if folder in nearest)
        return None


def _by_folder(documents: Iterable[str]) -> dict[str, str]:
    """Name, for every folder above any of the documents, the best of those below it.

    Thousands of links may ask for a key that hundreds of documents carry (`readme`): this answers each of them in as
    many steps as the linking document lies deep.
    """
    best: dict[str, str] = {}
    for document in sorted(documents, key=lambda path: (len(path), path)):
        for folder in _folders(document):
            best.setdefault(folder, document)
    return best


def _folders(document: str) -> Iterator[str]:
    """Yield the folders a document lies in, its own first, the root (the empty string) last.

    >>> list(_folders("a/b/c.md"))
    ['a/b', 'a', '']
    """
    folder, slash, _ = document.rpartition("/")
    yield folder
    while slash:
        folder, slash, _ = folder.rpartition("/")
        yield folder
