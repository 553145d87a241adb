"""Test collections: a folder with documents, queries, and judgements of which documents answer which query.

`corpus.jsonl` has `{id, title, text, [path], [links]}`, where links are ids of other documents; `queries.jsonl` has
`{id, text, [scope]}`, where a scope restricts the answer to documents whose id begins with it. In place of
`corpus.jsonl` there may be a folder `corpus/` with files as they are (see `files`). `feedback.jsonl`, if there is one,
has `{query, [right], [wrong]}` with ids: what somebody said before the queries are asked. Judgements are
`qrels.tsv` (query, document and score, parted by tabs, below a header), or `qrels/test.tsv` and its like, or
`qrels.txt` as TREC writes them (see `trec`). Folders of BEIR, which say `_id`, are such collections.
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
_LETTERS = pattern(r"[A-Za-z]{5,}")
"""Words in which people make slips."""

Qrels = Mapping[str, Mapping[str, int]]
"""By query, then by document: how well it answers."""


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


class Told(Struct, frozen=True):
    """What somebody said about the answers to a question."""

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
        """Cite it."""
        return f"{self.document}#L{self.start}-L{self.end}"


class Collection(Struct, frozen=True):
    """Documents, queries and judgements."""

    name: str
    documents: tuple[CollectionDocument, ...]
    queries: tuple[CollectionQuery, ...]
    """Those that at least one document answers."""
    qrels: Qrels
    places: Mapping[str, Place] = {}
    """By what is judged: the lines that are meant, where a whole document would be too much."""
    files: str = ""
    """The folder whose files are the documents; empty if they are listed."""
    feedback: tuple[Told, ...] = ()


def load_collection(folder: Path, split: str = "") -> Collection:
    """Read a collection; `split` names one of several files of judgements.

    Raises:
        CollectionError: a file is missing or not as it should be.
    """
    qrels = read_qrels(_judgements(folder, split))
    queries = tuple(each for each in _lines(folder / QUERIES, CollectionQuery) if _is_answered(qrels.get(each.id, {})))
    files = folder / FILES if (folder / FILES).is_dir() and not (folder / CORPUS).exists() else None
    documents = () if files else tuple(_lines(folder / CORPUS, CollectionDocument))
    if not queries or not (documents or files):
        raise CollectionError(f"{folder.name} has no query with an answer.", f"Look at its {QUERIES} and {QRELS}.")
    told = tuple(_lines(folder / FEEDBACK, Told)) if (folder / FEEDBACK).exists() else ()
    return Collection(
        folder.resolve().name, documents, queries, qrels, files=str(files.resolve()) if files else "", feedback=told
    )


def sample_queries(collection: Collection, most: int) -> Collection:
    """Leave at most so many queries, in their order; always the same, and more of them hold the fewer."""
    if not 0 < most < len(collection.queries):
        return collection
    kept = set(shuffled(collection)[:most])
    return replace(collection, queries=tuple(each for each in collection.queries if each in kept))


def misspell_queries(collection: Collection) -> Collection:
    """Swap two letters inside the longest word of every query, always the same ones."""
    queries = tuple(replace(each, text=_with_slip(each.text)) for each in collection.queries)
    return replace(collection, name=f"{collection.name}, misspelt", queries=queries)


def _with_slip(text: str) -> str:
    """Make one slip of the fingers.

    >>> _with_slip("how are ranked lists fused"), _with_slip("a b")
    ('how are rakned lists fused', 'a b')
    """
    found = max(_LETTERS.finditer(text), key=lambda word: len(word[0]), default=None)
    if found is None:
        return text
    inside = len(found[0]) - 2
    at = found.start() + 1 + blake2b(found[0].encode(), digest_size=1).digest()[0] % (inside - 1)
    return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"


def shuffled(collection: Collection) -> list[CollectionQuery]:
    """Put the queries of a collection into an order that means nothing and is always the same."""
    return sorted(collection.queries, key=lambda query: blake2b(query.id.encode(), digest_size=8).digest())


def load_judgements(path: Path) -> Collection:
    """Make a collection of nothing but judgements, to measure runs of others; its queries have no text."""
    qrels = read_qrels(path)
    queries = tuple(CollectionQuery(query, "") for query, judged in qrels.items() if _is_answered(judged))
    if not queries:
        raise CollectionError(f"{path.name} has no query with an answer.")
    return Collection(path.stem, (), queries, qrels)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgements: three columns parted by tabs below a header, or four as TREC has them."""
    found: dict[str, dict[str, int]] = {}
    rows = [(number, line) for number, line in enumerate(_read(path), start=1) if line.strip()]
    for number, line in rows:
        try:
            query, document, score = _columns(line)
            found.setdefault(query, {})[document] = int(float(score))
        except (ValueError, OverflowError) as error:
            if number == 1 and path.suffix == ".tsv":
                continue  # a header
            where = f"{path.parent.name}/{path.name}, line {number}"
            raise CollectionError(
                f"{where} is not query, document and score, parted by tabs.",
                "TREC's four columns (query, 0, document, score) will do, too.",
            ) from error
    return found


def _columns(line: str) -> tuple[str, str, str]:
    """Take a line apart: ids may hold spaces only where tabs part them."""
    columns = line.split("\t") if "\t" in line else line.split()
    if len(columns) == 4:
        del columns[1]
    elif "\t" not in line:
        raise ValueError(line)
    query, document, score = columns
    return query, document, score


def _judgements(folder: Path, split: str) -> Path:
    """Find the file of judgements; where several are, the named one, else the one that is usual."""
    if split:
        return folder / _SPLITS / f"{split}.tsv"
    if (folder / QRELS).exists():
        return folder / QRELS
    there = {path.stem: path for path in sorted((folder / _SPLITS).glob("*.tsv"))}
    for name in (*_USUAL_SPLITS, *there):
        if name in there:
            return there[name]
    return folder / _TREC if (folder / _TREC).exists() else folder / QRELS


def _is_answered(judged: Mapping[str, int]) -> bool:
    return any(score > 0 for score in judged.values())


_Kind = TypeVar("_Kind", CollectionDocument, CollectionQuery, Told)


def _lines(path: Path, kind: type[_Kind]) -> Iterator[_Kind]:
    for number, line in enumerate(_read(path), start=1):
        if line.strip():
            try:
                row = msgspec.json.decode(line)
                yield msgspec.convert({"id": row["_id"], **row} if "_id" in row else row, kind)
            except (msgspec.MsgspecError, TypeError, RecursionError) as error:
                raise CollectionError(f"{path.parent.name}/{path.name}, line {number}: {error}.") from error


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise CollectionError(
            f"{path.parent.name}/{path.name} cannot be read: {error.strerror}.",
            f"A collection is a folder with {CORPUS} or {FILES}/, {QUERIES} and {QRELS} (or {_SPLITS}/*.tsv).",
        ) from error
    except UnicodeDecodeError as error:
        raise CollectionError(f"{path.parent.name}/{path.name} is not UTF-8: {error.reason}.") from error
