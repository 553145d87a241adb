"""Runs as TREC writes them: query, Q0, document, rank, score, name, parted by white space."""

from collections.abc import Iterator
from pathlib import Path

from waymeet.errors import CollectionError
from waymeet.evaluate.collection import Collection
from waymeet.evaluate.run import Run


def format_run(run: Run) -> Iterator[str]:
    """Write a run. White space in ids would make columns of them, so it is written as `_`."""
    for query, ranked in run.ranked.items():
        for rank, (document, score) in enumerate(ranked, start=1):
            yield f"{_word(query)} Q0 {_word(document)} {rank} {score:.9g} {_word(run.name)}"


def read_run(path: Path, collection: Collection) -> Run:
    """Read somebody's run over a collection; as with TREC, the scores tell the order, not the ranks.

    Raises:
        CollectionError: it cannot be read, or is no run over this collection.
    """
    queries = {_word(each.id): each.id for each in collection.queries}
    documents = {_word(each): each for judged in collection.qrels.values() for each in judged}
    found: dict[str, list[tuple[float, int, str]]] = {}
    name = path.stem
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            query, _, document, rank, score, name = line.split()
            row = (-float(score), int(rank), documents.get(document, document))
        except ValueError as error:
            complaint = f"{path.name}, line {number} is not query, Q0, document, rank, score and name."
            raise CollectionError(complaint) from error
        if query in queries:
            found.setdefault(queries[query], []).append(row)
    if not found:
        raise CollectionError(f"{path.name} answers no query of {collection.name}.")
    ranked = {query: tuple((each, -score) for score, _, each in sorted(rows)) for query, rows in found.items()}
    return Run(name, "", ranked, ())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise CollectionError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{path} is not UTF-8: {error.reason}.") from error


def _word(text: str) -> str:
    return "_".join(text.split()) or "_"
