"""Small collections for tests: pages given as sections and links, with or without vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from waymeet.analysis import count_terms, normalise_text
from waymeet.analysis.keys import trigger_key
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Chunk, Document, IndexEntry, Link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from waymeet.ports import Vector


class Page(Struct, frozen=True):
    """A document for a test."""

    sections: tuple[str, ...]
    title: str = ""
    links: tuple[str, ...] = ()
    """Paths it links to; `path|kind` gives the link a kind."""
    doc_type: str = "other"
    tags: tuple[str, ...] = ()
    kind: str = "docs"
    properties: dict[str, str] = {}
    modified_ns: int = 0
    triggers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Further keys it is known by."""


def chunk_id(path: str, ordinal: int) -> str:
    """Name a section of a test page: each is one line long."""
    return f"{path}#L{ordinal + 1}-L{ordinal + 1}"


def entry(path: str, page: Page) -> IndexEntry:
    """Turn a test page into what a store takes."""
    own = (f"p:{path}", f"n:{path.rpartition('/')[2]}", f"t:{normalise_text(page.title)}")
    names = (*own, *map(trigger_key, page.triggers), *page.names)
    document = Document(
        path,
        page.kind,
        page.title,
        page.doc_type,
        tags=page.tags,
        properties=page.properties,
        names=names,
        digest=str(hash(page.sections)),
        modified_ns=page.modified_ns,
        changed_ns=page.modified_ns,
    )
    chunks = tuple(
        Chunk(chunk_id(path, ordinal), path, ordinal, ordinal + 1, ordinal + 1, text)
        for ordinal, text in enumerate(page.sections)
    )
    links = tuple(
        Link((f"p:{target}",), kind or "references", text=target, terms=count_terms(page.title))
        for target, _, kind in (link.partition("|") for link in page.links)
    )
    terms = {"title": count_terms(page.title), "path": count_terms(path), "tags": count_terms(" ".join(page.tags))}
    return IndexEntry(document, chunks, terms, tuple({"body": count_terms(chunk.text)} for chunk in chunks), links)


def store_of(
    pages: Mapping[str, object], vectors: Mapping[str, Sequence[Sequence[float]]] | None = None
) -> MemoryStore:
    """Fill a memory store with pages (a text alone is a page of one section); vectors are one for each section."""
    store = MemoryStore()
    store.put([entry(path, page if isinstance(page, Page) else Page((str(page),))) for path, page in pages.items()])
    if vectors:
        store.put_vectors(
            FixedEmbedder.space,
            {
                chunk_id(path, ordinal): unit(vector)
                for path, each in vectors.items()
                for ordinal, vector in enumerate(each)
            },
        )
    return store


def unit(vector: Sequence[float]) -> Vector:
    """Scale a vector to length 1."""
    array = np.asarray(vector, dtype=np.float32)
    return array / np.float32(np.linalg.norm(array))


class FixedEmbedder:
    """Gives every question the same vector, so that a test can say how near everything is."""

    space = "fixed"

    def __init__(self, question: Sequence[float]) -> None:
        self.question = unit(question)
        self.dimension = len(question)

    def supports_language(self, language: str) -> bool:
        """Take every language."""
        del language
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Give every passage the question's vector."""
        return [self.question for _ in texts]

    def embed_query(self, text: str) -> Vector:
        """Give the one vector."""
        del text
        return self.question
