"""Why a document is not among the answers: the stage at which it was lost, and what would bring it in."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import list_terms, token_spans
from waymeet.search.pipeline import iterate_stages, run_stages, start
from waymeet.search.state import Recipe, Search, Tools
from waymeet.search.understand.inline_filters import parse_inline_filters
from waymeet.settings import Settings
from waymeet.types import Document, Filters, Query

_DEEP = 2000
"""Chunks of each list that are looked at to say where a document stands."""
_WORDS = 6
"""Words of a title that are tried."""
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
    """How a document stood after a stage."""

    stage: str
    told: str


class Standing(Struct, frozen=True):
    """Where a document stands in one list."""

    source: str
    rank: int | None
    """None if it is not in it, however long the list."""
    of: int
    """How many documents the list has."""


class WhyNot(Struct, frozen=True):
    """What became of a document on the road of a query."""

    query: str
    document: str
    recipe: str
    verdict: str
    """`found`, `outranked`, `lost`, `filtered`, `unmatched` or `not_indexed`."""
    lost_at: str
    """The stage at which it was lost; empty if it was found."""
    reason: str
    changes: tuple[str, ...]
    """What would bring it in, the smallest change first."""
    rank: int | None = None
    """Its place among all answers, by its best section."""
    limit: int = 0
    lists: tuple[Standing, ...] = ()
    stages: tuple[Trace, ...] = ()


class TracedQuery(NamedTuple):
    """A query and the way it is answered."""

    recipe: Recipe
    query: Query
    tools: Tools
    settings: Settings


def why_not(road: TracedQuery, document: Document, others: Iterable[tuple[Recipe, Settings]] = ()) -> WhyNot:
    """Follow one document through the stages of a recipe; `others` are recipes that may find it."""
    query, tools = road.query, road.tools
    with tools.store.snapshot():
        search, traces, lost = _followed(road, document.id)
        rank = _place(search, document.id)
        # Trying things out must not cost anything: no model is asked from here on.
        road = road._replace(tools=tools._replace(reranker=None, expander=None))
        lists = _standings(road, document.id)
        barred = _barred(search, document, tools)
        verdict, at, reason = _verdict(search, rank, lost, barred, lists)
        changes: tuple[str, ...] = ()
        if verdict == "filtered":
            changes = tuple(_dropped(query, barred, tools))
        elif verdict != "found":
            changes = (*_tries(road, document, others), *_longer(road, document, rank), _confirmed(query, document))
    return WhyNot(
        query.text, document.id, road.recipe.name, verdict, at, reason, changes, rank, query.limit, lists, traces
    )


def _followed(road: TracedQuery, document: str) -> tuple[Search, tuple[Trace, ...], str]:
    """Run a recipe stage by stage, and say how a document stood after each and which one lost it."""
    traces: list[Trace] = []
    lost, there, fused = "", False, False
    last = start(road.recipe, road.query)
    for step, search in iterate_stages(road.recipe, last, road.tools, road.settings):
        fused, last = fused or bool(search.candidates), search
        told = _told(search, document, fused=fused)
        if there and not told:
            lost = step.stage
        there = bool(told)
        traces.append(Trace(step.stage, f"skipped: {step.skipped}" if step.skipped else told or "not there"))
    return last, tuple(traces), "" if there else lost


def _told(search: Search, document: str, *, fused: bool) -> str:
    """Say where a document stands by now."""
    if fused:
        place = _place(search, document)
        return f"#{place} of {len(search.candidates)}" if place else ""
    ranks = []
    for source, ranking in search.lists.items():
        documents = list(dict.fromkeys(each.document for each in ranking))
        if document in documents:
            ranks.append(f"{source} #{documents.index(document) + 1} of {len(documents)}")
    ranks += ["reached along links"] if any(each.document == document for each in search.reached) else []
    return ", ".join(ranks)


def _place(search: Search, document: str) -> int | None:
    """Say which answer a document is by its best section: others may have several before it."""
    places = (place for place, each in enumerate(search.candidates, start=1) if each.document == document)
    return next(places, None)


def _standings(road: TracedQuery, document: str) -> tuple[Standing, ...]:
    """Say where a document stands in each list if lists are made much longer."""
    pool = replace(road.settings.pool, min=max(road.settings.pool.min, _DEEP))
    search, _ = run_stages(road.recipe, road.query, road.tools, replace(road.settings, pool=pool))
    found = []
    for source, ranking in search.lists.items():
        documents = list(dict.fromkeys(each.document for each in ranking))
        rank = documents.index(document) + 1 if document in documents else None
        found.append(Standing(source, rank, len(documents)))
    return tuple(found)


def _barred(search: Search, document: Document, tools: Tools) -> tuple[str, ...]:
    """Name the filters that leave a document out: each alone does, or all together."""
    filters = search.filters
    if tools.store.first_passing_chunks([document.id], filters):
        late = search.deferred_filters
        return () if tools.store.first_passing_chunks([document.id], late) else tuple(_set(late))
    alone = [
        name for name in _set(filters) if not tools.store.first_passing_chunks([document.id], _only(filters, name))
    ]
    return tuple(alone or _set(filters))


def _set(filters: Filters) -> Iterator[str]:
    usual = Filters()
    yield from (name for name in filters.__struct_fields__ if getattr(filters, name) != getattr(usual, name))


def _only(filters: Filters, name: str) -> Filters:
    return replace(Filters(), **{name: getattr(filters, name)})


def _verdict(
    search: Search, rank: int | None, lost: str, barred: Sequence[str], lists: Sequence[Standing]
) -> tuple[str, str, str]:
    if rank is not None and rank <= search.query.limit:
        return "found", "", f"it is answer #{rank}"
    if rank is not None:
        return "outranked", "limit", f"it is #{rank} of {len(search.candidates)}; {search.query.limit} are shown"
    if barred:
        return "filtered", "filter", f"it is left out by {', '.join(_named(search, name) for name in barred)}"
    if lost:
        return "lost", lost, f"the stage {lost} dropped it"
    return _unheard(search, [each for each in lists if each.rank is not None])


def _unheard(search: Search, stood: Sequence[Standing]) -> tuple[str, str, str]:
    """Say why no list of the usual length has a document."""
    if stood:
        told = ", ".join(f"#{each.rank} of {each.of} by {each.source}" for each in stood)
        return "outranked", "retrieve", f"it is too far down to be looked at: {told}"
    if not search.words:
        return "unmatched", "understand", "the query has no word that can be looked up"
    unasked = "" if "vector" in search.lists else ", and meaning was not asked"
    return "unmatched", "retrieve", f"no list contains it: it has none of the query's words{unasked}"


def _named(search: Search, name: str) -> str:
    """Name a filter for people, with its values."""
    values = getattr(search.filters, name) or getattr(search.deferred_filters, name)
    if name == "phrases":
        return ", ".join(f'"{phrase}"' for phrase in values)
    if name == "without":
        return ", ".join(f"-{' '.join(group)}" for group in values)
    if name == "without_kinds":
        return f"leaving out {', '.join(values)}"
    if name == "properties":
        return ", ".join(f"{key}:{value}" for key, value in values)
    if isinstance(values, int):
        return _KEYS[name]
    return f"{_KEYS[name]}:{','.join(values)}"


def _tries(road: TracedQuery, document: Document, others: Iterable[tuple[Recipe, Settings]]) -> Iterator[str]:
    """Try out other wordings and other recipes, the smallest change first."""
    for word in _missing(road.query.text, document):
        place = _tried(road._replace(query=replace(road.query, text=f"{road.query.text} {word}")), document)
        if place:
            yield f"add “{word}”, a word of its title: it is then #{place}"
            break
    for recipe, settings in others:
        if recipe.name != road.recipe.name and road.query.mode in ("", *recipe.modes):
            place = _tried(road._replace(recipe=recipe, settings=settings), document)
            if place:
                yield f"--recipe {recipe.name}: it is then #{place}"


def _longer(road: TracedQuery, document: Document, rank: int | None) -> Iterator[str]:
    """Say how many answers would have to be shown: more answers also begin their walks from more places."""
    for limit in (rank, 2 * rank) if rank is not None else ():
        place = _tried(road._replace(query=replace(road.query, limit=limit)), document)
        if place:
            yield f"--limit {limit}: it is then {'the last one shown' if place == limit else f'#{place}'}"
            return


def _confirmed(query: Query, document: Document) -> str:
    """Name what helps in any case."""
    return f"tell that it is right: waymeet feedback {quote(query.text)} --right {quote(document.id)}"


def _dropped(query: Query, barred: Sequence[str], tools: Tools) -> Iterator[str]:
    """Say which filters to leave out, as the asker wrote them."""
    told = parse_inline_filters(query.text, tools.store.documents_by_key)
    for name in barred:
        key = _KEYS.get(name, "")
        inline = [each for each in told.written if each.partition(":")[0] == key] if key else []
        if name == "properties":
            inline = [each for each in told.written if each.partition(":")[0] in dict(told.filters.properties)]
        if inline:
            yield f"drop {' '.join(inline)} from the query"
        elif name in {"phrases", "without"}:
            yield "drop the quotes" if name == "phrases" else "drop the excluded word"
        elif name == "without_kinds":
            yield "ask for its kind: --kind folders"
        else:
            yield f"drop {_OPTIONS.get(name, name)}"


def _missing(text: str, document: Document) -> list[str]:
    """List words of a title, or else of a path, that a query lacks, the longest first."""
    mine = set(list_terms(text))
    for source in (document.title, document.id.rpartition("/")[2].partition(".")[0]):
        found = {
            source[start:end]: None for start, end, each in token_spans(source) if each and not mine.issuperset(each)
        }
        if found:
            return sorted(found, key=lambda word: (-len(word), word))[:_WORDS]
    return []


def _tried(road: TracedQuery, document: Document) -> int | None:
    """Say which answer a document would be; None if it would not be one."""
    search, _ = run_stages(*road)
    place = _place(search, document.id)
    return place if place is not None and place <= road.query.limit else None
