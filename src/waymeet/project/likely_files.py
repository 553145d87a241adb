"""The order in which a search indexes changed files if it has no time for all."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from waymeet.analysis import query_words
from waymeet.errors import IndexUnavailableError
from waymeet.ports import Store
from waymeet.settings import Bm25
from waymeet.types import Filters, Word

if TYPE_CHECKING:
    from waymeet.ingest.discover.changes import Changes
    from waymeet.ingest.discover.walk import FoundFile

_MAX_BYTES = 200_000
"""Larger files are not looked into."""
_PATH_WEIGHT = 2
"""Weight of a query word in the path against one in the text."""
_RANKED_SECTIONS = 200
"""Indexed sections that are considered, the best first."""


def order_by_likelihood(changes: "Changes", store: Store, query: str, is_late: Callable[[], bool]) -> list[str]:
    """List changed files, those that are likely to answer a query first.

    A file counts by the query's words in its path and in its present text, or, if there is no time to look into it, by
    whether its indexed text matches. Among equals, the most recently changed comes first. To look for words in a file
    takes about a fiftieth of the time that it takes to index it.
    """
    recent = sorted(changes.found.values(), key=lambda file: -file.modified_ns)
    words = tuple(dict.fromkeys(token.casefold() for token, _ in query_words(query)))
    if not words:
        return [file.path for file in recent]
    indexed = _matching_documents(store, query)
    scores = {file.path: _PATH_WEIGHT * _count_words(file.path, words) + (file.path in indexed) for file in recent}
    recent.sort(key=lambda file: -scores[file.path])  # stable: by time among equals
    folders = {root.prefix: root.folder for root in changes.roots}
    for file in recent:
        if is_late():
            break
        scores[file.path] += _count_words(_read_text(file, folders[file.prefix]), words)
    recent.sort(key=lambda file: (-scores[file.path], -file.modified_ns))
    return [file.path for file in recent]


def _matching_documents(store: Store, query: str) -> set[str]:
    """List the documents whose indexed text matches a query best."""
    terms = dict.fromkeys(term for _, terms in query_words(query) for term in terms)
    words = [Word((term,), 1.0, term) for term in terms]
    try:
        return {row.document for row in store.rank_lexical(words, _RANKED_SECTIONS, Filters(), Bm25())}
    except IndexUnavailableError:  # the search itself reports it
        return set()


def _count_words(text: str, words: Sequence[str]) -> int:
    folded = text.casefold()
    return sum(word in folded for word in words)


def _read_text(file: "FoundFile", folder: str) -> str:
    """Read the text of a file roughly, or the empty string if it cannot or need not be read."""
    from waymeet.ingest.read.safe_read import read_file

    if file.path_only_reason or file.size > _MAX_BYTES:
        return ""
    try:
        return read_file(folder, file.relative_path, _MAX_BYTES).raw.decode("utf-8", "ignore")
    except OSError:
        return ""  # removed or replaced meanwhile: the run sees it, too
