"""Every number there is to set, and how files, variables and flags change it."""

from waymeet.settings.layers import Layer, layer, origin, resolve
from waymeet.settings.models import Embedding, Expand, Rerank
from waymeet.settings.query import Corrected, OwnRecipe, Understand
from waymeet.settings.recipes import Auto, Classic, Deep, Memory, Neighbours, Threeway
from waymeet.settings.serve import Serve
from waymeet.settings.sources import PROJECT_FILE, layers, user_file
from waymeet.settings.values import (
    PRIVATE,
    Aggregate,
    Authored,
    Bm25,
    Chunking,
    FieldNorms,
    FieldWeights,
    Graph,
    Ingest,
    Mcp,
    Pool,
    Rrf,
    Settings,
    Shape,
    Staleness,
    Terminal,
    Watch,
)

__all__ = [
    "PRIVATE",
    "PROJECT_FILE",
    "Aggregate",
    "Authored",
    "Auto",
    "Bm25",
    "Chunking",
    "Classic",
    "Corrected",
    "Deep",
    "Embedding",
    "Expand",
    "FieldNorms",
    "FieldWeights",
    "Graph",
    "Ingest",
    "Layer",
    "Mcp",
    "Memory",
    "Neighbours",
    "OwnRecipe",
    "Pool",
    "Rerank",
    "Rrf",
    "Serve",
    "Settings",
    "Shape",
    "Staleness",
    "Terminal",
    "Threeway",
    "Understand",
    "Watch",
    "layer",
    "layers",
    "origin",
    "resolve",
    "user_file",
]
