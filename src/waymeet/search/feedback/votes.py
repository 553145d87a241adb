"""What people said about answers: which documents were right for a question, and which were wrong."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations

from msgspec import Struct

from waymeet.analysis import list_terms

CO_ACTIVATED = "co_activated"
"""How documents are related that were right for the same question, or are often read together."""
SITTING_NS = 1_800_000_000_000
"""How long after one document another counts as read together with it."""
_COMPANIONS = 8
"""The last so many documents of a sitting are what another one is read together with."""


class Vote(Struct, frozen=True):
    """One person's word on one answer: a document was right for a question, or wrong."""

    query: str
    document: str
    is_relevant: bool
    at_ns: int = 0


class Likely(Struct, frozen=True):
    """What is known of a document from questions like this one."""

    support: float
    """Votes for it less votes against it, each counted by how alike the questions are."""
    query: str
    """The question most like this one."""
    votes: int


class Pair(Struct, frozen=True):
    """Two documents that were read together, named in the order of their ids."""

    one: str
    other: str
    sittings: int
    at_ns: int
    """When they were last."""


class Feedback(Struct, frozen=True, dict=True):
    """All that people said and did, ready to be asked."""

    votes: tuple[Vote, ...] = ()
    error: str = ""
    """Why nothing is known of what they said, if it should be."""
    read_together: tuple[Pair, ...] = ()
    """What they read together."""

    @cached_property
    def _asked(self) -> dict[str, frozenset[str]]:
        return {vote.query: frozenset(list_terms(vote.query)) for vote in self.votes}

    def for_query(self, question: str, least: float) -> dict[str, Likely]:
        """Say what is known of documents from questions that share at least this part of their terms."""
        mine = frozenset(list_terms(question))
        alike = {query: part for query, other in self._asked.items() if (part := likeness(mine, other)) >= least}
        found: dict[str, Likely] = {}
        for vote in self.votes:
            part = alike.get(vote.query, 0.0)
            if not part:
                continue
            known = found.get(vote.document, Likely(0.0, vote.query, 0))
            nearest = max(known.query, vote.query, key=lambda query: alike[query])
            support = known.support + (part if vote.is_relevant else -part)
            found[vote.document] = Likely(support, nearest, known.votes + 1)
        return found

    def together(self, sittings: int) -> dict[str, tuple[str, ...]]:
        """Name, for each document, those that were right for the same question, or read with it in so many sittings.

        0 sittings leave reading aside.
        """
        found: dict[str, set[str]] = {document: set(others) for document, others in self._right_together.items()}
        for pair in self.read_together:
            if 0 < sittings <= pair.sittings:
                found.setdefault(pair.one, set()).add(pair.other)
                found.setdefault(pair.other, set()).add(pair.one)
        return {document: tuple(sorted(others)) for document, others in found.items()}

    @cached_property
    def _right_together(self) -> Mapping[str, set[str]]:
        right: dict[str, dict[str, None]] = {}
        for vote in self.votes:
            if vote.is_relevant:
                right.setdefault(vote.query, {})[vote.document] = None
        found: dict[str, set[str]] = {}
        for documents in right.values():
            for one, other in combinations(documents, 2):
                found.setdefault(one, set()).add(other)
                found.setdefault(other, set()).add(one)
        return found


def read_with(pairs: Iterable[Pair], document: str, moments: Mapping[str, int], now: int) -> tuple[Pair, ...]:
    """Note that a document is read in the same sitting as those before it; a pair counts once in a sitting.

    >>> read_with((), "b.md", {"a.md": 5}, 9)
    (Pair(one='a.md', other='b.md', sittings=1, at_ns=9),)
    >>> read_with(_, "a.md", {"a.md": 5, "b.md": 9}, 10)
    (Pair(one='a.md', other='b.md', sittings=1, at_ns=10),)
    """
    lately = [each for each, at in moments.items() if each != document and 0 <= now - at < SITTING_NS]
    known = {(pair.one, pair.other): pair for pair in pairs}
    for other in sorted(lately, key=lambda each: (-moments[each], each))[:_COMPANIONS]:
        both = (document, other) if document < other else (other, document)
        before = known.pop(both, Pair(*both, 0, 0))
        again = not before.sittings or now - before.at_ns >= SITTING_NS
        known[both] = Pair(*both, before.sittings + again, now)
    return tuple(known.values())


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Give the part of all terms of two questions that both have.

    >>> likeness(frozenset({"rank", "fusion"}), frozenset({"rank", "fusion", "work"}))
    0.6666666666666666
    """
    return len(one & other) / len(one | other) if one and other else 0.0


def add_votes(votes: Iterable[Vote], new: Iterable[Vote]) -> tuple[Vote, ...]:
    """Add votes; one on the same question and document as an earlier one of the other opinion takes its place."""
    kept = list(votes)
    for vote in new:
        kept = [
            each
            for each in kept
            if (each.query, each.document) != (vote.query, vote.document) or each.is_relevant == vote.is_relevant
        ]
        kept.append(vote)
    return tuple(kept)


def remove_votes(votes: Iterable[Vote], query: str, documents: Iterable[str]) -> Iterator[Vote]:
    """Leave out what was said about a question: about some documents, or all if none is named."""
    some = set(documents)
    return (vote for vote in votes if vote.query != query or (some and vote.document not in some))
