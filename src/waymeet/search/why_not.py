"""Find out why a document is not among the results, and which changes would include it."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import list_terms
from waymeet.search.pipeline import extend_results, iterate_stages, run_stages, start
from waymeet.search.shape.matched_words import matched_words
from waymeet.search.state import Recipe, Search, Tools
from waymeet.search.understand.inline_filters import parse_inline_filters
from waymeet.settings import Settings
from waymeet.types import Document, Filters, Query, Ranking

_MIN_LIST_CHUNKS = 2000
"""Length of the lists in which the rank of the document is looked up."""
_TRIED_LIMITS = (100, 1000)
"""Limits that are tried for a document that is too low in the lists to be a candidate."""
_MAX_TITLE_WORDS = 6
"""Words of a title that are tried as additions to the query."""
_OPTIONS = {
    "paths": "--in",
    "kinds": "--kind",
    "doc_types": "--type",
    "tags": "--tag",
    "languages": "--lang",
    "namespaces": "--namespace",
    "properties": "--property",
}
_KEYS = {
    "paths": "path",
    "kinds": "kind",
    "doc_types": "type",
    "tags": "tag",
    "languages": "lang",
    "namespaces": "ns",
    "changed_from": "after",
    "changed_before": "before",
}


class Trace(Struct, frozen=True):
    """The state of a document after a stage."""

    stage: str
    state: str
    """Its ranks, `absent`, or why the stage was skipped."""


class Standing(Struct, frozen=True):
    """The rank of a document in one list."""

    source: str
    rank: int | None
    """None if the list does not contain it."""
    of: int
    """Number of documents in the list."""


class WhyNot(Struct, frozen=True):
    """Why a document is not among the results of a query."""

    query: str
    document: str
    recipe: str
    verdict: str
    """`found`, `outranked`, `lost`, `filtered`, `unmatched` or `not_indexed`."""
    lost_at: str
    """The stage that lost it, empty if it was found."""
    reason: str
    changes: tuple[str, ...]
    """Changes that would include it, the smallest first."""
    rank: int | None = None
    """The rank of its best section among all results."""
    limit: int = 0
    lists: tuple[Standing, ...] = ()
    stages: tuple[Trace, ...] = ()


class TracedQuery(NamedTuple):
    """A query, with the recipe, tools and settings that answer it."""

    recipe: Recipe
    query: Query
    tools: Tools
    settings: Settings


def why_not(traced: TracedQuery, document: Document, others: Iterable[tuple[Recipe, Settings]] = ()) -> WhyNot:
    """Follow a document through the stages of a recipe. `others` are recipes to try instead."""
    query, tools = traced.query, traced.tools
    with tools.store.snapshot():
        search, traces, lost_at = _trace_document(traced, document.id)
        rank = _rank(search, document.id)
        # Trials must not call paid or slow models.
        traced = traced._replace(tools=tools._replace(reranker=None, expander=None))
        lists = _standings(traced, document.id)
        filters = _excluding_filters(search, document, tools)
        verdict, stage, reason = _verdict(search, rank, lost_at, filters, lists)
        copy = next(_copies_of(search, document.id), None)
        if verdict == "lost" and document.id in search.replaced:
            reason = f"its translation {search.replaced[document.id]} is shown instead"
        elif copy and verdict in {"lost", "outranked"}:
            reason = copy if verdict == "lost" else f"{reason}; {copy}"
        changes: tuple[str, ...] = ()
        if verdict == "filtered":
            changes = tuple(_filter_changes(query, filters, tools))
        elif verdict != "found":
            changes = (
                *(_try_limits(traced, document, rank) if verdict == "outranked" else ()),
                *(_try_path(traced, document) if copy else ()),
                *_try_changes(traced, document, others),
                _feedback_command(query, document),
            )
    return WhyNot(
        query.text, document.id, traced.recipe.name, verdict, stage, reason, changes, rank, query.limit, lists, traces
    )


def _trace_document(traced: TracedQuery, document: str) -> tuple[Search, tuple[Trace, ...], str]:
    """Run a recipe stage by stage, and record where a document ranks and which stage lost it."""
    traces: list[Trace] = []
    lost_at, is_present, is_fused = "", False, False
    last = start(traced.recipe, traced.query)
    for step, search in iterate_stages(traced.recipe, last, traced.tools, traced.settings):
        is_fused, last = is_fused or bool(search.candidates), search
        state = _describe_state(search, document, is_fused=is_fused)
        if is_present and not state:
            lost_at = step.stage
        is_present = bool(state)
        missing = "absent" if search.lists or is_fused else "before retrieval"
        traces.append(Trace(step.stage, f"skipped: {step.skipped}" if step.skipped else state or missing))
    if not is_present:
        last = extend_results(traced.recipe, last, traced.tools, traced.settings)
        is_present = _rank(last, document) is not None
    return last, tuple(traces), "" if is_present else lost_at


def _describe_state(search: Search, document: str, *, is_fused: bool) -> str:
    """Describe the rank of a document among the candidates, or before fusion in each list."""
    if is_fused:
        rank = _rank(search, document)
        return f"#{rank} of {len(search.candidates)}" if rank else ""
    ranks = [
        f"{source} #{standing.rank} of {standing.of}"
        for source, ranking in search.lists.items()
        if (standing := _standing(source, ranking, document)).rank is not None
    ]
    if any(reached.document == document for reached in search.reached):
        ranks.append("reached along links")
    return ", ".join(ranks)


def _rank(search: Search, document: str) -> int | None:
    """Return the rank of a document's best section among all candidates."""
    ranks = (rank for rank, candidate in enumerate(search.candidates, start=1) if candidate.document == document)
    return next(ranks, None)


