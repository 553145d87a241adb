"""Test collections: a folder with documents, queries, and judgements of which documents answer which query.

`corpus.jsonl` has `{id, title, text, [path], [links]}`, where links are ids of other documents; `queries.jsonl` has
`{id, text, [scope]}`, where a scope restricts the answer to documents whose id begins with it; `qrels.tsv` has query,
document and score, parted by tabs, below a header.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from waymeet.errors import CollectionError

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


class Judged(Struct, frozen=True):
    """A document of a collection."""

    id: str
    text: str = ""
    title: str = ""
    path: str = ""
    links: tuple[str, ...] = ()


class Asked(Struct, frozen=True):
    """A query of a collection."""

    id: str
    text: str
    scope: str = ""


class Collection(Struct, frozen=True):
    """Documents, queries and judgements."""

    name: str
    documents: tuple[Judged, ...]
    queries: tuple[Asked, ...]
    """Those that at least one document answers."""
    qrels: Mapping[str, Mapping[str, int]]
    """By query, then by document: how well it answers."""


def load(folder: Path) -> Collection:
    """Read a collection.

    Raises:
        CollectionError: a file is missing or not as it should be.
    """
    qrels = _qrels(folder / QRELS)
    answered = {query for query, judged in qrels.items() if any(score > 0 for score in judged.values())}
    queries = tuple(each for each in _lines(folder / QUERIES, Asked) if each.id in answered)
    documents = tuple(_lines(folder / CORPUS, Judged))
    if not queries or not documents:
        raise CollectionError(f"{folder.name} has no query with an answer.", f"Look at its {QUERIES} and {QRELS}.")
    return Collection(folder.resolve().name, documents, queries, qrels)


_Kind = TypeVar("_Kind")


def _lines(path: Path, kind: type[_Kind]) -> Iterator[_Kind]:
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(_read(path), start=1):
        if line.strip():
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError as error:
                raise CollectionError(f"{path.parent.name}/{path.name}, line {number}: {error}.") from error


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_read(path)[1:], start=2):
        columns = line.split("\t")
        if not line.strip():
            continue
        try:
            query, document, score = columns
            found.setdefault(query, {})[document] = int(float(score))
        except ValueError as error:
            where = f"{path.parent.name}/{path.name}, line {number}"
            raise CollectionError(f"{where} is not query, document and score, parted by tabs.") from error
    return found


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise CollectionError(
            f"{path.parent.name}/{path.name} cannot be read: {error.strerror}.",
            f"A collection is a folder with {CORPUS}, {QUERIES} and {QRELS}.",
        ) from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{path.parent.name}/{path.name} is not UTF-8: {error.reason}.") from error
