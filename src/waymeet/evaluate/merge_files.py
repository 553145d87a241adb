"""A collection of files as they are: read as a project's files are, and what judgements name looked up in them.

A judgement names a file by its path below the folder, or a place in it by `path#anchor` (a heading's or a symbol's) or
`path#L10-L24`.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from waymeet.errors import CollectionError, NotIndexedError
from waymeet.evaluate.collection import FEEDBACK, Collection, Judged, Place
from waymeet.evaluate.mining.read_project import read_in
from waymeet.ports import Progress, Store
from waymeet.search.feedback.votes import Corrections, Vote, cast
from waymeet.search.lookup.citation import locate, meant
from waymeet.search.lookup.did_you_mean import nothing_called
from waymeet.settings import Settings
from waymeet.types import Chunk


def fill_with_files(store: Store, collection: Collection, settings: Settings, progress: Progress | None = None) -> None:
    """Put the files of a collection into an empty store."""
    read_in(Path(collection.files), store, settings, progress)
    store.tidy()


def in_one_piece(store: Store) -> tuple[Judged, ...]:
    """Give what a store holds as documents that are not cut."""
    whole = store.documents(sorted(store.fingerprints()))
    texts = {id_: _joined(chunks) for id_, chunks in store.chunks_of(list(whole)).items()}
    return tuple(Judged(id_, texts.get(id_, ""), each.title, id_) for id_, each in whole.items())


def _joined(chunks: Sequence[Chunk]) -> str:
    """Put sections together again; lines keep their numbers, for judgements may name them."""
    text, at = "", 1
    for chunk in chunks:
        text += ("\n" * (chunk.start - at) or " " * bool(text)) + chunk.text
        at = max(at, chunk.start) + chunk.text.count("\n")
    return text


def looked_up(collection: Collection, store: Store) -> Collection:
    """Find in a store what the judgements of a collection of files name.

    Raises:
        CollectionError: a judgement names nothing that is there; says which.
    """
    judged = {each: query for query, found in collection.qrels.items() for each in found}
    whole = store.documents(list(judged))
    places = {}
    for each, query in judged.items():
        if each not in whole:
            try:
                places[each] = _place(store, each)
            except NotIndexedError as error:
                complaint = f"{collection.name} judges what is not there, for query {query!r}: {error.message}"
                raise CollectionError(complaint, error.hint) from error
    return replace(collection, documents=tuple(map(Judged, sorted(store.fingerprints()))), places=places)


def said(collection: Collection, store: Store) -> Corrections:
    """Give what people said before the queries are asked, as `waymeet feedback` would keep it.

    Raises:
        CollectionError: they spoke of something that is not there.
    """
    votes: tuple[Vote, ...] = ()
    for told in collection.feedback:
        query = " ".join(told.query.split())
        found = meant((*told.right, *told.wrong), store.documents)
        missing = next((each for each in (*told.right, *told.wrong) if each not in found), None)
        if missing is not None:
            lacking = nothing_called(store, missing)
            raise CollectionError(f"{collection.name}/{FEEDBACK}: {lacking.message}", lacking.hint)
        votes = cast(votes, _votes(query, (found[each] for each in told.right), right=True))
        votes = cast(votes, _votes(query, (found[each] for each in told.wrong), right=False))
    return Corrections(votes)


def _votes(query: str, documents: Iterable[str], *, right: bool) -> Iterable[Vote]:
    return (Vote(query, document, right) for document in documents)


def _place(store: Store, judged: str) -> Place:
    """Find the lines that a judgement names: all of a section, however it was cut, or those of a symbol."""
    path, _, anchor = judged.rpartition("#")
    chunks = store.chunks_of([path]).get(path, ())
    symbol = next((each for chunk in chunks for each in chunk.symbols if each.name == anchor), None)
    if symbol:
        return Place(path, symbol.start, symbol.end)
    parts = [chunk for chunk in chunks if anchor in chunk.anchors]
    if parts:
        return Place(path, min(each.start for each in parts), max(each.end for each in parts))
    place = locate(store, judged)
    if place.start > place.document.lines:
        raise NotIndexedError(f"{path} has {place.document.lines} lines.", "Name lines that are there.")
    return Place(place.document.id, place.start, place.end or place.document.lines)
