"""Shared part of the retrievers: search results as passages with metadata."""

from typing import Any

from msgspec import Struct

from waymeet.errors import UsageError
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.project import Project
from waymeet.project.query_options import QueryOptions
from waymeet.types import Answer, Hit

MODEL_METADATA = ("title", "source", "headings")
"""Metadata that help a language model to read a passage; the other keys are for programs."""


class Passage(Struct, frozen=True):
    """A section of a search result."""

    id: str
    """Citable: `path#L10-L24`."""
    text: str
    score: float
    metadata: dict[str, Any]


def find_passages(project: Project, text: str, options: QueryOptions) -> list[Passage]:
    """Search, and give the hits of `Project.search` with the masked texts of their sections."""
    if not options.get("limit", 1):  # 0 stands for the limit of the project's settings
        options = {**options, "limit": project.settings.shape.limit}
    answer = project.search(text, **options)
    texts = project.texts([hit.id for hit in answer.hits])
    passages = [
        Passage(hit.id, texts.get(hit.id) or _join_snippets(hit), hit.score, _metadata(hit, answer))
        for hit in answer.hits
    ]
    return mask_outgoing(passages, enabled=project.settings.ingest.mask_secrets)


def _join_snippets(hit: Hit) -> str:
    """Join the snippets, for a section whose file has changed since the search."""
    return "\n".join(section.snippet for section in hit.sections)


def _metadata(hit: Hit, answer: Answer) -> dict[str, Any]:
    return {
        "id": hit.id,
        "source": hit.document,
        "title": hit.title,
        "headings": " › ".join(hit.sections[0].headings),
        "kind": hit.kind,
        "doc_type": hit.doc_type,
        "start": hit.start,
        "end": hit.end,
        "score": hit.score,
        "relevance": hit.relevance,
        "reason": hit.relevance_reason,
        "staleness": hit.staleness,
        "recipe": answer.recipe,
        "low_relevance": answer.low_relevance,
        "degraded": [each.code for each in answer.degraded],
    }


def missing_library(library: str, extra: str) -> UsageError:
    """Make the error for a library that is not installed."""
    return UsageError(f"{library} is not installed.", f"Install it: pip install 'waymeet[{extra}]'")
