"""Every number there is to set, and how files, variables and flags change it."""

from waymeet.settings.layers import Layer, layer, origin, resolve
from waymeet.settings.sources import PROJECT_FILE, layers, user_file
from waymeet.settings.values import (
    PRIVATE,
    Aggregate,
    Auto,
    Bm25,
    Chunking,
    Classic,
    Embedding,
    FieldNorms,
    FieldWeights,
    Graph,
    Ingest,
    Pool,
    Rrf,
    Settings,
    Shape,
    Threeway,
)

__all__ = [
    "PRIVATE",
    "PROJECT_FILE",
    "Aggregate",
    "Auto",
    "Bm25",
    "Chunking",
    "Classic",
    "Embedding",
    "FieldNorms",
    "FieldWeights",
    "Graph",
    "Ingest",
    "Layer",
    "Pool",
    "Rrf",
    "Settings",
    "Shape",
    "Threeway",
    "layer",
    "layers",
    "origin",
    "resolve",
    "user_file",
]
