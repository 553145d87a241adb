"""A project as a test collection: an index that lacks what is asked, and the questions."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from waymeet.analysis import file_name_key, list_terms, normalise_text, title_key
from waymeet.analysis.keys import symbol_key
from waymeet.errors import CollectionError, NotFoundError
from waymeet.evaluate.collection import Collection, CollectionQuery
from waymeet.evaluate.mining.commits import from_commits
from waymeet.evaluate.mining.labels import DOCSTRINGS, HEADINGS, KINDS, LINKS, Label, chosen, from_store
from waymeet.evaluate.mining.read_project import made_of, read_in, text_of
from waymeet.evaluate.mining.withhold import is_withheld, without
from waymeet.ports import Progress, Store
from waymeet.settings import Bm25, Settings
from waymeet.types import Chunk, Filters, Word

_LOOKED_AT = 20
"""Sections that say a label's text, of which one elsewhere is enough."""


def means_one_place(label: Label, store: Store) -> bool:
    """Tell whether whoever types a label's text can mean only what it stands at."""
    if label.kind in {HEADINGS, LINKS} and _names_another(label, store):
        return False
    return label.kind not in {HEADINGS, DOCSTRINGS} or not _is_said_elsewhere(label, store)


def _names_another(label: Label, store: Store) -> bool:
    """Tell whether the text is just the name of something else: another document, or a symbol."""
    names = filter(None, (title_key(label.text), file_name_key(label.text), symbol_key(label.text.strip("`()"))))
    return any(
        document not in label.right for found in store.documents_by_key(set(names)).values() for document in found
    )


def _is_said_elsewhere(label: Label, store: Store) -> bool:
    """Tell whether another section says just the same, and so would answer as well."""
    words = [Word((term,), 1.0, term) for term in dict.fromkeys(list_terms(label.text))]
    found = store.rank_lexical(words, _LOOKED_AT, Filters(phrases=(normalise_text(label.text),)), Bm25())
    if any(each.document not in label.right for each in found):
        return True
    return not all(_is_own(chunk, label) for chunk in store.chunks([each.chunk for each in found]).values())


def _is_own(chunk: Chunk, label: Label) -> bool:
    """Tell whether a section of the same document belongs to what the label stands at, or lies below its heading."""
    place = label.place
    within = place is not None and chunk.start <= place.end and chunk.end >= place.start
    return within or normalise_text(label.text) in map(normalise_text, chunk.headings)


_FEWEST = 5
"""Labels of a kind below which they tell nothing."""


class MinedCollection(Struct, frozen=True):
    """What a project was found to say of its own parts."""

    collections: tuple[Collection, ...]
    """One for each kind of labels of which there are enough."""
    remarks: tuple[str, ...]
    """What a reader of the figures must know."""


def mine_collection(
    root: Path, store: Store, settings: Settings, most: int, progress: Progress | None = None
) -> MinedCollection:
    """Read a project into an empty store, find labels in it, and withhold their texts from the store.

    Raises:
        CollectionError: there is too little to ask.
    """
    read_in(root, store, settings, progress)
    by_git, why = from_commits(root, store.fingerprints(), settings.staleness.git_seconds)
    labels = chosen([*from_store(store), *by_git], most, lambda label: means_one_place(label, store))
    kept = _withheld(root, store, settings, labels)
    store.optimize()
    parts = {kind: [each for each in kept if each.kind == kind] for kind in KINDS}
    remarks = [f"commits: {why}"] if why else []
    remarks += [
        f"{kind}: only {len(found)} found, which tells nothing"
        for kind, found in parts.items()
        if 0 < len(found) < _FEWEST
    ]
    remarks += [f"{kind}: none found" for kind, found in parts.items() if not found and not (why and kind == "commits")]
    collections = tuple(_collection(kind, found) for kind, found in parts.items() if len(found) >= _FEWEST)
    if not collections:
        raise CollectionError(
            f"{root.name} says too little of its own parts to be asked about: {'; '.join(remarks)}.",
            "Measure on a collection instead: waymeet eval COLLECTION",
        )
    return MinedCollection(collections, tuple(remarks))


def _withheld(root: Path, store: Store, settings: Settings, labels: list[Label]) -> list[Label]:
    """Take the texts of labels out of the index, and give the labels of which that is sure."""

    def text(document: str) -> str | None:
        try:
            return text_of(root, document, settings)
        except (NotFoundError, OSError):
            return None  # gone since it was read

    texts: dict[str, str] = {}
    taken: dict[str, list[Label]] = {}
    for document, less, done in without(labels, text):
        texts[document], taken[document] = less, done
    sure: dict[tuple[str, str], bool] = {}
    for made in made_of(texts, settings):
        document = made.entry.document.id
        store.put([made.entry])
        for label in taken[document]:
            sure[label.id, document] = is_withheld(label, made.entry)
    return [each for each in labels if all(sure.get((each.id, source.document)) for source in each.sources)]


def _collection(kind: str, labels: Iterable[Label]) -> Collection:
    found = {label.id: label for label in labels}
    return Collection(
        name=kind,
        documents=(),
        queries=tuple(CollectionQuery(id_, label.question) for id_, label in found.items()),
        qrels={
            id_: {label.place.id: 1} if label.place else dict.fromkeys(label.right, 1) for id_, label in found.items()
        },
        places={label.place.id: label.place for label in found.values() if label.place},
    )
