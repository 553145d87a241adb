"""Test collections: folders with documents, queries, and relevance judgements.

`corpus.jsonl` has `{id, title, text, [path], [links]}`, where links are ids of other documents; `queries.jsonl` has
`{id, text, [scope]}`, where a scope restricts results to documents whose id begins with it. In place of `corpus.jsonl`
there may be a folder `corpus/` of files (see `indexing`). The optional `feedback.jsonl` has `{query, [right], [wrong]}`
with ids: feedback given before the queries are run. Judgements are `qrels.tsv` (query, document and score, separated
by tabs, below a header), or `qrels/test.tsv`, `qrels/dev.tsv` and so on, or `qrels.txt` in the format of TREC. Folders
of BEIR, which have `_id` in place of `id`, are such collections.
"""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from re import compile as pattern
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import CollectionError

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
FILES, FEEDBACK = "corpus", "feedback.jsonl"
_SPLITS = "qrels"
_USUAL_SPLITS = ("test", "dev", "train")
_TREC = "qrels.txt"
_LONG_WORD = pattern(r"[A-Za-z]{5,}")
"""Words long enough for a typo."""

Qrels = Mapping[str, Mapping[str, int]]
"""Relevance by query, then by document."""


class CollectionDocument(Struct, frozen=True):
    """A document of a collection."""

    id: str
    text: str = ""
    title: str = ""
    path: str = ""
    links: tuple[str, ...] = ()


class CollectionQuery(Struct, frozen=True):
    """A query of a collection."""

    id: str
    text: str
    scope: str = ""


class CollectionFeedback(Struct, frozen=True):
    """Feedback on the results of a query, given before the queries are run."""

    query: str
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


class Place(NamedTuple):
    """Lines of a document."""

    document: str
    start: int
    end: int

    @property
    def id(self) -> str:
        """The id in the form `path#L10-L24`."""
        return f"{self.document}#L{self.start}-L{self.end}"


class Collection(Struct, frozen=True):
    """Documents, queries and judgements."""

    name: str
    documents: tuple[CollectionDocument, ...]
    queries: tuple[CollectionQuery, ...]
    """Those with at least one relevant document."""
    qrels: Qrels
    places: Mapping[str, Place] = {}
    """The lines of each judged place, where judgements name places and not documents."""
    files: str = ""
    """The folder whose files are the documents; empty if they are listed."""
    feedback: tuple[CollectionFeedback, ...] = ()
    level: str = ""
    """`section`, `file`, or empty: by section for queries with relevant places, by file for the others."""


def load_collection(folder: Path, split: str = "") -> Collection:
    """Load a collection, with `split` to choose one of several files of judgements.

    Raises:
        CollectionError: a file is missing or has a wrong format.
    """
    qrels = read_qrels(_judgement_file(folder, split))
    queries = tuple(
        query for query in _read_rows(folder / QUERIES, CollectionQuery) if _has_relevant(qrels.get(query.id, {}))
    )
    files = folder / FILES if (folder / FILES).is_dir() and not (folder / CORPUS).exists() else None
    documents = () if files else tuple(_read_rows(folder / CORPUS, CollectionDocument))
    if not queries or not (documents or files):
        raise CollectionError(
            f"{folder.name} has no query with a relevant document.", f"Check its {QUERIES} and {QRELS}."
        )
    has_feedback = (folder / FEEDBACK).exists()
    feedback = tuple(_read_rows(folder / FEEDBACK, CollectionFeedback)) if has_feedback else ()
    return Collection(
        folder.resolve().name, documents, queries, qrels, files=str(files.resolve()) if files else "", feedback=feedback
    )


def sample_queries(collection: Collection, most: int) -> Collection:
    """Keep at most `most` queries, in their order, or all for 0.

    The sample is always the same, and a larger one contains the smaller ones.
    """
    if not 0 < most < len(collection.queries):
        return collection
    sample = set(shuffle_queries(collection)[:most])
    return replace(collection, queries=tuple(query for query in collection.queries if query in sample))


def misspell_queries(collection: Collection) -> Collection:
    """Swap two letters inside the longest word of every query, always the same letters."""
    queries = tuple(replace(query, text=_add_typo(query.text)) for query in collection.queries)
    return replace(collection, name=f"{collection.name}, misspelt", queries=queries)


