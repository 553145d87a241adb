"""Test collections made of a project: queries, and an index without their texts."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from waymeet.analysis import file_name_key, list_terms, normalise_text, title_key
from waymeet.analysis.keys import symbol_key
from waymeet.errors import CollectionError, NotFoundError
from waymeet.evaluate.collection import Collection, CollectionQuery
from waymeet.evaluate.mining.commits import find_commit_labels
from waymeet.evaluate.mining.labels import DOCSTRINGS, HEADINGS, KINDS, LINKS, Label, choose_labels, find_labels
from waymeet.evaluate.mining.read_project import build_entries, index_folder, read_indexed_text
from waymeet.evaluate.mining.withhold import is_withheld, withhold_labels
from waymeet.ports import Progress, Store
from waymeet.settings import Bm25, Settings
from waymeet.types import Chunk, Filters, Word

_MAX_SAME_TEXT = 20
"""Sections with a label's text to look at; one of them elsewhere makes the label ambiguous."""
_MIN_LABELS = 5
"""Labels of a kind below which their mean says nothing."""


class MinedCollection(Struct, frozen=True):
    """The collections mined from a project."""

    collections: tuple[Collection, ...]
    """One for each kind of labels of which there are enough."""
    remarks: tuple[str, ...]
    """Limits of the collections that a reader of the results has to know."""


def mine_collection(
    root: Path, store: Store, settings: Settings, most: int, progress: Progress | None = None
) -> MinedCollection:
    """Index a project in an empty store without the texts of labels that serve as queries.

    Raises:
        CollectionError: there are too few labels.
    """
    index_folder(root, store, settings, progress)
    commit_labels, no_commits_reason = find_commit_labels(root, store.fingerprints(), settings.staleness.git_seconds)
    labels = choose_labels([*find_labels(store), *commit_labels], most, lambda label: is_unambiguous(label, store))
    labels = _withhold_from_store(root, store, settings, labels)
    store.optimize()
    by_kind = {kind: [label for label in labels if label.kind == kind] for kind in KINDS}
    remarks = [f"commits: {no_commits_reason}"] if no_commits_reason else []
    remarks += [
        f"{kind}: only {len(found)} found, too few to measure"
        for kind, found in by_kind.items()
        if 0 < len(found) < _MIN_LABELS
    ]
    remarks += [
        f"{kind}: none found"
        for kind, found in by_kind.items()
        if not found and not (no_commits_reason and kind == "commits")
    ]
    collections = tuple(_make_collection(kind, found) for kind, found in by_kind.items() if len(found) >= _MIN_LABELS)
    if not collections:
        raise CollectionError(
            f"{root.name} has too few links, headings, docstrings and commits for test queries: {'; '.join(remarks)}.",
            "Measure on a collection instead: waymeet eval COLLECTION",
        )
    return MinedCollection(collections, tuple(remarks))


def is_unambiguous(label: Label, store: Store) -> bool:
    """Check whether a label's text as a query can mean only the label's own place."""
    if label.kind in {HEADINGS, LINKS} and _names_something_else(label, store):
        return False
    return label.kind not in {HEADINGS, DOCSTRINGS} or not _occurs_elsewhere(label, store)


def _names_something_else(label: Label, store: Store) -> bool:
    """Check whether the text is exactly the name of another document or of a symbol."""
    names = filter(None, (title_key(label.text), file_name_key(label.text), symbol_key(label.text.strip("`()"))))
    return any(
        document not in label.relevant
        for documents in store.documents_by_key(set(names)).values()
        for document in documents
    )


def _occurs_elsewhere(label: Label, store: Store) -> bool:
    """Check whether another section contains the same text and so would be relevant, too."""
    words = [Word((term,), 1.0, term) for term in dict.fromkeys(list_terms(label.text))]
    phrase = Filters(phrases=(normalise_text(label.text),))
    hits = store.rank_lexical(words, _MAX_SAME_TEXT, phrase, Bm25())
    if any(hit.document not in label.relevant for hit in hits):
        return True
    return not all(_belongs_to(chunk, label) for chunk in store.chunks([hit.chunk for hit in hits]).values())


def _belongs_to(chunk: Chunk, label: Label) -> bool:
    """Check whether a section overlaps the label's place or is below its heading."""
    place = label.place
    overlaps = place is not None and chunk.start <= place.end and chunk.end >= place.start
    return overlaps or normalise_text(label.text) in map(normalise_text, chunk.headings)


def _withhold_from_store(root: Path, store: Store, settings: Settings, labels: list[Label]) -> list[Label]:
    """Remove the texts of labels from the index, and return the labels that are removed."""

    def read_text(document: str) -> str | None:
        try:
            return read_indexed_text(root, document, settings)
        except (NotFoundError, OSError):
            return None  # removed since it was indexed

    texts: dict[str, str] = {}
    labels_of: dict[str, list[Label]] = {}
    for document, text, removed in withhold_labels(labels, read_text):
        texts[document], labels_of[document] = text, removed
    withheld: dict[tuple[str, str], bool] = {}
    for built in build_entries(texts, settings):
        document = built.entry.document.id
        store.put([built.entry])
        for label in labels_of[document]:
            withheld[label.id, document] = is_withheld(label, built.entry)
    return [label for label in labels if all(withheld.get((label.id, source.document)) for source in label.sources)]


def _make_collection(kind: str, labels: Iterable[Label]) -> Collection:
    by_id = {label.id: label for label in labels}
    return Collection(
        name=kind,
        documents=(),
        queries=tuple(CollectionQuery(id_, label.query) for id_, label in by_id.items()),
        qrels={
            id_: {label.place.id: 1} if label.place else dict.fromkeys(label.relevant, 1)
            for id_, label in by_id.items()
        },
        places={label.place.id: label.place for label in by_id.values() if label.place},
    )