def _standings(traced: TracedQuery, document: str) -> tuple[Standing, ...]:
    """Return the rank of a document in each list, made much longer than usual."""
    pool = replace(traced.settings.pool, min=max(traced.settings.pool.min, _MIN_LIST_CHUNKS))
    search, _ = run_stages(traced.recipe, traced.query, traced.tools, replace(traced.settings, pool=pool))
    return tuple(_standing(source, ranking, document) for source, ranking in search.lists.items())


def _standing(source: str, ranking: Ranking, document: str) -> Standing:
    documents = list(dict.fromkeys(row.document for row in ranking))
    rank = documents.index(document) + 1 if document in documents else None
    return Standing(source, rank, len(documents))


def _excluding_filters(search: Search, document: Document, tools: Tools) -> tuple[str, ...]:
    """Name the filters that exclude a document by themselves, or all if only together."""
    filters = search.filters
    if tools.store.first_passing_chunks([document.id], filters):
        deferred = search.deferred_filters
        return () if tools.store.first_passing_chunks([document.id], deferred) else tuple(_set_filters(deferred))
    single = [
        name
        for name in _set_filters(filters)
        if not tools.store.first_passing_chunks([document.id], replace(Filters(), **{name: getattr(filters, name)}))
    ]
    return tuple(single or _set_filters(filters))


def _set_filters(filters: Filters) -> Iterator[str]:
    """Yield the names of the filters that are set."""
    unset = Filters()
    yield from (name for name in filters.__struct_fields__ if getattr(filters, name) != getattr(unset, name))


def _verdict(
    search: Search, rank: int | None, lost_at: str, filters: Sequence[str], lists: Sequence[Standing]
) -> tuple[str, str, str]:
    """Return verdict, stage and reason."""
    if rank is not None and rank <= search.query.limit:
        return "found", "", f"it is result #{rank}"
    if rank is not None:
        shown = f"{search.query.limit} {'is' if search.query.limit == 1 else 'are'} shown"
        return "outranked", "limit", f"it is #{rank} of {len(search.candidates)}; {shown}"
    if filters:
        return "filtered", "filter", f"excluded by {', '.join(_describe_filter(search, name) for name in filters)}"
    if lost_at:
        return "lost", lost_at, "this stage dropped it"
    return _verdict_not_retrieved(search, [standing for standing in lists if standing.rank is not None])


def _verdict_not_retrieved(search: Search, standings: Sequence[Standing]) -> tuple[str, str, str]:
    """Return verdict, stage and reason for a document that no list of the usual length contains."""
    if standings:
        ranks = ", ".join(f"#{standing.rank} of {standing.of} by {standing.source}" for standing in standings)
        return "outranked", "retrieve", f"ranked too low to be a candidate: {ranks}"
    if not search.words:
        return "unmatched", "understand", "the query contains no searchable word"
    no_vectors = "" if "vector" in search.lists else ", and vector search did not run"
    return "unmatched", "retrieve", f"no list contains it: none of the query's words match{no_vectors}"


