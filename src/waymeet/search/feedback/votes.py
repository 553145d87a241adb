"""Votes on search results, and documents that were read together."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations

from msgspec import Struct, field

from waymeet.analysis import list_terms

CO_ACTIVATED = "co_activated"
"""Relation of documents that were relevant for the same query, or are often read together."""
READING_SESSION_NS = 1_800_000_000_000
"""Documents read within this time count as read together."""
_MAX_COMPANIONS = 8
"""Most recently read documents of a session that a document is paired with."""


class Vote(Struct, frozen=True):
    """A user's vote on whether a document is relevant for a query."""

    query: str
    document: str
    is_relevant: bool = field(name="right")
    """Stored as `right`."""
    at_ns: int = 0


class DocumentFeedback(Struct, frozen=True):
    """The votes on a document from similar queries."""

    support: float
    """Votes for it minus votes against it, each weighted by the similarity of the queries."""
    query: str
    """The most similar query."""
    votes: int


class Pair(Struct, frozen=True):
    """Two documents that were read together, in the order of their ids."""

    one: str
    other: str
    sittings: int
    """Number of reading sessions."""
    at_ns: int
    """Time of the last one."""


class Feedback(Struct, frozen=True, dict=True):
    """All votes and pairs of a project."""

    votes: tuple[Vote, ...] = ()
    error: str = ""
    """Why the votes could not be read, if so."""
    read_together: tuple[Pair, ...] = ()

    @cached_property
    def _terms_by_query(self) -> dict[str, frozenset[str]]:
        return {vote.query: frozenset(list_terms(vote.query)) for vote in self.votes}

    def for_query(self, query: str, min_similarity: float) -> dict[str, DocumentFeedback]:
        """Sum the votes on each document from queries of at least a given similarity."""
        terms = frozenset(list_terms(query))
        similarities = {
            voted: similarity
            for voted, voted_terms in self._terms_by_query.items()
            if (similarity := jaccard_similarity(terms, voted_terms)) >= min_similarity
        }
        by_document: dict[str, DocumentFeedback] = {}
        for vote in self.votes:
            similarity = similarities.get(vote.query, 0.0)
            if not similarity:
                continue
            earlier = by_document.get(vote.document, DocumentFeedback(0.0, vote.query, 0))
            nearest = max(earlier.query, vote.query, key=lambda voted: similarities[voted])
            support = earlier.support + (similarity if vote.is_relevant else -similarity)
            by_document[vote.document] = DocumentFeedback(support, nearest, earlier.votes + 1)
        return by_document

    def together(self, sittings: int) -> dict[str, tuple[str, ...]]:
        """Map each document to those relevant for the same query or read with it in enough sessions.

        With 0 sessions, only votes count.
        """
        companions: dict[str, set[str]] = {
            document: set(others) for document, others in self._relevant_together.items()
        }
        for pair in self.read_together:
            if 0 < sittings <= pair.sittings:
                companions.setdefault(pair.one, set()).add(pair.other)
                companions.setdefault(pair.other, set()).add(pair.one)
        return {document: tuple(sorted(others)) for document, others in companions.items()}

    @cached_property
    def _relevant_together(self) -> Mapping[str, set[str]]:
        relevant: dict[str, dict[str, None]] = {}
        for vote in self.votes:
            if vote.is_relevant:
                relevant.setdefault(vote.query, {})[vote.document] = None
        companions: dict[str, set[str]] = {}
        for documents in relevant.values():
            for one, other in combinations(documents, 2):
                companions.setdefault(one, set()).add(other)
                companions.setdefault(other, set()).add(one)
        return companions


def add_read_pairs(pairs: Iterable[Pair], document: str, read_times: Mapping[str, int], now: int) -> tuple[Pair, ...]:
    """Pair a document with those read before it in the same session.

    A pair counts once a session.

    >>> add_read_pairs((), "b.md", {"a.md": 5}, 9)
    (Pair(one='a.md', other='b.md', sittings=1, at_ns=9),)
    >>> add_read_pairs(_, "a.md", {"a.md": 5, "b.md": 9}, 10)
    (Pair(one='a.md', other='b.md', sittings=1, at_ns=10),)
    """
    recent = [other for other, time in read_times.items() if other != document and 0 <= now - time < READING_SESSION_NS]
    by_ids = {(pair.one, pair.other): pair for pair in pairs}
    for other in sorted(recent, key=lambda id_: (-read_times[id_], id_))[:_MAX_COMPANIONS]:
        ids = (document, other) if document < other else (other, document)
        earlier = by_ids.pop(ids, Pair(*ids, 0, 0))
        is_new_session = not earlier.sittings or now - earlier.at_ns >= READING_SESSION_NS
        by_ids[ids] = Pair(*ids, earlier.sittings + is_new_session, now)
    return tuple(by_ids.values())


def jaccard_similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Divide the number of common terms of two queries by that of all their terms.

    >>> jaccard_similarity(frozenset({"rank", "fusion"}), frozenset({"rank", "fusion", "work"}))
    0.6666666666666666
    """
    return len(one & other) / len(one | other) if one and other else 0.0


def add_votes(votes: Iterable[Vote], new: Iterable[Vote]) -> tuple[Vote, ...]:
    """Add votes, replacing opposite votes on the same query and document."""
    result = list(votes)
    for vote in new:
        result = [
            earlier
            for earlier in result
            if (earlier.query, earlier.document) != (vote.query, vote.document)
            or earlier.is_relevant == vote.is_relevant
        ]
        result.append(vote)
    return tuple(result)


def remove_votes(votes: Iterable[Vote], query: str, documents: Iterable[str]) -> Iterator[Vote]:
    """Remove the votes on a query, for the given documents or for all if none is given."""
    removed = set(documents)
    return (vote for vote in votes if vote.query != query or (removed and vote.document not in removed))
