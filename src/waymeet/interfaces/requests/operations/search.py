"""Asking a question."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet.analysis.doc_types import normalise_doc_type
from waymeet.errors import RequestError
from waymeet.interfaces.requests import cursor
from waymeet.interfaces.requests.budget import cost, fitted
from waymeet.interfaces.requests.fields import (
    MOST_HITS,
    Budget,
    Intent,
    Kinds,
    Limit,
    LinkTypes,
    Names,
    Paths,
    Question,
    Refresh,
    Tags,
    relative_to_root,
)
from waymeet.project import Project
from waymeet.search.understand.inline_filters import parse_date
from waymeet.settings import Layer
from waymeet.types import Answer, Degraded, Filters, Query, Variant

_WHEN = "A year, a month, a day (2025-06-30) or a moment (2025-06-30T12:00:00Z); days are those of universal time."
_STALE = "the index changed since the page before: results may have come, gone or moved; none is shown twice"


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A question to the project, with everything the asker may set."""

    query: Annotated[
        Question,
        Meta(
            min_length=1,
            description='What to look for, in plain words or names. "quoted phrases" must occur '
            "(in a whole question they need not), -word rules out, prefix* stands for all "
            "words that begin so. Filters may stand in it: kind:code path:src/ tag:x type:spec "
            "lang:python ns:billing after:2025-06 before:2026-01-01.",
        ),
    ]
    limit: Limit = 0
    recipe: Annotated[
        str,
        Meta(
            max_length=100,
            description="The ranking: auto, classic, deep, threeway, memory, neighbours, files, skills_recall, or one "
            "of the user's own. Empty for auto, or for classic if a mode is named.",
        ),
    ] = ""
    mode: Annotated[
        str,
        Meta(
            max_length=100,
            description="A recipe's mode: hybrid, bm25_only or vec_only of classic; hybrid, vector or keyword of "
            "neighbours, files and skills_recall; deep of deep. Empty for the recipe's usual one.",
        ),
    ] = ""
    kinds: Kinds = ()
    paths: Paths = ()
    tags: Tags = ()
    doc_types: Annotated[
        Names, Meta(description="Only documents of these types, such as spec, adr, guide, reference, runbook.")
    ] = ()
    languages: Annotated[Names, Meta(description="Only files in these languages of programs, such as python.")] = ()
    namespaces: Annotated[Names, Meta(description="Only these packages, submodules or extra folders.")] = ()
    properties: Annotated[
        Names,
        Meta(
            description="Only documents whose front matter says so, each as `key=value`, such as status=accepted or "
            "lang=ja. Values of one key are alternatives."
        ),
    ] = ()
    changed_after: Annotated[
        str, Meta(max_length=40, description=f"Only files that changed at this time or later. {_WHEN}")
    ] = ""
    changed_before: Annotated[
        str, Meta(max_length=40, description=f"Only files that changed before this time. {_WHEN}")
    ] = ""
    link_types: LinkTypes = ()
    depth: Annotated[
        int,
        Meta(ge=-1, le=10, description="How many links far to walk; 0 follows none, -1 is the recipe's own depth."),
    ] = -1
    intent: Annotated[
        Intent, Meta(description="What the asker is up to, for recipe memory. Empty to have it guessed from the words.")
    ] = ""
    lex: Annotated[
        Names, Meta(description="Other wordings to look for by their words (recipe deep), used instead of a model's.")
    ] = ()
    vec: Annotated[Names, Meta(description="Other wordings to look for by their meaning (recipe deep).")] = ()
    hyde: Annotated[
        Names,
        Meta(description="Passages such as would answer the question, looked for by their meaning (recipe deep)."),
    ] = ()
    expand: Annotated[
        bool, Meta(description="Whether a model the user set up may put the question in other words (recipe deep).")
    ] = True
    explain: Annotated[bool, Meta(description="Say how every score came about.")] = False
    include_linked: Annotated[
        bool, Meta(description="Name the pages that each result links to and is linked from.")
    ] = False
    refresh: Refresh = True
    budget: Budget = 0
    cursor: Annotated[
        str,
        Meta(
            max_length=20_000,
            description="The `cursor` of an answer to the same question, to have what comes after it; else empty.",
        ),
    ] = ""


