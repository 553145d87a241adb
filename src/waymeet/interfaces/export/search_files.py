"""Build the files of the search: settings, documents, words, postings and sections."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from waymeet.analysis.cjk import CJK
from waymeet.analysis.doc_types import SYNONYMS
from waymeet.analysis.languages.codes import COUNTRY_CODES, LANGUAGE_CODES
from waymeet.analysis.terms import COMBINING_MARKS, STOP_WORDS
from waymeet.interfaces.export.addresses import PAGE_LINES
from waymeet.interfaces.export.encoding import pack_numbers, pack_shards, pack_words
from waymeet.interfaces.export.search_index import SearchIndex
from waymeet.interfaces.export.word_forms import ENDINGS, build_words
from waymeet.search.understand.inline_filters import KINDS
from waymeet.settings import Settings
from waymeet.types import Chunk, Document

VERSION = 1
"""Of the encoding; `static/index_files.js` has the same."""
_SHARD_BYTES = 32_000
"""About the size of a file that is loaded on demand."""
_DAY_NS = 86_400_000_000_000
_CODE_BLOCK = "code_block"


class SearchFiles(NamedTuple):
    """The folder of the search, and its files by their names in it."""

    folder: str
    files: Mapping[str, bytes]


class SearchDocument(NamedTuple):
    """A document as results show it."""

    document: Document
    sections: Sequence[Chunk]
    page: str
    """Address of its first page without `.html`; of a folder, that of the start page."""


def build_files(
    index: SearchIndex,
    documents: Sequence[SearchDocument],
    forms: Iterable[str],
    settings: Settings,
    expansions: Mapping[str, Mapping[str, str]],
) -> SearchFiles:
    """Build the files.

    The name of their folder depends on their content, so that no cache mixes two exports.
    """
    firsts, words = pack_words(build_words(set(forms), index.chunks), _SHARD_BYTES)
    shards = pack_shards(index.records, _SHARD_BYTES)
    starts, texts = _split_sections(documents)
    meta = {
        **describe_search(index, settings, expansions),
        "words": firsts,
        "postings": len(shards),
        "sections": starts,
    }
    files = {
        "meta.json": _json(meta),
        "documents.json": _json([_document_row(document) for document in documents]),
        "lengths.bin": _pack_lengths(index, documents),
        **{f"words-{number}.bin": block for number, block in enumerate(words)},
        **{f"postings-{number}.bin": shard for number, shard in enumerate(shards)},
        **{f"sections-{number}.json": block for number, block in enumerate(texts)},
    }
    digest = blake2b(digest_size=6)
    for name in sorted(files):
        digest.update(name.encode() + len(files[name]).to_bytes(8, "little") + files[name])
    return SearchFiles(f"search-{digest.hexdigest()}", files)


def describe_search(
    index: SearchIndex, settings: Settings, expansions: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Describe the numbers and rules by which the browser searches."""
    bm25, understand = settings.bm25, settings.understand
    levels = (("document", index.document_fields), ("section", index.section_fields))
    return {
        "version": VERSION,
        "chunks": len(index.section_lengths),
        "k1": bm25.k1,
        "fields": [
            {
                "name": field,
                "level": level,
                "weight": getattr(bm25.fields, field),
                "b": getattr(bm25.b, field),
                "average": index.averages.get(field, 0.0),
            }
            for level, fields in levels
            for field in fields
        ],
        "prefix_terms": bm25.prefix_terms,
        "query_words": settings.pool.query_words,
        "pool": [settings.pool.factor, settings.pool.least(len(index.section_lengths))],
        "limit": settings.shape.limit,
        "snippet_chars": settings.shape.snippet_chars,
        "page_lines": PAGE_LINES,
        "acronym_weight": understand.acronym if understand.expand_acronyms else 0.0,
        **expansions,
        "stop_words": sorted(STOP_WORDS),
        "endings": ENDINGS,
        "cjk": CJK,
        "marks": COMBINING_MARKS,
        "kinds": KINDS,
        "doc_types": SYNONYMS,
        "language_codes": LANGUAGE_CODES,
        "country_codes": COUNTRY_CODES,
    }


def _document_row(row: SearchDocument) -> list[Any]:
    """Give the properties of a document by which results are shown and filtered."""
    document = row.document
    day = document.changed_ns // _DAY_NS
    return [
        document.id,
        document.title,
        row.page,
        document.kind,
        document.doc_type,
        document.language,
        document.namespace,
        day,
        document.tags,
        dict(document.properties),
    ]


def _pack_lengths(index: SearchIndex, documents: Sequence[SearchDocument]) -> bytes:
    """Encode the lengths of each document's fields, and the lines and lengths of its sections."""
    packed, number = bytearray(), 0
    for lengths, row in zip(index.document_lengths, documents, strict=True):
        packed += pack_numbers((*lengths, len(row.sections)))
        for section in row.sections:
            packed += pack_numbers((section.start, section.end - section.start, *index.section_lengths[number]))
            number += 1
    return bytes(packed)


def _split_sections(documents: Sequence[SearchDocument]) -> tuple[list[int], list[bytes]]:
    """Encode the texts of sections as the number of the first of each block, and the blocks."""
    starts: list[int] = []
    blocks: list[bytes] = []
    rows: list[bytes] = []
    size = 0
    for number, encoded in enumerate(_encode_sections(documents)):
        if not rows:
            starts.append(number)
        rows.append(encoded)
        size += len(encoded)
        if size >= _SHARD_BYTES:
            blocks.append(b"[" + b",\n".join(rows) + b"]")
            rows, size = [], 0
    if rows:
        blocks.append(b"[" + b",\n".join(rows) + b"]")
    return starts, blocks


def _encode_sections(documents: Sequence[SearchDocument]) -> Iterator[bytes]:
    for row in documents:
        for section in row.sections:
            symbols = [symbol.name for symbol in section.symbols]
            if section.symbols and section.symbols[0].kind == _CODE_BLOCK:
                symbols = []  # blocks of code are never shown instead of headings
            yield _json([section.text, section.headings, *([symbols] if symbols else [])])


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
