"""Compare the answers of the memory, SQLite and PostgreSQL stores over the same content.

    python benchmarks/store_equality.py DSN COLLECTION... [--queries 20]

Every document and vector is written to all three stores by the same calls. Then each recipe answers each query from
each store. The order of candidates must be the same, except among scores that differ by less than 1e-6, and lexical
scores must agree to 1e-6. At the end, the 50 nearest sections by an HNSW index are compared with those by a scan.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from waymeet import Project
from waymeet.evaluate.collection import load_collection, sample_queries
from waymeet.evaluate.indexing import index_documents
from waymeet.interfaces.quality.bench import embed_or_raise
from waymeet.recipes import find_recipe
from waymeet.search.pipeline import run_stages
from waymeet.settings import Layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.postgres import PostgresStore
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Filters, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from waymeet.ports import Store
    from waymeet.search.state import Tools

RECIPES = ("auto", "auto:words", "classic", "threeway", "memory", "neighbours", "files", "skills_recall", "deep")
TOLERANCE = 1e-6
_COMPARED = 50
_WRITES = frozenset({"put", "drop", "put_vectors", "drop_vectors", "set_commit_dates", "set_metadata", "optimize"})


class AllStores:
    """A store that writes to several and reads from the first."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any method of a store
        if name not in _WRITES:
            return getattr(self._stores[0], name)

        def write(*arguments: object, **options: object) -> None:
            for store in self._stores:
                getattr(store, name)(*arguments, **options)

        return write


class Difference(NamedTuple):
    """What differs between two stores."""

    orders: int = 0
    """Answers in another order."""
    score: float = 0.0
    """Largest difference of a lexical score."""


Ranked = list[tuple[str, float]]


def same_order(expected: Ranked, found: Ranked) -> bool:
    """Check whether two rankings are equal, except among scores that hardly differ.

    >>> same_order([("a", 2.0), ("b", 1.0)], [("a", 2.0), ("b", 1.0 + 1e-9)])
    True
    >>> same_order([("a", 2.0), ("b", 1.0)], [("b", 2.0), ("a", 1.0)])
    False
    """
    if len(expected) != len(found):
        return False
    pairs = zip(expected, found, strict=True)
    last = expected[-1][1] if expected else 0.0
    place = {item: score for item, score in expected}  # noqa: C416 - mypy needs the pair
    return all(
        abs(score - other) <= TOLERANCE
        and (item == other_item or abs(place.get(other_item, last) - score) <= TOLERANCE)
        for (item, score), (other_item, other) in pairs
    )


def answer(project: Project, tools: Tools, recipe: str, text: str) -> Ranked:
    """Rank the candidates of a query by a recipe."""
    name, _, mode = recipe.partition(":")
    found = find_recipe(name)
    settings = resolve((Layer("recipe", found.overrides), *project.layers))
    tools = tools._replace(embedders=()) if mode == "words" else tools
    query = Query(text, 10, recipe=name, mode=mode if mode in found.modes else "", expand=False)
    candidates = run_stages(found, query, tools, settings)[0].candidates
    return [(f"{each.document} {each.chunks[:1]}", each.score.value) for each in candidates[:_COMPARED]]


def compare_stores(
    project: Project, stores: Mapping[str, Store], queries: Iterable[str], recipes: Iterable[str] = RECIPES
) -> dict[tuple[str, str], int]:
    """Count, by recipe and store, the answers in another order than those of the first store."""
    first, *others = stores
    different = {(recipe, other): 0 for recipe in recipes for other in others}
    for text in queries:
        for recipe in recipes:
            rankings = {name: _answer_in(project, store, recipe, text) for name, store in stores.items()}
            for other in others:
                different[recipe, other] += not same_order(rankings[first], rankings[other])
    return different


def _answer_in(project: Project, store: Store, recipe: str, text: str) -> Ranked:
    with store.snapshot():
        return answer(project, project.tools(store), recipe, text)


def largest_score_difference(stores: Mapping[str, Store], queries: Iterable[str]) -> float:
    """Return the largest difference of a lexical score between stores."""
    from waymeet.analysis import query_words  # noqa: PLC0415 - only here
    from waymeet.settings import Bm25  # noqa: PLC0415 - likewise
    from waymeet.types import Word  # noqa: PLC0415 - likewise

    largest = 0.0
    for text in queries:
        words = [Word(terms, text=word) for word, terms in query_words(text) if terms]
        scores = [
            {hit.chunk: hit.score for hit in store.rank_lexical(words, 1000, Filters(), Bm25())}
            for store in stores.values()
        ]
        for other in scores[1:]:
            largest = max(
                [largest, *(abs(other[chunk] - scores[0][chunk]) for chunk in other.keys() & scores[0].keys())]
            )
    return largest


def hnsw_recall(project: Project, exact: Store, indexed: Store, queries: Sequence[str]) -> float:
    """Return the share of the 50 nearest sections that an HNSW index finds, in the largest space."""
    embedders = project.models.chosen(project.settings.embedding)
    embedder = max(embedders, key=lambda each: exact.counts().vectors.get(each.space, 0))
    found = total = 0
    for text in queries:
        vector = embedder.embed_query(text)
        nearest = {hit.chunk for hit in exact.rank_vectors(embedder.space, vector, _COMPARED, Filters())}
        by_index = {hit.chunk for hit in indexed.rank_vectors(embedder.space, vector, _COMPARED, Filters())}
        found, total = found + len(nearest & by_index), total + len(nearest)
    return found / max(total, 1)


def measure(dsn: str, folder: Path, number: int) -> Iterator[str]:
    """Compare the stores on one collection, and yield the cells of its row."""
    collection = sample_queries(load_collection(folder), number)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        root.mkdir()
        with Project.open(root, index=Path(place) / "other.db", flags=["embedding.background=false"]) as project:
            name = f"equality-{collection.name}-{uuid4().hex}"
            postgres = PostgresStore.open(dsn, name, create=True, hnsw_from=sys.maxsize)
            stores: dict[str, Store] = {
                "memory": MemoryStore(),
                "sqlite": SqliteStore.open(Path(place) / "index.db", create=True),
                "postgres": postgres,
            }
            everywhere: Any = AllStores(list(stores.values())[::-1])
            index_documents(everywhere, collection, project.settings.chunking)
            embed_or_raise(project, everywhere)
            queries = [query.text for query in collection.queries]
            yield collection.name
            yield f"{postgres.counts().chunks:,}"
            yield str(len(queries))
            different = compare_stores(project, stores, queries)
            for other in ("sqlite", "postgres"):
                yield _describe({recipe: count for (recipe, store), count in different.items() if store == other})
            yield f"{largest_score_difference(stores, queries):.1e}"
            with_index = PostgresStore.open(dsn, name, hnsw_from=1)
            with_index.optimize()
            yield f"{hnsw_recall(project, postgres, with_index, queries):.4f}"
            for store in (*stores.values(), with_index):
                store.close()


def _describe(different: Mapping[str, int]) -> str:
    return ", ".join(f"{recipe} {count}" for recipe, count in different.items() if count) or "0"


def main() -> int:
    """Print a table with a row for each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dsn")
    parser.add_argument("collections", nargs="+", type=Path)
    parser.add_argument("--queries", type=int, default=20)
    options = parser.parse_args()
    print(f"Answers in another order than the memory store: {', '.join(RECIPES)}.\n")
    print("| collection | sections | queries | SQLite | PostgreSQL | lexical scores differ by | HNSW recall@50 |")
    print("|---|--:|--:|---|---|--:|--:|")
    for folder in options.collections:
        print("|", " | ".join(measure(options.dsn, folder, options.queries)), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