class SearchAnswer(Answer, frozen=True, kw_only=True):
    """Hits, how they came about, and how to have more of them."""

    cut: tuple[str, ...] = ()
    """What was left out to keep the answer within its budget."""
    cursor: str = ""
    """What to ask with for the hits that follow; empty if there are none."""
    tokens: int = 0
    """What the answer costs, by a rough estimate (see `waymeet.analysis.token_estimate`)."""


def answer_search(project: Project, request: SearchRequest, over: Iterable[Layer] = ()) -> SearchAnswer:
    """Answer a question; without cursor and budget exactly as `Project.search` does.

    With a budget, the timings of the stages are not given. `over` are settings of this call only.
    """
    query, asked = to_query(project, request), cursor.question(project.root, request)
    page = cursor.read(request.cursor, asked)
    reach = min(len(page.shown) + query.limit, MOST_HITS)
    found = project.search(replace(query, limit=reach), refresh=request.refresh, over=over)
    coming = [hit for hit in found.hits if cursor.key(hit.id) not in page.shown][: query.limit]
    told_of = () if request.budget else found.steps
    rest = cost(replace(found, hits=(), steps=told_of, seconds=0.0))
    shown = fitted(coming, max(request.budget - rest, 1) if request.budget else 0)
    seen = len(page.shown) + len(shown.hits)
    more = bool(shown.hits) and seen < min(found.total_found, MOST_HITS)
    stale = page is not cursor.FIRST and page.generation != found.generation
    told = found.degraded if not stale else (*found.degraded, Degraded("cursor", "stale_cursor", _STALE))
    now = page._replace(generation=found.generation)
    fields = {name: getattr(found, name) for name in Answer.__struct_fields__}
    return SearchAnswer(
        **{**fields, "hits": shown.hits, "degraded": told, "steps": told_of},
        cut=shown.cut,
        cursor=cursor.written(now, asked, (hit.id for hit in shown.hits)) if more else "",
        tokens=rest + shown.tokens,
    )


def to_query(project: Project, request: SearchRequest) -> Query:
    """Put a request as the query that `Project.search` takes.

    Raises:
        RequestError: a property or a time is not written as it should be.
    """
    wordings = {"lex": request.lex, "vec": request.vec, "hyde": request.hyde}
    return Query(
        text=request.query,
        limit=request.limit or project.settings.shape.limit,
        recipe=request.recipe or ("classic" if request.mode else "auto"),
        mode=request.mode,
        filters=Filters(
            paths=tuple(relative_to_root(project.root, path) for path in request.paths),
            kinds=request.kinds,
            doc_types=tuple(map(normalise_doc_type, request.doc_types)),
            tags=request.tags,
            languages=tuple(map(str.lower, request.languages)),
            namespaces=request.namespaces,
            properties=tuple(pair("properties", each) for each in request.properties),
            changed_from=_when("changed_after", request.changed_after),
            changed_before=_when("changed_before", request.changed_before),
        ),
        explain=request.explain,
        depth=None if request.depth < 0 else request.depth,
        link_types=request.link_types,
        intent=request.intent,
        variants=tuple(
            Variant(text, kind) for kind in ("lex", "vec", "hyde") for text in wordings[kind] if text.strip()
        ),
        expand=request.expand,
        include_linked=request.include_linked,
    )


def pair(field: str, written: str) -> tuple[str, str]:
    """Part `key=value`.

    >>> pair("properties", "status = accepted")
    ('status', 'accepted')
    """
    key, equals, value = written.partition("=")
    if not equals or not key.strip():
        raise RequestError(f"`{field}`: {written!r} is not of the form key=value.", "Write it as status=accepted.")
    return key.strip(), value.strip()


def _when(field: str, written: str) -> int:
    """Read a time as nanoseconds since 1970; 0 for none.

    >>> _when("changed_after", "1970-01-02"), _when("changed_after", "1970-01-02T00:00:01Z"), _when("changed_after", "")
    (86400000000000, 86401000000000, 0)
    """
    if not written:
        return 0
    day = parse_date(written)
    if day is not None:
        return day
    try:
        found = datetime.fromisoformat(written)
        return max(int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1_000_000), 1) * 1000
    except (ValueError, OverflowError) as error:
        raise RequestError(f"`{field}`: {written!r} is no time.", _WHEN) from error
