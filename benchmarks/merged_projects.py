"""Compare ways to merge the answers of several projects.

`python benchmarks/merged_projects.py FOLDER … --queries 40` takes labelled collections as projects. Each query is asked
of all of them. The ideal is the answer of the query's own collection alone; a result of another collection counts as
not relevant. Queries with a scope are asked without it. nDCG@10 and recall@10 are means over the collections; "first"
is the share of queries whose first result is of the right collection.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from waymeet.formulas.merging import merge_scores
from waymeet.formulas.metrics import ndcg, recall
from waymeet.interfaces.quality.bench import Bench, CollectionOptions, collection_bench
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.types import Hit, Query

DEPTH = 10
HITS = 20
"""Hits that each project contributes."""
Ranked = Sequence[Hit]


def _relevances(hits: Ranked) -> list[float]:
    return [hit.relevance or 0.0 for hit in hits]


def _shares(hits: Ranked) -> list[float]:
    """Divide scores by the best one of the project."""
    return [hit.score / hits[0].score if hits[0].score else 0.0 for hit in hits]


def _falling(values: Sequence[float]) -> list[float]:
    """Replace each value by the lowest so far."""
    return [min(values[: at + 1]) for at in range(len(values))]


MERGES: Mapping[str, Callable[[Ranked], Sequence[float]]] = {
    "raw score": lambda hits: [hit.score for hit in hits],
    "rank (one of each project in turn)": lambda hits: [1.0 / (at + 1) for at in range(len(hits))],
    "best relevance × score / best score": lambda hits: [max(_relevances(hits)) * share for share in _shares(hits)],
    "relevance": _relevances,
    "lowest relevance so far": lambda hits: _falling(_relevances(hits)),
    "isotonic relevance (chosen)": lambda hits: [
        score.value for score in merge_scores([hit.relevance for hit in hits])
    ],
}


class Measured(NamedTuple):
    """The result of one query under one merge."""

    ndcg: float
    recall: float
    is_first_right: bool


def main() -> None:
    """Measure the collections named on the command line, and print a table for each mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--queries", type=int, default=40, help="queries of each collection, at most [default: 40]")
    parser.add_argument("--modes", default="vectors,words", help="vectors, words [default: vectors,words]")
    options = parser.parse_args()
    names = " ".join(folder.name for folder in options.collections)
    print(f"`benchmarks/merged_projects.py {names} --queries {options.queries}`, {datetime.now(UTC).date()}\n")
    with ExitStack() as stack:
        benches = {}
        for folder in options.collections:
            bench = stack.enter_context(collection_bench(folder, (), None, None, CollectionOptions()))
            benches[folder.name] = bench
            print(f"{folder.name}: {bench.tools.store.corpus_profile().chunks} sections", file=sys.stderr, flush=True)
        for mode in options.modes.split(","):
            _print_table(mode, dict(_measure(benches, mode, options.queries)))


def _measure(benches: Mapping[str, Bench], mode: str, number: int) -> Iterator[tuple[str, dict[str, list[Measured]]]]:
    """Ask the queries of each collection, and yield the results of each merge by the name of the collection."""
    shared = () if mode == "words" else next(iter(benches.values())).tools.embedders
    for home, bench in benches.items():
        collection = bench.collections[0]
        queries = [query for query in collection.queries if max(collection.qrels.get(query.id, {"": 0}).values()) > 0]
        random.Random(home).shuffle(queries)  # noqa: S311 - not for security
        results: dict[str, list[Measured]] = {}
        for query in queries[:number]:
            answers = {
                name: answer_query(
                    AUTO, Query(query.text, limit=HITS), other.tools._replace(embedders=shared), other.settings(AUTO)
                ).hits
                for name, other in benches.items()
            }
            judged = {(home, item): score for item, score in collection.qrels[query.id].items()}
            own = [(home, hit.document) for hit in answers[home]]
            results.setdefault("its own collection alone", []).append(_score(own, judged, home))
            for name, merge in MERGES.items():
                results.setdefault(name, []).append(_score(_merge(answers, merge), judged, home))
        print(f"{mode}: {home} {len(queries[:number])} queries", file=sys.stderr, flush=True)
        yield home, results


def _merge(answers: Mapping[str, Ranked], merge: Callable[[Ranked], Sequence[float]]) -> list[tuple[str, str]]:
    scored = [
        (-score, at, name, hit.document)
        for name, hits in answers.items()
        if hits
        for at, (hit, score) in enumerate(zip(hits, merge(hits), strict=True))
    ]
    return [(name, document) for _, _, name, document in sorted(scored)]


def _score(ranked: Sequence[tuple[str, str]], judged: Mapping[tuple[str, str], int], home: str) -> Measured:
    documents = ["\n".join(pair) for pair in dict.fromkeys(ranked)]
    judgements = {"\n".join(pair): score for pair, score in judged.items()}
    is_first_right = bool(ranked) and ranked[0][0] == home
    return Measured(ndcg(documents, judgements, DEPTH), recall(documents, judgements, DEPTH), is_first_right)


def _print_table(mode: str, by_collection: Mapping[str, Mapping[str, Sequence[Measured]]]) -> None:
    names = list(by_collection)
    print(f"## {mode}\n")
    print(f"| merge | nDCG@10 | recall@10 | first | {' | '.join(names)} |")
    print(f"|---|{'--:|' * (3 + len(names))}")
    for merge in next(iter(by_collection.values())):
        columns = [[_mean(field, by_collection[name][merge]) for field in range(3)] for name in names]
        means = [sum(column[field] for column in columns) / len(columns) for field in range(3)]
        cells = [f"{means[0]:.3f}", f"{means[1]:.3f}", f"{means[2]:.1%}", *(f"{column[0]:.3f}" for column in columns)]
        print(f"| {merge} | {' | '.join(cells)} |", flush=True)
    print()


def _mean(field: int, results: Sequence[Measured]) -> float:
    return sum(float(result[field]) for result in results) / max(len(results), 1)


if __name__ == "__main__":
    main()
