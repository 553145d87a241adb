"""Random changes to the reference store and to all others, which must agree."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.postgres_server import missing_reason

from waymeet.analysis import count_terms, normalise_text
from waymeet.errors import EmbeddingError
from waymeet.settings import Bm25, FieldNorms, FieldWeights
from waymeet.types import Filters, IndexEntry, Link, Word

from .backends import BACKENDS, MEMORY, ON_SERVER, Backend
from .make import entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from waymeet.ports import Store, Vector
    from waymeet.types import Ranking

PATHS = ["a.md", "b.md", "docs/a.md", "docs/b.md", "docs/deep/a.md", "docs2/c.py", "src/c.py", "ö 漢.md"]
KEYS = ["a", "b", "c", "docs/a", "title", ""]
SPACES = {"two": 2, "three": 3}
VOCABULARY = [
    "rank",
    "Ranks",
    "fusion",
    "getUserById",
    "user",
    "検索語",
    "検索",
    "naïve",
    "ｆｕｓｉｏｎ",
    "don't",
    "x-1",
    "\x00",
]

paths = st.sampled_from(PATHS)
texts = st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join)
chunks = st.lists(st.one_of(texts, st.tuples(texts, texts)), max_size=3)
kinds = st.sampled_from(["docs", "code"])
tags = st.lists(st.sampled_from(["Guide", "guide", "ÖL", "x"]), max_size=2)
numbers = st.integers(-2, 2).map(float)


@st.composite
def links(draw: st.DrawFn) -> Link:
    text = draw(texts)
    return Link(
        refs=tuple(draw(st.lists(st.sampled_from(KEYS), max_size=3))),
        kind=draw(st.sampled_from(["references", "imports"])),
        anchor=draw(st.sampled_from(["", "place"])),
        text=text,
        line=draw(st.integers(1, 9)),
        terms=count_terms(text),
    )


@st.composite
def entries(draw: st.DrawFn) -> IndexEntry:
    return entry(
        draw(paths),
        *draw(chunks),
        title=draw(texts),
        tags=draw(tags),
        properties=draw(st.dictionaries(st.sampled_from("pq"), texts, max_size=2)),
        triggers=draw(texts),
        links=draw(st.lists(links(), max_size=3)),
        names=draw(st.lists(st.sampled_from(KEYS), max_size=3)),
        kind=draw(kinds),
        doc_type=draw(st.sampled_from(["plan", "other"])),
        digest=draw(st.sampled_from(["one", "two"])),
    )


def some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Usually nothing, so that several filters together still let something through."""
    return st.one_of(st.just(()), st.just(()), st.lists(values, max_size=2).map(tuple))


filters = st.builds(
    Filters,
    paths=some(st.sampled_from(["docs", "docs/", "docs/deep", "a.md", ".", "src", "nowhere"])),
    kinds=some(kinds),
    doc_types=some(st.sampled_from(["plan", "other"])),
    tags=some(st.sampled_from(["GUIDE", "öl", "y"])),
    phrases=some(texts.map(normalise_text)),
    without=some(
        st.lists(st.sampled_from(VOCABULARY), max_size=2).map(lambda found: tuple(count_terms(" ".join(found))))
    ),
)
words = st.builds(
    Word,
    terms=texts.map(lambda text: tuple(count_terms(text))),
    weight=st.sampled_from([0.5, 1.0, 2.0]),
    text=st.sampled_from(["", "as asked"]),
)
bm25s = st.builds(
    Bm25,
    k1=st.sampled_from([0.0, 1.2]),
    b=st.sampled_from([FieldNorms(), FieldNorms(body=0.0, inbound=1.0)]),
    fields=st.sampled_from([FieldWeights(), FieldWeights(inbound=0.0, body=0.0), FieldWeights(path=0.0)]),
)


