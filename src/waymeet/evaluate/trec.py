"""TREC run files: query, Q0, document, rank, score and name, separated by white space."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from waymeet.errors import CollectionError
from waymeet.evaluate.collection import Collection
from waymeet.evaluate.levels import RankedSection, parse_section, rank_items
from waymeet.evaluate.run import Run


def format_run(run: Run) -> Iterator[str]:
    """Yield the lines of a run, with `_` in place of white space in ids."""
    for query, ranked in run.ranked.items():
        for rank, (document, score) in enumerate(ranked, start=1):
            yield f"{_escape(query)} Q0 {_escape(document)} {rank} {score:.9g} {_escape(run.name)}"


def read_run(path: Path, collection: Collection) -> Run:
    """Read a run of another program over a collection, ordered by score as TREC does.

    Lines of a file, such as `docs/setup.md#L10-L24`, are counted as sections of Waymeet are.

    Raises:
        CollectionError: the file cannot be read, or is not a run over this collection.
    """
    queries = {_escape(query.id): query.id for query in collection.queries}
    ids = _unescaped_ids(collection)
    rows: dict[str, list[tuple[float, int, str]]] = {}
    name = path.stem
    for number, line in enumerate(_read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            query, _, document, rank, score, name = line.split()
            row = (-float(score), int(rank), ids.get(document, document))
        except ValueError as error:
            message = f"{path.name}, line {number} is not query, Q0, document, rank, score and name."
            raise CollectionError(message) from error
        if query in queries:
            rows.setdefault(queries[query], []).append(row)
    if not rows:
        raise CollectionError(f"{path.name} has no query of {collection.name}.")
    ranked = {
        query: _rank_rows(query, [(item, -score) for score, _, item in sorted(query_rows)], collection, ids)
        for query, query_rows in rows.items()
    }
    return Run(name, "", ranked, ())


def _unescaped_ids(collection: Collection) -> dict[str, str]:
    """Map ids as they are written in runs to those of documents and judged places."""
    judged = (item for judgements in collection.qrels.values() for item in judgements)
    return {_escape(id_): id_ for id_ in (*(each.id for each in collection.documents), *collection.places, *judged)}


def _rank_rows(
    query: str, rows: Sequence[tuple[str, float]], collection: Collection, ids: Mapping[str, str]
) -> tuple[tuple[str, float], ...]:
    """Rank the documents or places of the rows of one query."""
    parsed = (parse_section(item, collection, score) for item, score in rows)
    sections = (RankedSection(ids.get(each.document, each.document), each.section, each.score) for each in parsed)
    items = rank_items(sections, collection, collection.qrels[query])
    return tuple((item, section.score) for item, section in items.items())


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise CollectionError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{path} is not UTF-8: {error.reason}.") from error


def _escape(text: str) -> str:
    return "_".join(text.split()) or "_"
