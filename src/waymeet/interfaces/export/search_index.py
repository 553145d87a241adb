"""Collect the postings and statistics of an index for the search in the browser."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis import has_cjk
from waymeet.interfaces.export.encoding import Posting, pack_after, pack_number, pack_postings
from waymeet.ports import Progress, Store
from waymeet.settings import Bm25
from waymeet.stores.shared.bm25f import average_lengths, scored_fields
from waymeet.types import CHUNK_FIELDS, DOCUMENT_FIELDS, FIELDS

if TYPE_CHECKING:
    from waymeet.ports import TermPostings

_BATCH = 2000
"""Terms that are read at once."""


class Numbering(NamedTuple):
    """The numbers of documents and sections, in the order of documents and positions."""

    documents: Mapping[str, int]
    """By id."""
    sections: Mapping[str, tuple[int, int]]
    """The numbers of a section and of its document, by the id of the section."""
    hidden: Mapping[int, AbstractSet[str]]
    """Terms that a document, given by its number, must not reveal."""


class SearchIndex(NamedTuple):
    """The postings of all terms, encoded, with the lengths of fields."""

    records: Mapping[str, bytes]
    """Postings and word forms, by term."""
    chunks: Mapping[str, int]
    """Sections with each term in any field, by term. Pairs of characters are left out."""
    document_fields: tuple[str, ...]
    section_fields: tuple[str, ...]
    document_lengths: Sequence[Sequence[int]]
    section_lengths: Sequence[Sequence[int]]
    averages: Mapping[str, float]


def collect_index(
    store: Store,
    bm25: Bm25,
    numbering: Numbering,
    forms: Mapping[str, Sequence[str]],
    progress: Progress,
) -> SearchIndex:
    """Read the postings of all terms and encode them, with the words of each stem."""
    scored = scored_fields(bm25)
    of_documents = tuple(field for field in DOCUMENT_FIELDS if field in scored)
    of_sections = tuple(field for field in CHUNK_FIELDS if field in scored)
    fields = (of_documents, of_sections)
    document_lengths = [[0] * len(of_documents) for _ in numbering.documents]
    section_lengths = [[0] * len(of_sections) for _ in numbering.sections]
    lengths = (document_lengths, section_lengths)
    records, chunks = {}, {}
    for term, postings in _iterate_postings(store, progress):
        by_level = _number_postings(term, postings, fields, numbering, lengths)
        if not any(by_level):
            continue
        packed = (pack_postings(found, len(names)) for found, names in zip(by_level, fields, strict=True))
        records[term] = b"".join(packed) + _pack_forms(term, forms.get(term, ()))
        if not has_cjk(term):
            chunks[term] = len({chunk for by_chunk in postings.values() for chunk in by_chunk})
    averages = _average(fields, lengths)
    return SearchIndex(records, chunks, of_documents, of_sections, document_lengths, section_lengths, averages)


def _iterate_postings(store: Store, progress: Progress) -> Iterator[tuple[str, "TermPostings"]]:
    terms = sorted(store.terms_with_prefix("", store.counts().terms))
    for first in range(0, len(terms), _BATCH):
        progress(first, len(terms), "")
        batch = terms[first : first + _BATCH]
        yield from zip(batch, store.postings(batch, FIELDS), strict=True)


def _number_postings(
    term: str,
    postings: "TermPostings",
    fields: Sequence[Sequence[str]],
    numbering: Numbering,
    lengths: Sequence[Sequence[list[int]]],
) -> list[list[Posting]]:
    """Convert postings to numbers, first those of document fields, each once."""
    by_level = []
    for level, names in enumerate(fields):
        owners: dict[int, list[int]] = {}
        for position, field in enumerate(names):
            for chunk, (frequency, length) in postings.get(field, {}).items():
                section, document = numbering.sections[chunk]
                owner = section if level else document
                lengths[level][owner][position] = length
                if term not in numbering.hidden.get(document, ()):
                    owners.setdefault(owner, [0] * len(names))[position] = frequency
        by_level.append([Posting(owner, tuple(owners[owner])) for owner in sorted(owners)])
    return by_level


def _pack_forms(term: str, forms: Sequence[str]) -> bytes:
    """Encode the words of a stem."""
    return pack_number(len(forms)) + b"".join(pack_after(form, term) for form in forms)


def _average(fields: Sequence[Sequence[str]], lengths: Sequence[Sequence[Sequence[int]]]) -> dict[str, float]:
    totals = {
        field: (sum(column), sum(length > 0 for length in column))
        for names, rows in zip(fields, lengths, strict=True)
        for field, column in zip(names, zip(*rows, strict=True), strict=False)
    }
    return average_lengths(totals)
