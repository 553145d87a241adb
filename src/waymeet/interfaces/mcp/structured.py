"""Structured content of answers: the fields that an agent can use, and each quotation once.

Some clients pass only `structuredContent` to the model (Claude Code, Codex, Cursor), others only `content` (Claude
Desktop, Windsurf), a few both. So each of the two is complete in itself, and as short as it can be. A search with
`explain` has all fields, for programs.
"""

from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.interfaces.mcp.render import UNTRUSTED
from waymeet.interfaces.requests.budget import shorten_snippet
from waymeet.interfaces.requests.operations.items import SavedAnswer
from waymeet.interfaces.requests.operations.related import RelatedAnswer
from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.search.context import Context
from waymeet.types import Section

Answer = TypeVar("Answer", bound=Struct)
_SNIPPET_TOKENS = 100
"""Maximum tokens of a snippet, estimated."""
_ANSWER_FIELDS_DROPPED = (
    *("query", "has_word_match", "strong_signal", "vector_coverage", "reranked", "steps", "generation", "seconds"),
)
_DEEP_FIELDS_DROPPED = tuple(name for name in _ANSWER_FIELDS_DROPPED if name != "steps")
"""Deep search says what each stage did."""
_HIT_FIELDS_DROPPED = ("score", "relevance_reason", "sources", "doc_type", "context", "sections")
_ALWAYS_KEPT = frozenset({"hits", "degraded", "cursor", "items", "skills", "links", "related", "pieces", "version"})
_PIECE_FIELDS_DROPPED = ("document", "kind", "rank", "reason")
_ITEM_FIELDS = ("id", "kind", "title", "version", "problems", "review")


def shorten_snippets(answer: Answer) -> Answer:
    """Cut long snippets of a search to the text around their first match.

    Texts in Chinese or Japanese have several times as many tokens as English ones of the same length.
    """
    if not isinstance(answer, SearchAnswer):
        return answer
    hits = tuple(replace(hit, sections=tuple(map(_shorten, hit.sections))) for hit in answer.hits)
    return replace(answer, hits=hits)


def _shorten(section: Section) -> Section:
    tokens = estimate_tokens(section.snippet)
    return shorten_snippet(section, len(section.snippet) * _SNIPPET_TOKENS // tokens) if tokens else section


def to_structured(answer: Struct, *, compact: bool = True) -> dict[str, Any]:
    """Convert an answer to JSON values, with a first field that marks its texts as untrusted."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
    if not compact:
        return {"untrusted": UNTRUSTED, **document}
    if isinstance(answer, SearchAnswer):
        document = _without(document, _DEEP_FIELDS_DROPPED if answer.recipe == "deep" else _ANSWER_FIELDS_DROPPED)
        document["hits"] = [_compact_hit(hit) for hit in document["hits"]]
    elif isinstance(answer, SavedAnswer):  # the agent knows the text that it has sent
        document["item"] = {name: document["item"][name] for name in _ITEM_FIELDS}
    elif isinstance(answer, Context):
        document = _without(document, ("task", "budget", "generation"))
        document["pieces"] = [_compact_piece(piece) for piece in document["pieces"]]
    elif isinstance(answer, RelatedAnswer):
        document["links"] = [_without(link, ("text",) if link["sentence"] else ()) for link in document["links"]]
        document["related"] = [_without(related, ("score", "hops")) for related in document["related"]]
    kept = {name: value for name, value in document.items() if name in _ALWAYS_KEPT or not _is_empty(value)}
    return {"untrusted": UNTRUSTED, **{name: _prune(value) for name, value in kept.items()}}


def _compact_hit(hit: dict[str, Any]) -> dict[str, Any]:
    """Keep the place, title, relevance and snippet of a hit, and what is special about it."""
    first, *others = [_compact_section(section) for section in hit["sections"]] or [{}]
    has_all_copies = hit["copy_count"] == len(hit["copies"])
    compact = _simplify(_without(hit, (*_HIT_FIELDS_DROPPED, *(("copy_count",) if has_all_copies else ()))))
    return {**compact, **_without(first, ("id", "start", "end")), "sections": others}


def _compact_piece(piece: dict[str, Any]) -> dict[str, Any]:
    return _simplify(_without(piece, _PIECE_FIELDS_DROPPED))


def _simplify(fields: dict[str, Any]) -> dict[str, Any]:
    """Round the relevance, and drop the staleness of a page that is not stale."""
    relevance = fields["relevance"]
    rounded = {**fields, "relevance": relevance if relevance is None else round(relevance, 3)}
    is_stale = fields["staleness"] in {"stale", "possibly_stale"}
    return rounded if is_stale else _without(rounded, ("staleness", "staleness_reason"))


def _compact_section(section: dict[str, Any]) -> dict[str, Any]:
    return _without(section, ("highlights", "snippet" if section["text"] else "text"))


def _without(fields: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def _prune(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Remove empty texts, lists and objects below the top level."""
    if isinstance(value, dict):
        return {name: _prune(entry) for name, entry in value.items() if name in _ALWAYS_KEPT or not _is_empty(entry)}
    return [_prune(entry) for entry in value] if isinstance(value, list) else value


def _is_empty(value: object) -> bool:
    return value is None or value in ("", [], {})
