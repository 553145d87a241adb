"""Measure how often answers are marked as of low relevance, and how often rightly.

`python benchmarks/relevance.py SUBJECT:FOLDER … --documents 0,7,30 --modes vectors,words` takes labelled collections,
each with its subject. Answered queries are the collection's own. Strange queries are those of collections of another
subject in the same language, the questions and the noise of `absent_questions.toml`. With `--documents 7`, a folder of
seven documents is measured instead of the whole collection: those of a few queries and some others.

An answer without hits counts as marked. "Found" are the queries with a relevant document among the ten hits, "all" the
ones that have a relevant document at all.
"""

import argparse
import random
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.evaluate.collection import CORPUS, QRELS, QUERIES, Collection, CollectionQuery, load_collection
from waymeet.interfaces.quality.bench import Bench, CollectionOptions, collection_bench
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.types import Answer, Filters, Query

ABSENT = Path(__file__).with_name("absent_questions.toml")
COMPUTING = "computing"
"""The subject of collections to which questions about code are not strange."""
ANSWERED_QUERIES = 80
"""Own queries that are run on a collection, at most."""
OTHER_QUERIES = 100
"""Queries of other collections, at most."""
_SHARE_OF_ANSWERS = 0.7
"""Share of the documents of a small folder that are relevant to one of its queries."""
_LANGUAGE_SAMPLE = 50


class Subject(NamedTuple):
    """A labelled collection and what it is about."""

    subject: str
    folder: Path
    collection: Collection
    language: str
    """The language of its queries."""


class Question(NamedTuple):
    """A query to run, with what is known about it."""

    kind: str
    """`own`, `other`, `absent` or `noise`."""
    text: str
    scope: str = ""
    relevant: frozenset[str] = frozenset()


class Row(NamedTuple):
    """The shares of marked answers of one collection in one mode."""

    name: str
    mode: str
    counts: Counter[str]
    marked: Counter[str]

    def share(self, *kinds: str) -> str:
        """Format the share of marked answers, with the number of queries."""
        number = sum(self.counts[kind] for kind in kinds)
        return f"{100 * sum(self.marked[kind] for kind in kinds) / number:.1f} ({number})" if number else "–"


