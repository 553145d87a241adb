"""Judge results that have no judgement, blindly, and add those that answer to the judgements of a collection.

The judgements of a collection name the answers that its authors found. A result that answers and was not found by them
counts as wrong, so figures are too low. As TREC does, results of several rankings are judged afterwards:

    python benchmarks/pool.py collect build/pool/flask benchmarks/projects/held-out*/flask --keep build/indexes
    python benchmarks/pool.py add build/pool/flask

`collect` writes `items.jsonl` with the text of each result without a judgement and of some whose judgement is known, in
an order that does not show the ranking, the rank or what is known; that is in `origins.jsonl`. Each judge writes a
file `answers-NAME.jsonl`, each line {"item", "relevance"} with relevance 2, 1 or 0. A result answers only if all of
its judges say so, and has the lowest of their values. `add` prints how many of the known results were judged as
expected and how often judges agree, and writes `qrels/pooled.tsv` beside the judgements of each collection, by which
`waymeet eval --split pooled` measures.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from waymeet.evaluate.collection import QRELS, Collection, CollectionQuery, Place, read_qrels
from waymeet.evaluate.levels import SECTION, at_level
from waymeet.evaluate.run import Run
from waymeet.interfaces.quality.bench import CollectionOptions, collection_bench
from waymeet.ports import Store
from waymeet.recipes import RECIPES
from waymeet.types import Chunk

RANKINGS = (("auto", ""), ("auto", "words"), ("classic", ""), ("classic", "bm25_only"))
"""The rankings whose leading results are judged, each a recipe and its mode."""
DEPTH = 5
"""Leading results of each ranking."""
KNOWN_RANK = 30
"""Rank from which a result without a judgement is taken as one that does not answer."""
POOLED = "qrels/pooled.tsv"
MAX_CHARS = 3000
"""Characters of a section that are shown."""
NEW, RIGHT, WRONG = "new", "right", "wrong"
ITEMS, ORIGINS, ANSWERS = "items.jsonl", "origins.jsonl", "answers-*.jsonl"


class Item(Struct, frozen=True):
    """A section to judge. Its id does not tell where it comes from."""

    item: str
    question: str
    path: str
    text: str


class Origin(Struct, frozen=True):
    """What an item is, which is not shown to those who judge."""

    item: str
    folder: str
    query: str
    place: str
    kind: str
    """Without a judgement, known to answer, or taken as one that does not."""


class Answer(Struct, frozen=True):
    """The judgement of an item."""

    item: str
    relevance: int


class Source(NamedTuple):
    """A section of a question's pool, before it is written."""

    place: str
    kind: str


def collect(keep: Path | None, folders: Iterable[Path], flags: tuple[str, ...] = ()) -> Iterator[tuple[Item, Origin]]:
    """Collect the results to judge, those of each question in the order of their ids."""
    for folder in folders:
        with collection_bench(folder, flags, None, None, CollectionOptions(keep=keep)) as bench:
            (collection,) = bench.collections
            level = at_level(collection, SECTION)
            runs = [bench.run_levels(RECIPES[name], (level,), mode, limit=100)[0] for name, mode in RANKINGS]
            for query in collection.queries:
                rows = [
                    _make_item(folder, query, source, collection, bench.tools.store)
                    for source in _list_sources(query, runs, collection)
                ]
                yield from sorted(rows, key=lambda row: row[0].item)


def _list_sources(query: CollectionQuery, runs: Sequence[Run], collection: Collection) -> Iterator[Source]:
    """List the sections of a question: unjudged leading results, a right one, and one far behind."""
    judged = collection.qrels[query.id]
    leading = [item for run in runs for item, _ in run.ranked[query.id][:DEPTH] if item not in judged]
    yield from (Source(item, NEW) for item in dict.fromkeys(leading))
    right = [item for item, relevance in judged.items() if relevance > 0 and item in collection.places]
    yield from (Source(item, RIGHT) for item in sorted(right, key=_digest)[:1])
    behind = [item for item, _ in runs[0].ranked[query.id][KNOWN_RANK:] if item not in judged and item not in leading]
    yield from (Source(item, WRONG) for item in behind[:1])