class Agreement(RuleBasedStateMachine):
    """The memory store is the reference for all others."""

    backends: ClassVar[Sequence[Backend]] = [backend for backend in BACKENDS if backend not in {MEMORY, *ON_SERVER}]

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.reference = MEMORY.make(Path(self.folder.name))
        self.others = [backend.make(Path(self.folder.name)) for backend in self.backends]

    def teardown(self) -> None:
        for store in self.others:
            store.close()
        self.folder.cleanup()

    @property
    def stores(self) -> list[Store]:
        return [self.reference, *self.others]

    def same(self, ask: Any) -> Any:
        """Query all stores, and return the result that they agree on."""
        expected = ask(self.reference)
        for store in self.others:
            assert ask(store) == expected
        return expected

    @rule(new=st.lists(entries(), min_size=1, max_size=3))
    def put(self, new: Sequence[IndexEntry]) -> None:
        for store in self.stores:
            store.put(new)

    @rule(gone=st.lists(paths, max_size=3))
    def drop(self, gone: Sequence[str]) -> None:
        for store in self.stores:
            store.drop(gone)

    @rule(space=st.sampled_from(sorted(SPACES)), rows=st.data())
    def put_vectors(self, space: str, rows: st.DataObject) -> None:
        known = [chunk.id for each in self.reference.chunks_of(PATHS).values() for chunk in each]
        some_chunks = rows.draw(st.lists(st.sampled_from([*known, "unknown"]), max_size=6))
        size = SPACES[space] + rows.draw(st.sampled_from([0, 0, 0, 0, 1]))
        vectors = {
            chunk: self._vector(rows.draw(st.lists(numbers, min_size=size, max_size=size))) for chunk in some_chunks
        }
        outcomes = set()
        for store in self.stores:
            try:
                store.put_vectors(space, vectors)
                outcomes.add("kept")
            except EmbeddingError as error:
                outcomes.add(str(error))
        assert len(outcomes) == 1

    @rule(space=st.sampled_from(sorted(SPACES)), value=texts, some=st.data())
    def swap_spaces(self, space: str, value: str, some: st.DataObject) -> None:
        known = [chunk.id for each in self.reference.chunks_of(PATHS).values() for chunk in each]
        gone = some.draw(st.none() | st.lists(st.sampled_from([*known, "unknown"]), max_size=4))
        for store in self.stores:
            store.drop_vectors({space: gone}, {"k": value})

    @rule()
    def reopen(self) -> None:
        folder = Path(self.folder.name)
        pairs = zip(self.backends, self.others, strict=True)
        self.others = [backend.reopen(store, folder) for backend, store in pairs]

    @rule()
    def tidy(self) -> None:
        for store in self.stores:
            store.optimize()

    @rule(key=st.sampled_from("kl"), value=texts)
    def keep_note(self, key: str, value: str) -> None:
        for store in self.stores:
            store.set_metadata(key, value)

    @rule(asked=st.lists(words, max_size=4), limit=st.integers(0, 12), which=filters, bm25=bm25s)
    def lexical(self, asked: list[Word], limit: int, which: Filters, bm25: Bm25) -> None:
        expected = self.reference.rank_lexical(asked, limit, which, bm25)
        parts = self.reference.lexical_evidence(asked, [hit.chunk for hit in expected], bm25)
        for store in self.others:
            same_ranking(expected, store.rank_lexical(asked, limit, which, bm25))
            assert store.lexical_evidence(asked, [hit.chunk for hit in expected], bm25) == parts

    @rule(space=st.sampled_from(sorted(SPACES)), vector=st.data(), limit=st.integers(0, 12), which=filters)
    def nearest(self, space: str, vector: st.DataObject, limit: int, which: Filters) -> None:
        size = self.reference.spaces().get(space, SPACES[space])
        question = self._vector([1.0, *vector.draw(st.lists(numbers, min_size=size - 1, max_size=size - 1))])
        expected = self.reference.rank_vectors(space, question, limit, which)
        for store in self.others:
            same_ranking(expected, store.rank_vectors(space, question, limit, which))

    @rule(which=filters)
    def passing(self, which: Filters) -> None:
        self.same(lambda store: store.first_passing_chunks(PATHS, which))

    @invariant()
    def everything_agrees(self) -> None:
        self.same(lambda store: store.generation)
        self.same(lambda store: store.counts())
        self.same(lambda store: store.documents(PATHS))
        self.same(lambda store: store.roles(PATHS))
        self.same(lambda store: store.corpus_profile())
        self.same(lambda store: store.chunks_of(PATHS))
        self.same(lambda store: store.edges(PATHS))
        self.same(lambda store: store.neighbours(PATHS))
        self.same(lambda store: store.edges(PATHS[:3], ["imports"]))
        self.same(
            lambda store: (store.documents_by_key(KEYS), store.documents_by_key(KEYS, 1), store.chunk_counts(PATHS))
        )
        self.same(lambda store: store.fingerprints())
        self.same(lambda store: store.spaces())
        self.same(lambda store: store.terms_with_prefix("", 1000))
        self.same(lambda store: store.terms_with_prefix("r", 1))
        self.same(lambda store: [store.metadata(key) for key in "kl"])
        ids = [chunk.id for each in self.reference.chunks_of(PATHS).values() for chunk in each]
        for space in SPACES:
            missing = self.same(lambda store, space=space: store.chunks_without_vector([space], 5))
            self.same(lambda store, ids=missing: store.chunks(ids))
            self.same(lambda store, space=space: store.coverage([space]))
            self.same(lambda store, space=space: store.chunks_with_vector([space], ids))

    @staticmethod
    def _vector(numbers_: Sequence[float]) -> Vector:
        return np.array(numbers_, dtype=np.float32)


def same_ranking(expected: Ranking, found: Ranking) -> None:
    """Compare two rankings, in which chunks may change places if scores differ by rounding."""
    assert len(found) == len(expected)
    for mine, theirs in zip(expected, found, strict=True):
        assert theirs.score == pytest.approx(mine.score, rel=1e-5, abs=1e-9)
        same = (mine.chunk, mine.document) == (theirs.chunk, theirs.document)
        assert same or isclose(mine.score, theirs.score, rel_tol=1e-12, abs_tol=1e-15)


TestAgreement = Agreement.TestCase
TestAgreement.settings = settings(stateful_step_count=20)


class PostgresAgreement(Agreement):
    """The same on a server, with fewer examples, because each query takes a millisecond."""

    backends: ClassVar[Sequence[Backend]] = ON_SERVER


TestPostgresAgreement = pytest.mark.skipif(bool(missing_reason()), reason=missing_reason())(PostgresAgreement.TestCase)
TestPostgresAgreement.settings = settings(stateful_step_count=20, max_examples=max(settings().max_examples // 10, 1))
