"""The half-life of a document's recency: from its front matter, else by its type of memory."""

from collections.abc import Mapping
from math import isfinite

from msgspec import Struct

from waymeet.types import Document

HALF_LIVES: Mapping[str, float | None] = {
    "working": 1.0,
    "episodic": 7.0,
    "prospective": 14.0,
    "implicit": 30.0,
    "declarative": 60.0,
    "procedural": 90.0,
    "semantic": 180.0,
    "autobiographical": 365.0,
    "meta-cognitive": None,
}
"""Half-life of recency in days, by type of memory. None never decays."""
MAX_DAYS = 36_500.0
"""Maximum half-life that front matter may set: 100 years."""
_BY_TIER = {"constitutional": "meta-cognitive", "temporary": "working"}
_BY_DOC_TYPE = {
    "scratch": "working",
    "meeting": "episodic",
    "handover": "episodic",
    "memory": "episodic",
    "plan": "prospective",
    "tasks": "prospective",
    "todo": "prospective",
    "checklist": "procedural",
    "guide": "procedural",
    "spec": "semantic",
    "design": "semantic",
    "api": "semantic",
    "db-schema": "semantic",
    "decision_record": "autobiographical",
    "implementation_summary": "autobiographical",
    "constitutional": "meta-cognitive",
}
_BY_KIND = {"tasks": "prospective", "skills": "procedural", "notes": "declarative", "code": "semantic"}


class HalfLife(Struct, frozen=True):
    """The half-life of a document's recency."""

    memory_type: str
    days: float | None
    """None if the recency never decays."""
    problem: str = ""
    """Why `half_life_days` of the front matter is not used, if so."""


def memory_type(document: Document) -> str:
    """Return the type of memory from front matter, else by tier, type of document or kind.

    >>> memory_type(Document("a.md", "docs", "A", "plan")), memory_type(Document("b.md", "notes", "B"))
    ('prospective', 'declarative')
    >>> memory_type(Document("c.md", "docs", "C", properties={"memory_type": "Working"}))
    'working'
    """
    declared = document.properties.get("memory_type", "").strip().lower().replace("_", "-")
    if declared in HALF_LIVES:
        return declared
    tier = document.properties.get("tier", "")
    return _BY_TIER.get(tier) or _BY_DOC_TYPE.get(document.doc_type) or _BY_KIND.get(document.kind) or "declarative"


def half_life_of(document: Document) -> HalfLife:
    """Return the half-life of the front matter (`half_life_days`), else by type of memory.

    >>> half_life_of(Document("a.md", "notes", "A", properties={"half_life_days": "30"})).days
    30.0
    >>> half_life_of(Document("a.md", "notes", "A", properties={"half_life_days": "-1"}))
    HalfLife(memory_type='declarative', days=60.0, problem="half_life_days: '-1' is not a positive number of days")
    """
    kind = memory_type(document)
    written = document.properties.get("half_life_days", "").strip()
    if not written:
        return HalfLife(kind, HALF_LIVES[kind])
    days = parse_days(written)
    if days is None:
        problem = f"half_life_days: {written[:40]!r} is not a positive number of days"
        return HalfLife(kind, HALF_LIVES[kind], problem)
    return HalfLife(kind, days)


def parse_days(text: str) -> float | None:
    """Parse a positive number of days, or return None.

    >>> parse_days("0.5"), parse_days("0"), parse_days("nan"), parse_days("1e9"), parse_days("a month")
    (0.5, None, None, None, None)
    """
    try:
        days = float(text)
    except ValueError:
        return None
    return days if isfinite(days) and 0.0 < days <= MAX_DAYS else None