def _add_typo(text: str) -> str:
    """Swap two adjacent letters inside the longest word, chosen by a hash of the word.

    >>> _add_typo("how are ranked lists fused"), _add_typo("a b")
    ('how are rakned lists fused', 'a b')
    """
    longest = max(_LONG_WORD.finditer(text), key=lambda word: len(word[0]), default=None)
    if longest is None:
        return text
    inner_letters = len(longest[0]) - 2
    swap = longest.start() + 1 + blake2b(longest[0].encode(), digest_size=1).digest()[0] % (inner_letters - 1)
    return f"{text[:swap]}{text[swap + 1]}{text[swap]}{text[swap + 2 :]}"


def shuffle_queries(collection: Collection) -> list[CollectionQuery]:
    """Order the queries of a collection randomly but reproducibly, by a hash of their ids."""
    return sorted(collection.queries, key=lambda query: blake2b(query.id.encode(), digest_size=8).digest())


def load_judgements(path: Path) -> Collection:
    """Load judgements alone as a collection, to measure runs of other programs."""
    qrels = read_qrels(path)
    queries = tuple(CollectionQuery(query, "") for query, judgements in qrels.items() if _has_relevant(judgements))
    if not queries:
        raise CollectionError(f"{path.name} has no query with a relevant document.")
    return Collection(path.stem, (), queries, qrels)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgements, in three columns separated by tabs or the four columns of TREC."""
    qrels: dict[str, dict[str, int]] = {}
    rows = [(number, line) for number, line in enumerate(_read_lines(path), start=1) if line.strip()]
    for number, line in rows:
        try:
            query, document, score = _split_columns(line)
            qrels.setdefault(query, {})[document] = int(float(score))
        except (ValueError, OverflowError) as error:
            if number == 1 and path.suffix == ".tsv":
                continue  # a header
            where = f"{path.parent.name}/{path.name}, line {number}"
            raise CollectionError(
                f"{where} is not query, document and score, separated by tabs.",
                "The four columns of TREC (query, 0, document, score) can be read, too.",
            ) from error
    return qrels


def _split_columns(line: str) -> tuple[str, str, str]:
    """Split a line at tabs, so that ids may contain spaces, else at spaces."""
    columns = line.split("\t") if "\t" in line else line.split()
    if len(columns) == 4:
        del columns[1]
    elif "\t" not in line:
        raise ValueError(line)
    query, document, score = columns
    return query, document, score


def _judgement_file(folder: Path, split: str) -> Path:
    """Find the file of judgements: the named split, else the usual one."""
    if split:
        return folder / _SPLITS / f"{split}.tsv"
    if (folder / QRELS).exists():
        return folder / QRELS
    splits = {path.stem: path for path in sorted((folder / _SPLITS).glob("*.tsv"))}
    for name in (*_USUAL_SPLITS, *splits):
        if name in splits:
            return splits[name]
    return folder / _TREC if (folder / _TREC).exists() else folder / QRELS


def _has_relevant(judgements: Mapping[str, int]) -> bool:
    return any(score > 0 for score in judgements.values())


_Row = TypeVar("_Row", CollectionDocument, CollectionQuery, CollectionFeedback)


def _read_rows(path: Path, kind: type[_Row]) -> Iterator[_Row]:
    for number, line in enumerate(_read_lines(path), start=1):
        if line.strip():
            try:
                row = msgspec.json.decode(line)
                yield msgspec.convert({"id": row["_id"], **row} if "_id" in row else row, kind)
            except (msgspec.MsgspecError, TypeError, RecursionError) as error:
                raise CollectionError(f"{path.parent.name}/{path.name}, line {number}: {error}.") from error


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise CollectionError(
            f"{path.parent.name}/{path.name} cannot be read: {error.strerror}.",
            f"A collection is a folder with {CORPUS} or {FILES}/, {QUERIES} and {QRELS} (or {_SPLITS}/*.tsv).",
        ) from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{path.parent.name}/{path.name} is not UTF-8: {error.reason}.") from error