def main() -> None:
    """Measure the collections named on the command line, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", metavar="SUBJECT:FOLDER")
    parser.add_argument("--measure", default="", help="names of the collections to measure [default: all]")
    parser.add_argument("--documents", default="0", help="numbers of documents, 0 for all [default: 0]")
    parser.add_argument("--modes", default="vectors,words", help="vectors, words, student [default: vectors,words]")
    parser.add_argument("--seeds", type=int, default=1, help="folders for each number of documents [default: 1]")
    parser.add_argument("--exclude", default="", help="words whose queries are no strange ones, such as linux")
    parser.add_argument("--questions", type=Path, default=ABSENT, help="file of questions on absent subjects and noise")
    parser.add_argument("--set", action="append", default=[], dest="flags", help="a setting, as in `waymeet search`")
    options = parser.parse_args()
    subjects = [_load_subject(each) for each in options.collections]
    chosen = options.measure.split(",") if options.measure else [each.collection.name for each in subjects]
    print(f"`benchmarks/relevance.py {' '.join(_without_folders(sys.argv[1:]))}`, {datetime.now(UTC).date()}\n")
    print("| collection | mode | marked: found | all | strange | other | absent | noise |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for subject in subjects:
        if subject.collection.name not in chosen:
            continue
        for documents in map(int, options.documents.split(",")):
            for row in _measure(subject, subjects, documents, options.seeds if documents else 1, options):
                cells = (
                    row.share("found"),
                    row.share("found", "missed"),
                    row.share("other", "absent", "noise"),
                    *(row.share(kind) for kind in ("other", "absent", "noise")),
                )
                print(f"| {row.name} | {row.mode} | {' | '.join(cells)} |", flush=True)


def _without_folders(arguments: Iterable[str]) -> Iterator[str]:
    """Shorten the paths in arguments to the names of collections."""
    for argument in arguments:
        subject, colon, folder = argument.partition(":")
        yield f"{subject}:{Path(folder).name}" if colon else argument


def _load_subject(argument: str) -> Subject:
    subject, _, folder = argument.partition(":")
    collection = load_collection(Path(folder))
    languages = Counter(detect_language(query.text) for query in collection.queries[:_LANGUAGE_SAMPLE])
    return Subject(subject, Path(folder), collection, languages.most_common(1)[0][0])


def _measure(
    subject: Subject, subjects: Sequence[Subject], documents: int, seeds: int, options: argparse.Namespace
) -> Iterator[Row]:
    """Measure a collection, or several folders of a few of its documents, in each mode."""
    modes = options.modes.split(",")
    name = f"{subject.collection.name}, {documents} documents" if documents else subject.collection.name
    rows = {mode: Row(name, mode, Counter(), Counter()) for mode in modes}
    for seed in range(seeds):
        generator = random.Random(f"{name} {seed}")  # noqa: S311 - not for security
        collection = take_documents(subject.collection, documents, generator)
        excluded = tuple(filter(None, options.exclude.split(",")))
        strange = _strange_questions(subject, subjects, excluded, options.questions, generator)
        questions = [*_own_questions(collection, generator), *strange]
        flags = tuple(options.flags) if {"vectors", "student"} & set(modes) else ("embedding.provider=none",)
        with tempfile.TemporaryDirectory() as folder:
            place = _write_collection(collection, Path(folder)) if documents else subject.folder
            choices = CollectionOptions(student="student" in modes)
            with collection_bench(place, flags, None, None, choices) as bench:
                for mode, row in rows.items():
                    _count_marked(bench, mode, questions, row)
    yield from rows.values()


def take_documents(collection: Collection, number: int, generator: random.Random) -> Collection:
    """Keep a number of documents, and the queries that one of them answers."""
    if not 0 < number < len(collection.documents):
        return collection
    present = {document.id for document in collection.documents}
    queries = list(collection.queries)
    generator.shuffle(queries)
    kept: dict[str, None] = {}
    for query in queries:
        relevant = _relevant(collection, query) & present
        if len(kept | dict.fromkeys(relevant)) <= max(1, int(number * _SHARE_OF_ANSWERS)):
            kept |= dict.fromkeys(sorted(relevant))
    others = sorted(present - kept.keys())
    generator.shuffle(others)
    kept |= dict.fromkeys(others[: number - len(kept)])
    documents = tuple(
        replace(document, links=tuple(link for link in document.links if link in kept))
        for document in collection.documents
        if document.id in kept
    )
    answered = tuple(query for query in collection.queries if not _relevant(collection, query).isdisjoint(kept))
    return replace(collection, documents=documents, queries=answered)


def _relevant(collection: Collection, query: CollectionQuery) -> frozenset[str]:
    return frozenset(item for item, score in collection.qrels[query.id].items() if score > 0)


def _write_collection(collection: Collection, folder: Path) -> Path:
    """Write a collection to a folder."""
    encode = msgspec.json.Encoder().encode_lines
    (folder / CORPUS).write_bytes(encode(collection.documents))
    (folder / QUERIES).write_bytes(encode(collection.queries))
    judgements = (
        f"{query.id}\t{item}\t{score}"
        for query in collection.queries
        for item, score in collection.qrels[query.id].items()
    )
    (folder / QRELS).write_text("\n".join(("query-id\tcorpus-id\tscore", *judgements)) + "\n", encoding="utf-8")
    return folder


def _own_questions(collection: Collection, generator: random.Random) -> list[Question]:
    queries = list(collection.queries)
    generator.shuffle(queries)
    return [
        Question("own", query.text, query.scope, _relevant(collection, query)) for query in queries[:ANSWERED_QUERIES]
    ]


def _strange_questions(
    subject: Subject, subjects: Sequence[Subject], excluded: Sequence[str], file: Path, generator: random.Random
) -> list[Question]:
    """List queries of other subjects, questions about absent subjects, and noise.

    Questions about code are strange unless the subject is computing.
    """
    others = [each for each in subjects if each.subject != subject.subject and each.language == subject.language]
    number = OTHER_QUERIES // max(len(others), 1)
    texts = [
        query.text
        for other in others
        for query in generator.sample(other.collection.queries, min(number, len(other.collection.queries)))
        if not any(word in query.text.lower() for word in excluded)
    ]
    absent = tomllib.loads(file.read_text(encoding="utf-8"))
    language = subject.language or "en"
    about_code = absent.get("code", {}).get(language, ()) if subject.subject != COMPUTING else ()
    return [
        *(Question("other", text) for text in texts),
        *(Question("absent", text) for text in (*absent["questions"].get(language, ()), *about_code)),
        *(Question("noise", text) for text in absent["noise"].get(language, ())),
    ]


def _count_marked(bench: Bench, mode: str, questions: Iterable[Question], row: Row) -> None:
    """Run questions and count the answers that are marked as of low relevance."""
    settings = bench.settings(AUTO)
    for question in questions:
        filters = Filters(paths=(question.scope,)) if question.scope else Filters()
        answer = answer_query(AUTO, Query(question.text, filters=filters), _tools(bench, mode), settings)
        kind = question.kind
        if kind == "own":
            kind = "found" if _has_relevant(answer, question.relevant) else "missed"
        row.counts[kind] += 1
        row.marked[kind] += answer.low_relevance or not answer.hits


def _tools(bench: Bench, mode: str) -> Tools:
    if mode == "words":
        return bench.tools._replace(embedders=())
    return bench.student if mode == "student" and bench.student else bench.tools


def _has_relevant(answer: Answer, relevant: frozenset[str]) -> bool:
    return any(hit.document in relevant or hit.id in relevant for hit in answer.hits)


if __name__ == "__main__":
    main()
