"""What sort of document a file is, judged by where it lies and how it is called."""

import re
from itertools import pairwise

from waymeet.analysis.doc_types import normalise_doc_type

__all__ = ["OTHER", "guessed", "normalise_doc_type"]

OTHER = "other"
_WORDS = {
    word: doc_type
    for doc_type, words in {
        "spec": "spec specs specification specifications requirement requirements prd rfc rfcs",
        "design": "design designs architecture",
        "decision_record": "adr adrs decision decisions",
        "plan": "plan plans roadmap proposal proposals",
        "tasks": "task tasks backlog",
        "checklist": "checklist checklists",
        "implementation_summary": "implementation-summary implementation-summaries",
        "handover": "handover handovers handoff handoffs",
        "constitutional": "constitution constitutional",
        "guide": "guide guides tutorial tutorials howto howtos how-to manual handbook quickstart getting-started "
        "installation readme contributing faq walkthrough runbook runbooks",
        "api": "api apis openapi swagger endpoints",
        "db-schema": "db-schema database-schema schema schemas erd",
        "config": "config configs configuration",
        "meeting": "meeting meetings minutes standup standups retro retrospective",
        "todo": "todo todos",
        "scratch": "scratch scratchpad draft drafts wip",
        "memory": "memory memories",
    }.items()
    for word in words.split()
}
_CONFIGURATION = frozenset({"toml", "yaml", "ini", "properties", "dotenv"})
_BETWEEN = re.compile(r"[\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def guessed(path: str, kind: str, language: str) -> str:
    """Guess the type: the file's name decides before its folders, the last word before the first.

    >>> guessed("docs/search-design.md", "docs", "markdown"), guessed("docs/adr/0007-use-sqlite.md", "docs", "markdown")
    ('design', 'decision_record')
    >>> guessed("src/api/plan.py", "code", "python"), guessed("db/schema.sql", "code", "sql")
    ('other', 'db-schema')
    """
    *folders, name = path.split("/")
    stem = name.partition(".")[0] or name.strip(".")
    if kind == "code":
        return "db-schema" if language == "sql" and "schema" in stem.lower() else OTHER
    if kind == "files":
        return "config" if language in _CONFIGURATION else _by_words(stem, ("api", "db-schema", "config"))
    for part in (stem, *reversed(folders)):
        found = _by_words(part)
        if found != OTHER:
            return found
    return OTHER


def _by_words(part: str, allowed: tuple[str, ...] = ()) -> str:
    words = [word for word in _BETWEEN.split(_HUMP.sub("-", part).lower()) if word]
    pairs = [f"{first}-{second}" for first, second in pairwise(words)]
    for word in (*reversed(pairs), *reversed(words)):
        doc_type = _WORDS.get(word, OTHER)
        if doc_type != OTHER and (not allowed or doc_type in allowed):
            return doc_type
    return OTHER
