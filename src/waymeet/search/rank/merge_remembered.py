"""What sort of memory a document is: how fast it fades, and who prefers it."""

from collections.abc import Mapping

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
"""Days after which half is forgotten, by type of memory; None never."""
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
_PREFERRED: Mapping[str, frozenset[str]] = {
    "add_feature": frozenset("pattern patterns example examples architecture design".split()),
    "fix_bug": frozenset("error errors bug bugs incident postmortem root-cause root_cause patch patches fix".split()),
    "refactor": frozenset("pattern patterns dependencies dependency design architecture".split()),
    "security_audit": frozenset("security vulnerability vulnerabilities audit audits threat-model".split()),
    "find_spec": frozenset("spec specs specification".split()),
    "find_decision": frozenset("decision_record adr decision decisions".split()),
}


def memory_type(document: Document) -> str:
    """Tell the type: what the front matter says, else by tier, by type of document, by kind of knowledge.

    >>> memory_type(Document("a.md", "docs", "A", "plan")), memory_type(Document("b.md", "notes", "B"))
    ('prospective', 'declarative')
    >>> memory_type(Document("c.md", "docs", "C", properties={"memory_type": "Working"}))
    'working'
    """
    said = document.properties.get("memory_type", "").strip().lower().replace("_", "-")
    if said in HALF_LIVES:
        return said
    tier = document.properties.get("tier", "")
    return _BY_TIER.get(tier) or _BY_DOC_TYPE.get(document.doc_type) or _BY_KIND.get(document.kind) or "declarative"


def half_life(document: Document) -> tuple[str, float | None]:
    """Give the type of memory and after how many days half of it is forgotten."""
    kind = memory_type(document)
    return kind, HALF_LIVES[kind]


def preferred(document: Document, intent: str) -> bool:
    """Tell whether an intent prefers a document, by its type, its tags and the folders it lies in.

    >>> preferred(Document("docs/adr/1.md", "docs", "One", "decision_record"), "find_decision")
    True
    >>> preferred(Document("docs/incidents/errors/1.md", "docs", "One"), "fix_bug")
    True
    """
    wanted = _PREFERRED.get(intent, frozenset())
    folders = document.id.lower().split("/")[:-1]
    return not wanted.isdisjoint((document.doc_type, *(tag.lower() for tag in document.tags), *folders))
