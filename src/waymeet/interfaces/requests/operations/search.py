"""The search operation, and the values that its filters can have."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet.analysis.doc_types import normalise_doc_type
from waymeet.errors import RequestError, WaymeetError
from waymeet.interfaces.requests import cursor
from waymeet.interfaces.requests.budget import estimate_cost, fit_hits
from waymeet.interfaces.requests.fields import (
    MOST_HITS,
    Budget,
    Intent,
    Kinds,
    Limit,
    LinkTypes,
    Names,
    Paths,
    QueryText,
    Refresh,
    Tags,
    relative_to_root,
)
from waymeet.project import Project
from waymeet.project.registered.fan_out import Question
from waymeet.project.registered.projects import Projects, report_failure
from waymeet.project.registered.registry import RegisteredProject
from waymeet.search.cancellation import CANCELLATION, check_cancelled
from waymeet.search.shape.facets import count_documents
from waymeet.search.understand.inline_filters import TIME_FORMAT, parse_time
from waymeet.settings import Layer
from waymeet.types import Answer, Degraded, Facet, FacetName, FacetValue, Filters, Hit, Query, Variant

_STALE_CURSOR = "the index changed since the previous page; results may be new, gone or reordered, none is repeated"


class SearchRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Search the project."""

    query: Annotated[
        QueryText,
        Meta(
            min_length=1,
            description='What to search for, in plain words or names. "quoted phrases" must occur (optional in a '
            "query that is a whole question), -word excludes, prefix* matches all words with that prefix. Filters: "
            "kind:code path:src/ tag:x type:spec lang:python ns:billing after:2025-06 before:2026-01-01.",
        ),
    ]
    limit: Limit = 0
    recipe: Annotated[
        str,
        Meta(
            max_length=100,
            description="The ranking recipe: auto, classic, deep, threeway, memory, neighbours, files, skills_recall, "
            "or a custom one. Empty for auto.",
        ),
    ] = ""
    mode: Annotated[
        str,
        Meta(
            max_length=100,
            description="A mode of the recipe: hybrid, bm25_only or vec_only of classic; hybrid, vector or keyword of "
            "neighbours, files and skills_recall; deep of deep. It needs the recipe. Empty for the default mode.",
        ),
    ] = ""
    kinds: Kinds = ()
    paths: Paths = ()
    tags: Tags = ()
    doc_types: Annotated[
        Names, Meta(description="Only documents of these types, such as spec, adr, guide, reference, runbook.")
    ] = ()
    languages: Annotated[Names, Meta(description="Only files in these programming languages, such as python.")] = ()
    namespaces: Annotated[Names, Meta(description="Only these packages, submodules or extra roots.")] = ()
    properties: Annotated[
        Names,
        Meta(
            description="Only documents with these front matter fields, each as `key=value`, such as status=accepted "
            "or lang=ja. Values of the same key are alternatives."
        ),
    ] = ()
    changed_after: Annotated[
        str, Meta(max_length=40, description=f"Only files changed at this time or later. {TIME_FORMAT}")
    ] = ""
    changed_before: Annotated[
        str, Meta(max_length=40, description=f"Only files changed before this time. {TIME_FORMAT}")
    ] = ""
    projects: Annotated[
        Names,
        Meta(
            description="Search these projects of the user instead, by name, or all by `*`. Ids then begin with the "
            "name of the project, as in `tea::docs/water.md#L1-L3`; `read` accepts them. Empty for this project."
        ),
    ] = ()
    link_types: LinkTypes = ()
    depth: Annotated[
        int,
        Meta(ge=-1, le=10, description="Maximum number of links to follow; 0 for none, -1 for the recipe's default."),
    ] = -1
    intent: Annotated[
        Intent, Meta(description="Purpose of the search, for recipe memory. Empty to detect it from the query.")
    ] = ""
    lex: Annotated[
        Names, Meta(description="Other wordings for lexical search (recipe deep), used instead of a model's.")
    ] = ()
    vec: Annotated[Names, Meta(description="Other wordings for vector search (recipe deep).")] = ()
    hyde: Annotated[
        Names, Meta(description="Hypothetical passages that would answer the query, for vector search (recipe deep).")
    ] = ()
    expand: Annotated[
        bool, Meta(description="Let a configured model suggest other wordings of the query (recipe deep).")
    ] = True
    explain: Annotated[bool, Meta(description="Explain every score.")] = False
    include_linked: Annotated[bool, Meta(description="List the pages linked from and to each result.")] = False
    facets: Annotated[bool, Meta(description="Count the results by kind, folder, tag, language and type.")] = False
    refresh: Refresh = True
    budget: Budget = 0
    cursor: Annotated[
        str,
        Meta(
            max_length=20_000,
            description="The `cursor` of the previous answer to the same query, for the results after it.",
        ),
    ] = ""


class FiltersRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List the values that filters can have, with the number of documents of each."""

    name: Annotated[
        Literal["", "kind", "folder", "tag", "language", "type"],
        Meta(description="Only the values of this filter. Empty for all."),
    ] = ""
    prefix: Annotated[str, Meta(max_length=1000, description="Only values with this text, the beginning first.")] = ""
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum values of each filter.")] = 20
    projects: Annotated[
        Names,
        Meta(
            description="Count in these projects of the user instead, by name, or in all by `*`. Their files are not "
            "compared with their indexes first. Empty for this project."
        ),
    ] = ()


class FiltersAnswer(Struct, frozen=True, kw_only=True):
    """Values of filters."""

    filters: tuple[Facet, ...]
    degraded: tuple[Degraded, ...] = ()


class SearchAnswer(Answer, frozen=True, kw_only=True):
    """Search results."""

    cut: tuple[str, ...] = ()
    """Descriptions of what was left out to fit the budget."""
    cursor: str = ""
    """The cursor for the next results; empty if there are none."""
    tokens: int = 0
    """Estimated tokens of the answer (see `waymeet.analysis.token_estimate`)."""


def answer_search(project: Project, request: SearchRequest, over: Iterable[Layer] = ()) -> SearchAnswer:
    """Search the project, with paging and a token budget.

    Without cursor and budget, the hits are those of `Project.search`. With a budget, the stages are left out, except
    those of the recipe `deep`. `over` are settings of this call only.
    """
    query = to_query(project, request)

    def search(limit: int) -> Answer:
        return _search(project, request, replace(query, limit=limit), tuple(over))

    return page_search(request, str(project.root), query.limit, search)


def page_search(request: SearchRequest, scope: str, limit: int, search: Callable[[int], Answer]) -> SearchAnswer:
    """Search by a function, and give the next page of its hits within the token budget.

    `scope` tells apart what is searched: a cursor is valid for one scope. `search` gets the number of hits.
    """
    query_hash = cursor.hash_query(scope, request)
    page = cursor.decode_cursor(request.cursor, query_hash)
    answer = search(min(len(page.shown) + limit, MOST_HITS))
    hits = [hit for hit in answer.hits if cursor.hash_id(hit.id) not in page.shown][:limit]
    steps = () if request.budget and answer.recipe != "deep" else answer.steps
    overhead = estimate_cost(replace(answer, hits=(), steps=steps, seconds=0.0))
    fitted = fit_hits(hits, max(request.budget - overhead, 1) if request.budget else 0)
    degraded = answer.degraded
    if page is not cursor.FIRST and page.generation != answer.generation:
        degraded = (*degraded, Degraded("cursor", "stale_cursor", _STALE_CURSOR))
    fields = {name: getattr(answer, name) for name in Answer.__struct_fields__}
    return SearchAnswer(
        **{**fields, "hits": fitted.hits, "degraded": degraded, "steps": steps},
        cut=fitted.cut,
        cursor=_next_cursor(page, query_hash, answer, fitted.hits),
        tokens=overhead + fitted.tokens,
    )


def _search(project: Project, request: SearchRequest, query: Query, over: tuple[Layer, ...]) -> Answer:
    """Search the project, or those that the request names.

    Raises:
        RequestError: other projects cannot be searched here.
    """
    if not request.projects:
        return project.search(query, refresh=request.refresh, over=over)
    others = _find_others(project)
    return others.ask(make_question(request, query.limit, over), others.entries(request.projects))


def _find_others(project: Project) -> Projects:
    if project.others is None:
        raise RequestError("Other projects cannot be searched here.", "Leave out `projects`.")
    return project.others


def make_question(request: SearchRequest, limit: int, over: tuple[Layer, ...] = ()) -> Question:
    """Convert a request to a question for several projects."""
    cancellation = CANCELLATION.get()

    def make_query(project: Project) -> Query:
        CANCELLATION.set(cancellation)  # each project is searched in a thread of its own
        check_cancelled()
        return replace(to_query(project, request), limit=limit)

    return Question(make_query, limit, refresh=request.refresh, over=over)


def _next_cursor(page: cursor.Page, query_hash: bytes, answer: Answer, hits: tuple[Hit, ...]) -> str:
    """Encode the cursor after these hits, or give the empty string if no results are left."""
    shown = len(page.shown) + len(hits)
    if not hits or shown >= min(answer.total_found, MOST_HITS):
        return ""
    current = page._replace(generation=answer.generation)
    return cursor.encode_cursor(current, query_hash, (hit.id for hit in hits))


def to_query(project: Project, request: SearchRequest) -> Query:
    """Convert a request to a query for `Project.search`.

    Raises:
        RequestError: a property or a time is malformed.
    """
    wordings = {"lex": request.lex, "vec": request.vec, "hyde": request.hyde}
    return Query(
        text=request.query,
        limit=request.limit or project.settings.shape.limit,
        recipe=request.recipe or "auto",
        mode=request.mode,
        filters=Filters(
            paths=tuple(relative_to_root(project.root, path) for path in request.paths),
            kinds=request.kinds,
            doc_types=tuple(map(normalise_doc_type, request.doc_types)),
            tags=request.tags,
            languages=tuple(map(str.lower, request.languages)),
            namespaces=request.namespaces,
            properties=tuple(parse_pair("properties", written) for written in request.properties),
            changed_from=_parse_time("changed_after", request.changed_after),
            changed_before=_parse_time("changed_before", request.changed_before),
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
        facets=request.facets,
    )


def parse_pair(field: str, written: str) -> tuple[str, str]:
    """Split `key=value`.

    >>> parse_pair("properties", "status = accepted")
    ('status', 'accepted')
    """
    key, equals, value = written.partition("=")
    if not equals or not key.strip():
        raise RequestError(f"`{field}`: {written!r} is not of the form key=value.", "Write it as status=accepted.")
    return key.strip(), value.strip()


def _parse_time(field: str, written: str) -> int:
    """Parse a time to nanoseconds since 1970, with 0 for an empty text.

    >>> [_parse_time("changed_after", written) for written in ("1970-01-02", "1970-01-02T00:00:01Z", "")]
    [86400000000000, 86401000000000, 0]
    """
    time = parse_time(written) if written else 0
    if time is None:
        raise RequestError(f"`{field}`: {written!r} is not a time.", TIME_FORMAT)
    return time


def answer_filters(project: Project, request: FiltersRequest) -> FiltersAnswer:
    """List values of filters, the most frequent first.

    Raises:
        RequestError: other projects cannot be read here.
    """
    if request.projects:
        others = _find_others(project)
        return count_in_projects(others, others.entries(request.projects), request)
    store, degraded = project.refreshed_store()
    return FiltersAnswer(filters=_select_values(count_documents(store), request), degraded=degraded)


def count_in_projects(
    projects: Projects, entries: Iterable[RegisteredProject], request: FiltersRequest
) -> FiltersAnswer:
    """List values of filters with the number of documents in several projects.

    A project that cannot be opened is named in `degraded`.
    """
    counts: dict[FacetName, Counter[str]] = {name: Counter() for name in get_args(FacetName)}
    failures = []
    for entry in entries:
        try:
            facets = count_documents(projects.open(entry).refreshed_store(refresh=False)[0])
        except WaymeetError as error:
            failures.append(report_failure(entry.name, error))
            continue
        for facet in facets:
            counts[facet.name].update({value.value: value.count for value in facet.values})
    merged = [
        Facet(name, tuple(FacetValue(*pair) for pair in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))))
        for name, found in counts.items()
    ]
    return FiltersAnswer(filters=_select_values(merged, request), degraded=tuple(failures))


def _select_values(facets: Iterable[Facet], request: FiltersRequest) -> tuple[Facet, ...]:
    return tuple(
        Facet(facet.name, _match_values(facet.values, request.prefix)[: request.limit])
        for facet in facets
        if request.name in ("", facet.name)
    )


def _match_values(values: tuple[FacetValue, ...], text: str) -> tuple[FacetValue, ...]:
    """Select the values that begin with a text, then those that contain it.

    >>> values = (FacetValue("typescript", 3), FacetValue("Python", 2), FacetValue("pyi", 1))
    >>> [value.value for value in _match_values(values, "py")]
    ['Python', 'pyi']
    >>> [value.value for value in _match_values(values, "p")]
    ['Python', 'pyi', 'typescript']
    """
    wanted = text.casefold()
    matching = [value for value in values if wanted in value.value.casefold()]
    return tuple(sorted(matching, key=lambda value: not value.value.casefold().startswith(wanted)))
