"""Settings: their defaults, and the files, variables and flags that override them."""

from waymeet.settings.layers import Layer, find_origin, make_layer, resolve
from waymeet.settings.models import Embedding, Expand, Rerank
from waymeet.settings.query import CustomRecipe, Feedback, Understand
from waymeet.settings.recipes import Auto, Classic, Deep, Memory, Neighbours, Threeway
from waymeet.settings.serve import Serve
from waymeet.settings.sources import PROJECT_FILE, read_layers, user_settings_file
from waymeet.settings.values import (
    PRIVATE,
    Aggregate,
    Bm25,
    Chunking,
    FieldNorms,
    FieldWeights,
    Graph,
    Ingest,
    Mcp,
    NotebookSettings,
    Pool,
    Relevance,
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
    "Auto",
    "Bm25",
    "Chunking",
    "Classic",
    "CustomRecipe",
    "Deep",
    "Embedding",
    "Expand",
    "Feedback",
    "FieldNorms",
    "FieldWeights",
    "Graph",
    "Ingest",
    "Layer",
    "Mcp",
    "Memory",
    "Neighbours",
    "NotebookSettings",
    "Pool",
    "Relevance",
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
    "find_origin",
    "make_layer",
    "read_layers",
    "resolve",
    "user_settings_file",
]
