"""Settings: their defaults, and the files, variables and flags that override them."""

from waymeet.settings.bm25 import Bm25, FieldNorms, FieldWeights
from waymeet.settings.ingest import Chunking, Ingest, Watch
from waymeet.settings.interfaces import Mcp, Terminal
from waymeet.settings.layers import Layer, find_origin, make_layer, resolve
from waymeet.settings.models import Embedding, Expand, Rerank
from waymeet.settings.notebook import NotebookSettings, Staleness
from waymeet.settings.query import Feedback, Understand
from waymeet.settings.recipes import (
    RELATIONS,
    Auto,
    Classic,
    CustomRecipe,
    Deep,
    Memory,
    Neighbours,
    RoleFactors,
    Threeway,
)
from waymeet.settings.results import Copies, Relevance, Shape
from waymeet.settings.retrieval import Aggregate, Graph, Pool, Rrf, StudentVectors
from waymeet.settings.serve import Serve
from waymeet.settings.settings import PROJECT_SETTINGS, Settings, is_project_setting
from waymeet.settings.sources import PROJECT_FILE, read_layers, user_settings_file

__all__ = [
    "PROJECT_FILE",
    "PROJECT_SETTINGS",
    "RELATIONS",
    "Aggregate",
    "Auto",
    "Bm25",
    "Chunking",
    "Classic",
    "Copies",
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
    "RoleFactors",
    "Rrf",
    "Serve",
    "Settings",
    "Shape",
    "Staleness",
    "StudentVectors",
    "Terminal",
    "Threeway",
    "Understand",
    "Watch",
    "find_origin",
    "is_project_setting",
    "make_layer",
    "read_layers",
    "resolve",
    "user_settings_file",
]