def _make_item(
    folder: Path, query: CollectionQuery, source: Source, collection: Collection, store: Store
) -> tuple[Item, Origin]:
    place = collection.places.get(source.place)
    chunks = _read_place(store, place) if place else tuple(store.chunks([source.place]).values())
    name = _digest(f"{folder}\0{query.id}\0{source.place}")
    text = "\n".join(chunk.text for chunk in chunks)[:MAX_CHARS]
    return (
        Item(name, query.text, chunks[0].document, text),
        Origin(name, str(folder), query.id, source.place, source.kind),
    )


def _read_place(store: Store, place: Place) -> tuple[Chunk, ...]:
    """Read the sections that share a line with a judged place."""
    chunks = store.chunks_of([place.document])[place.document]
    return tuple(chunk for chunk in chunks if chunk.start <= place.end and chunk.end >= place.start)


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()


def add(folder: Path) -> None:
    """Print how known results were judged, and write the judgements with the new ones."""
    origins = msgspec.json.decode(_as_array(folder / ORIGINS), type=list[Origin])
    judged = _read_answers(folder)
    missing = [row.item for row in origins if row.item not in judged]
    if missing:
        raise SystemExit(f"{len(missing)} items have no answer, {missing[0]} for example.")
    for kind in (RIGHT, WRONG, NEW):
        of_kind = [judged[row.item] for row in origins if row.kind == kind]
        positive = sum(min(values) > 0 for values in of_kind)
        agreed = sum(min(values) > 0 or max(values) == 0 for values in of_kind)
        print(f"{kind}: {positive} of {len(of_kind)} judged to answer; all judges agree on {agreed}")
    for name in dict.fromkeys(row.folder for row in origins):
        new = [row for row in origins if row.folder == name and row.kind == NEW and min(judged[row.item]) > 0]
        known = [
            (query, *judgement) for query, each in read_qrels(Path(name, QRELS)).items() for judgement in each.items()
        ]
        lines = [*known, *((row.query, row.place, min(judged[row.item])) for row in new)]
        path = Path(name, POOLED)
        path.parent.mkdir(exist_ok=True)
        text = "".join(f"{query}\t{place}\t{score}\n" for query, place, score in sorted(lines))
        path.write_text(f"query-id\tcorpus-id\tscore\n{text}", encoding="utf-8")
        print(f"written: {path}, {len(new)} more than {len(known)}")


def _read_answers(folder: Path) -> dict[str, list[int]]:
    """Read the judgements of each item, one of each judge who has seen it."""
    judged: dict[str, list[int]] = {}
    for path in sorted(folder.glob(ANSWERS)):
        for row in msgspec.json.decode(_as_array(path), type=list[Answer]):
            judged.setdefault(row.item, []).append(row.relevance)
    return judged


def _as_array(path: Path) -> bytes:
    """Read JSON lines as one array."""
    return b"[" + b",".join(filter(None, path.read_bytes().splitlines())) + b"]"


def _write_rows(path: Path, rows: Iterable[Struct]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def main() -> int:
    """Run one of both steps."""
    parser = argparse.ArgumentParser(description="Judge results that have no judgement.")
    steps = parser.add_subparsers(dest="step", required=True)
    collecting = steps.add_parser("collect", help="Write the results to judge.")
    collecting.add_argument("folder", type=Path, help="The folder to write to.")
    collecting.add_argument("collections", type=Path, nargs="+")
    collecting.add_argument("--keep", type=Path, help="The folder of kept indexes.")
    steps.add_parser("add", help="Add the answers to the judgements.").add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.step == "add":
        add(given.folder)
        return 0
    given.folder.mkdir(parents=True, exist_ok=True)
    rows = list(collect(given.keep, given.collections))
    _write_rows(given.folder / ITEMS, (item for item, _ in rows))
    _write_rows(given.folder / ORIGINS, (origin for _, origin in rows))
    print(f"written: {given.folder / ITEMS}, {len(rows)} items")
    return 0


if __name__ == "__main__":
    sys.exit(main())