def _copies_of(search: Search, document: str) -> Iterator[str]:
    """Describe the sections of a document that are named at a hit with the same content."""
    for shown, copies in search.copies.items():
        yield from (f"{copy.chunks[0]} is shown as a copy of {shown}" for copy in copies if copy.document == document)


def _describe_filter(search: Search, name: str) -> str:
    """Describe a filter with its values, as it is written in a query."""
    values = getattr(search.filters, name) or getattr(search.deferred_filters, name)
    if name == "phrases":
        return ", ".join(f'"{phrase}"' for phrase in values)
    if name == "without":
        return ", ".join(f"-{' '.join(group)}" for group in values)
    if name == "without_kinds":
        return f"the default exclusion of {', '.join(values)}"
    if name == "properties":
        return ", ".join(f"{key}:{value}" for key, value in values)
    if isinstance(values, int):
        return _KEYS[name]
    return f"{_KEYS[name]}:{','.join(values)}"


def _try_changes(traced: TracedQuery, document: Document, others: Iterable[tuple[Recipe, Settings]]) -> Iterator[str]:
    """Yield the added word and the other recipes that find a document."""
    for word in _missing_words(traced.query.text, document):
        rank = _try_rank(traced._replace(query=replace(traced.query, text=f"{traced.query.text} {word}")), document)
        if rank:
            yield f"add “{word}”, a word of its title: it is then #{rank}"
            break
    for recipe, settings in others:
        if recipe.name != traced.recipe.name and traced.query.mode in ("", *recipe.modes):
            rank = _try_rank(traced._replace(recipe=recipe, settings=settings), document)
            if rank:
                yield f"--recipe {recipe.name}: it is then #{rank}"


def _try_limits(traced: TracedQuery, document: Document, rank: int | None) -> Iterator[str]:
    """Yield the limit that includes a document.

    In most recipes a larger limit makes the lists longer, so that the rank itself may not be enough.
    """
    for tried in (rank, 2 * rank) if rank is not None else _TRIED_LIMITS:
        new_rank = _try_rank(traced._replace(query=replace(traced.query, limit=tried)), document)
        if new_rank:
            limit = new_rank if traced.recipe.pool_limit else tried
            yield f"--limit {limit}: it is then {'the last one shown' if new_rank == limit else f'#{new_rank}'}"
            return


def _try_path(traced: TracedQuery, document: Document) -> Iterator[str]:
    """Yield the filter that leaves out the documents of which a document is a copy."""
    filters = replace(traced.query.filters, paths=(document.id,))
    rank = _try_rank(traced._replace(query=replace(traced.query, filters=filters)), document)
    if rank:
        yield f"--in {quote(document.id)}: it is then #{rank}"


def _feedback_command(query: Query, document: Document) -> str:
    """Return the command that marks a document as relevant, which helps in any case."""
    return f"mark it as relevant: waymeet feedback {quote(query.text)} --right {quote(document.id)}"


def _filter_changes(query: Query, filters: Sequence[str], tools: Tools) -> Iterator[str]:
    """Yield the filters to drop, as written in the query or as options."""
    parsed = parse_inline_filters(query.text, tools.store.documents_by_key)
    for name in filters:
        key = _KEYS.get(name, "")
        inline = [written for written in parsed.written if written.partition(":")[0] == key] if key else []
        if name == "properties":
            properties = dict(parsed.filters.properties)
            inline = [written for written in parsed.written if written.partition(":")[0] in properties]
        if inline:
            yield f"drop {' '.join(inline)} from the query"
        elif name in {"phrases", "without"}:
            yield "drop the quotes" if name == "phrases" else "drop the excluded word"
        elif name == "without_kinds":
            yield "include its kind: --kind folders"
        else:
            yield f"drop {_OPTIONS.get(name, name)}"


def _missing_words(query: str, document: Document) -> list[str]:
    """List words of a title, or else of a file name, that a query lacks, the longest first."""
    query_terms = set(list_terms(query))
    for name in (document.title, document.id.rpartition("/")[2].partition(".")[0]):
        words = matched_words(name, set(list_terms(name)) - query_terms)
        if words:
            return sorted(words, key=lambda word: (-len(word), word))[:_MAX_TITLE_WORDS]
    return []


def _try_rank(traced: TracedQuery, document: Document) -> int | None:
    """Return the rank of a document in another query, None if it would not be shown."""
    search, _ = run_stages(*traced)
    rank = _rank(search, document.id)
    return rank if rank is not None and rank <= traced.query.limit else None
