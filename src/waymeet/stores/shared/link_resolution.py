"""Resolution of links: the rule by which the keys of a link select a document.

The first key that any document has decides. The key of a symbol counts only if a single document has it, since a
choice among several would be a guess. Among several documents with any other key, the one that shares the longest
folder prefix with the linking document is selected, then the one with the shortest path, then the first in
alphabetical order.

>>> resolver = LinkResolver({"setup": ["docs/setup.md", "web/docs/setup.md", "web/setup.md"]})
>>> resolver.resolve("web/pages/start.md", ["setup"])
'web/setup.md'
>>> resolver.resolve("web/docs/start.md", ["no-such-page", "setup"])
'web/docs/setup.md'
>>> resolver.resolve("readme.md", ["setup"])
'web/setup.md'
>>> resolver.resolve("readme.md", ["no-such-page"]) is None
True
>>> LinkResolver({"s:put": ["a.py", "b.py"], "s:Store.put": ["a.py"]}).resolve("c.py", ["s:put", "s:Store.put"])
'a.py'
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from waymeet.analysis.keys import SYMBOL_PREFIX


class LinkResolver:
    """Selects the target of links among the documents by key."""

    def __init__(self, documents: Mapping[str, Collection[str]]) -> None:
        self._best_by_folder = {
            key: _best_by_folder(paths)
            for key, paths in documents.items()
            if not key.startswith(SYMBOL_PREFIX) or len(set(paths)) == 1
        }

    def resolve(self, source: str, refs: Iterable[str]) -> str | None:
        """Return the document that a link of `source` points to, or None if it dangles."""
        for ref in refs:
            best = self._best_by_folder.get(ref)
            if best:
                return next(best[folder] for folder in _folders(source) if folder in best)
        return None


def _best_by_folder(documents: Iterable[str]) -> dict[str, str]:
    """Select, for every folder above any of the documents, the best document below it.

    Thousands of links may use a key that hundreds of documents have (`readme`). With this table each is resolved in as
    many steps as the linking document has folders.
    """
    best: dict[str, str] = {}
    for document in sorted(documents, key=lambda path: (len(path), path)):
        for folder in _folders(document):
            best.setdefault(folder, document)
    return best


def _folders(document: str) -> Iterator[str]:
    """Yield the folders above a document, the innermost first, the root (the empty string) last.

    >>> list(_folders("a/b/c.md"))
    ['a/b', 'a', '']
    """
    folder, slash, _ = document.rpartition("/")
    yield folder
    while slash:
        folder, slash, _ = folder.rpartition("/")
        yield folder
