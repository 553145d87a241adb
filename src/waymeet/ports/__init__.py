"""Ports: the interfaces through which ingestion and search use a store and models."""

from typing import TYPE_CHECKING

from waymeet.ports.models import (
    Embedder,
    Expander,
    Refit,
    Reranker,
    Student,
    Vocabulary,
    choose_embedder,
    multilingual_embedder,
)
from waymeet.ports.store import (
    Catalog,
    CorpusProfile,
    Counts,
    GraphReader,
    IndexSize,
    Neighbour,
    Progress,
    RepairedFile,
    Retriever,
    RunProgress,
    SizePart,
    Store,
    StoreWriter,
    TimedProgress,
    word_idfs,
)

if TYPE_CHECKING:
    from waymeet.ports.store import TermPostings as TermPostings
    from waymeet.ports.store import Vector as Vector  # needs numpy, which is imported only where there are vectors

__all__ = [
    "Catalog",
    "CorpusProfile",
    "Counts",
    "Embedder",
    "Expander",
    "GraphReader",
    "IndexSize",
    "Neighbour",
    "Progress",
    "Refit",
    "RepairedFile",
    "Reranker",
    "Retriever",
    "RunProgress",
    "SizePart",
    "Store",
    "StoreWriter",
    "Student",
    "TimedProgress",
    "Vocabulary",
    "choose_embedder",
    "multilingual_embedder",
    "word_idfs",
]
