"""What the retrievers have in common: the sections that answer a question, as text with facts beside it."""

from typing import Any

from msgspec import Struct

from waymeet.errors import UsageError
from waymeet.project import Project
from waymeet.types import Answer, Filters, Hit, Query

SHOWN = ("title", "source", "headings")
"""Facts that help a language model to read a passage; the others are for programs."""


class Passage(Struct, frozen=True):
    """A section that answers."""

    id: str
    """Citable: `path#L10-L24`."""
    text: str
    score: float
    facts: dict[str, Any]


def passages(project: Project, question: str, limit: int, recipe: str, filters: Filters) -> list[Passage]:
    """Find the sections that answer a question, with their whole texts; exactly the hits of `Project.search`."""
    query = Query(question, limit=limit or project.settings.shape.limit, recipe=recipe, filters=filters)
    found = project.search(query)
    texts = project.texts([hit.id for hit in found.hits])
    return [Passage(hit.id, texts.get(hit.id) or _shown(hit), hit.score, _facts(hit, found)) for hit in found.hits]


def _shown(hit: Hit) -> str:
    """Give what the answer shows of a section that changed since."""
    return "\n".join(section.snippet for section in hit.sections)


def _facts(hit: Hit, answer: Answer) -> dict[str, Any]:
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


def missing(library: str, extra: str) -> UsageError:
    """Say that the library to adapt to is not installed."""
    return UsageError(f"{library} is not installed.", f"Install it: pip install 'waymeet[{extra}]'")
