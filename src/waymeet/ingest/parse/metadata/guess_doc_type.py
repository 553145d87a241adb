"""Guess of a document's type from its path."""

import re
from itertools import pairwise

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
_SEPARATORS = re.compile(r"[\W_]+")
_CASE_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def guess_doc_type(path: str, kind: str, language: str) -> str:
    """Guess the type of a document by the words of its path.

    The file name takes precedence over folders, and the last word over earlier ones.

    >>> (guess_doc_type("docs/search-design.md", "docs", "markdown"),
    ...  guess_doc_type("docs/adr/0007-use-sqlite.md", "docs", "markdown"))
    ('design', 'decision_record')
    >>> guess_doc_type("src/api/plan.py", "code", "python"), guess_doc_type("db/schema.sql", "code", "sql")
    ('other', 'db-schema')
    """
    *folders, name = path.split("/")
    stem = name.partition(".")[0] or name.strip(".")
    if kind == "code":
        return "db-schema" if language == "sql" and "schema" in stem.lower() else OTHER
    if kind == "files":
        return "config" if language in _CONFIGURATION else _match_words(stem, ("api", "db-schema", "config"))
    for part in (stem, *reversed(folders)):
        doc_type = _match_words(part)
        if doc_type != OTHER:
            return doc_type
    return OTHER


def _match_words(part: str, allowed: tuple[str, ...] = ()) -> str:
    words = [word for word in _SEPARATORS.split(_CASE_CHANGE.sub("-", part).lower()) if word]
    pairs = [f"{first}-{second}" for first, second in pairwise(words)]
    for word in (*reversed(pairs), *reversed(words)):
        doc_type = _WORDS.get(word, OTHER)
        if doc_type != OTHER and (not allowed or doc_type in allowed):
            return doc_type
    return OTHER
