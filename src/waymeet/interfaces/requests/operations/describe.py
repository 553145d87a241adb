"""The describe operation: what is known about a document besides its text and links."""

from datetime import UTC, datetime
from time import time_ns
from typing import Literal

from msgspec import Struct

from waymeet.errors import ItemNotFoundError
from waymeet.formulas.staleness import Cause
from waymeet.interfaces.requests.fields import Reference, relative_to_root
from waymeet.notebook import PastVersion
from waymeet.project import Project
from waymeet.search.lookup.find import find_target
from waymeet.search.rank.translations import list_translations
from waymeet.staleness.verdicts import judge_documents
from waymeet.types import Degraded, Document, Translation

_MAX_SYMBOLS = 500
_ITEMS = frozenset({"notes", "tasks", "skills"})


class DescribeRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Describe a document: kind, tags, symbols, staleness and translations."""

    id: Reference


class SymbolLine(Struct, frozen=True):
    """A symbol of a document, with its first line."""

    name: str
    kind: str
    line: int


class DescribeAnswer(Struct, frozen=True, kw_only=True):
    """A document without its text and links."""

    document: str
    title: str
    kind: str
    doc_type: str
    language: str
    """Markup or programming language."""
    lang: str
    """Language code that the document declares; empty if it does not."""
    tags: tuple[str, ...]
    lines: int
    size: int
    changed: str
    """Date of the last change, such as 2026-11-17."""
    changed_by: str
    """Origin of that date: front matter, commit or file."""
    staleness: Literal["fresh", "possibly_stale", "stale", "unknown"]
    staleness_reason: str
    causes: tuple[Cause, ...] = ()
    """The references that make it stale."""
    translations: tuple[Translation, ...] = ()
    symbols: tuple[SymbolLine, ...] = ()
    """Definitions in the file, in its order; at most 500."""
    past_versions: tuple[PastVersion, ...] = ()
    """Of a note, task or skill: the saved versions, the newest first."""
    degraded: tuple[Degraded, ...] = ()


def answer_describe(project: Project, request: DescribeRequest) -> DescribeAnswer:
    """Describe the document of a request."""
    store, degraded = project.refreshed_store()
    with store.snapshot():
        document = find_target(store, relative_to_root(project.root, request.id)).document
        chunks = store.chunks_of([document.id]).get(document.id, ())
        verdict = judge_documents(store, {document.id: document}, project.settings, time_ns())[document.id]
        translations = list_translations(store, document.id)
    symbols = [SymbolLine(symbol.name, symbol.kind, symbol.start) for chunk in chunks for symbol in chunk.symbols]
    changed_ns = document.changed_ns or document.modified_ns
    return DescribeAnswer(
        document=document.id,
        title=document.title,
        kind=document.kind,
        doc_type=document.doc_type,
        language=document.language,
        lang=document.properties.get("lang", ""),
        tags=document.tags,
        lines=document.lines,
        size=document.size,
        changed=datetime.fromtimestamp(changed_ns / 1e9, UTC).date().isoformat() if changed_ns else "",
        changed_by=document.changed_by,
        staleness=verdict.state,
        staleness_reason=verdict.reason,
        causes=verdict.causes,
        translations=translations,
        symbols=tuple(symbols[:_MAX_SYMBOLS]),
        past_versions=_list_versions(project, document),
        degraded=degraded,
    )


def _list_versions(project: Project, document: Document) -> tuple[PastVersion, ...]:
    """List the saved versions of a note, task or skill."""
    if document.kind not in _ITEMS:
        return ()
    try:
        return project.notebook.history(document.id)
    except ItemNotFoundError:  # a file of that kind in another folder, which is not written through the API
        return ()
