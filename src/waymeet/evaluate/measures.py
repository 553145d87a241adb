"""What a run is worth, by ir-measures."""

from collections.abc import Iterator
from statistics import quantiles

from msgspec import Struct

from waymeet.errors import CollectionError
from waymeet.evaluate.collection import Collection
from waymeet.evaluate.running import Run

NAMES = ("nDCG@10", "R@5", "R@10", "RR@10")


class Worth(Struct, frozen=True):
    """How good a run is and what it cost."""

    collection: str
    recipe: str
    queries: int
    measures: dict[str, float]
    """By name: the mean over all queries."""
    p50_ms: float
    p95_ms: float


def measured(collection: Collection, run: Run) -> Worth:
    """Measure a run against the judgements.

    Raises:
        CollectionError: ir-measures is not installed.
    """
    try:
        import ir_measures  # noqa: PLC0415 - brings SciPy along: only evaluation pays for it
    except ImportError as error:
        raise CollectionError("Measuring needs ir-measures.", "Install it: pip install 'waymeet[eval]'") from error
    wanted = [ir_measures.parse_measure(name) for name in NAMES]
    judged = [
        ir_measures.Qrel(query.id, document, score)
        for query in collection.queries
        for document, score in collection.qrels[query.id].items()
    ]
    # A place is worth less than the one before it, whatever the scores: ties were broken by us, not by chance.
    found = [
        ir_measures.ScoredDoc(query, document, float(-place))
        for query, ranked in run.ranked.items()
        for place, (document, _) in enumerate(ranked)
    ]
    means = ir_measures.calc_aggregate(wanted, judged, found)
    times = sorted(run.seconds)
    cuts = quantiles(times, n=20, method="inclusive") if len(times) > 1 else times * 19
    return Worth(
        collection.name,
        run.name,
        len(collection.queries),
        {name: round(float(means[measure]), 4) for name, measure in zip(NAMES, wanted, strict=True)},
        round(cuts[9] * 1000, 3),
        round(cuts[18] * 1000, 3),
    )


def trec(run: Run) -> Iterator[str]:
    """Write a run as TREC does: query, Q0, document, rank, score, name.

    White space in ids would make columns of them, so it is written as `_`.
    """
    for query, ranked in run.ranked.items():
        for rank, (document, score) in enumerate(ranked, start=1):
            yield f"{_word(query)} Q0 {_word(document)} {rank} {score:.9g} {_word(run.name)}"


def _word(text: str) -> str:
    return "_".join(text.split()) or "_"
