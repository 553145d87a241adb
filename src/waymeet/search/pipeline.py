"""Run a recipe on a query: understand → retrieve → fuse → rank → shape.

1. understand: read words, phrases, exclusions and filters; correct spelling, expand acronyms.
2. retrieve: rank chunks by words (BM25), by vectors, and by links.
3. fuse: merge the ranked lists into one list of candidates.
4. rank: adjust the candidates' scores by names, links, feedback and rerankers.
5. shape: turn the best candidates into hits with snippets, reasons and explanations.

A recipe lists the stages of steps 1 to 4. A stage is a function from one immutable `Search` to the next. A stage that
fails is skipped: the answer is made without it and names it in `degraded` (see `failed_stages`).
"""

from collections import Counter
from collections.abc import Iterator
from time import perf_counter

from msgspec.structs import replace

from waymeet.errors import UnknownRecipeError
from waymeet.search.cancellation import check_cancelled
from waymeet.search.failed_stages import fall_back, report_failure
from waymeet.search.fuse.fusion import place_below
from waymeet.search.retrieve.first_stage import pool_size
from waymeet.search.shape.facets import count_facets
from waymeet.search.shape.hits import shape, shape_plainly
from waymeet.search.shape.relevance import RelevanceVerdict
from waymeet.search.state import Recipe, Search, Stage, Tools
from waymeet.settings import Settings
from waymeet.types import LOW_RELEVANCE_NOTE, Answer, Filters, Hit, Query, Step

_POOL_GROWTH = 10
"""Factor by which lists of fixed length grow if a query wants more results than they gave."""


def answer_query(recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> Answer:
    """Answer a query by a recipe, from one generation of the index."""
    started = perf_counter()
    with tools.store.snapshot() as generation:
        search, steps = run_stages(recipe, query, tools, settings)
        check_cancelled()
        shaping_started = perf_counter()
        search, hits, relevance = _shape(search, tools, settings)
        facets = count_facets(search.candidates, tools.store) if query.facets else ()
    steps = (*steps, Step("shape", perf_counter() - shaping_started, search.skipped))
    return Answer(
        query=query.text,
        recipe=recipe.name,
        mode=search.mode,
        intent=search.intent,
        search_type=search.search_type,
        hits=hits,
        total_found=len(search.candidates),
        low_relevance=relevance.is_low,
        has_word_match=relevance.has_matches,
        degraded=search.degraded,
        notes=(*search.notes, LOW_RELEVANCE_NOTE) if relevance.is_low else search.notes,
        expanded=tuple(variant.text for variant in search.variants),
        strong_signal=search.strong_signal,
        reranked=bool(search.reranker_scores),
        vector_coverage=search.vector_coverage,
        facets=facets,
        steps=steps,
        generation=generation,
        seconds=perf_counter() - started,
    )


def _shape(search: Search, tools: Tools, settings: Settings) -> tuple[Search, tuple[Hit, ...], RelevanceVerdict]:
    """Build the hits, without staleness, relevance and linked pages if these fail."""
    search = replace(search, skipped=None)
    try:
        return search, *shape(search, tools, settings)
    except Exception as error:  # noqa: BLE001 - reported, or raised again
        hits = shape_plainly(search, tools, settings)
        return report_failure(search, "shape", error), hits, RelevanceVerdict([], is_low=False, has_matches=True)


def run_stages(recipe: Recipe, query: Query, tools: Tools, settings: Settings) -> tuple[Search, tuple[Step, ...]]:
    """Run all stages of a recipe, and record the time or skip reason of each."""
    search, steps = _run_once(recipe, start(recipe, query), tools, settings)
    return extend_results(recipe, search, tools, settings), steps


def _run_once(recipe: Recipe, search: Search, tools: Tools, settings: Settings) -> tuple[Search, tuple[Step, ...]]:
    steps = []
    for step, after in iterate_stages(recipe, search, tools, settings):
        search = after
        steps.append(step)
    return fall_back(search, tools, settings), tuple(steps)


def start(recipe: Recipe, query: Query, pool_limit: int = 0) -> Search:
    """Create the state that the first stage of a recipe gets.

    Raises:
        UnknownRecipeError: the recipe does not have the query's mode.
    """
    if query.mode and query.mode not in recipe.modes:
        known = f"It has: {', '.join(recipe.modes)}." if recipe.modes else f"The recipe {recipe.name} has no modes."
        raise UnknownRecipeError(f"The recipe {recipe.name} has no mode {query.mode!r}.", known)
    mode = query.mode or next(iter(recipe.modes), "")
    return Search(query, mode, _exclude_kinds(query.filters), pool_limit or recipe.pool_limit, text=query.text)


def extend_results(recipe: Recipe, search: Search, tools: Tools, settings: Settings) -> Search:
    """Append results of longer lists if the query wants more than the fixed lists gave.

    The first results stay as they are, so that the limit of a query never changes their order.
    """
    longer = search
    while search.pool_limit and len(search.candidates) <= search.query.limit and _is_cut(longer, tools, settings):
        pool_limit = longer.pool_limit * _POOL_GROWTH
        longer, _ = _run_once(recipe, start(recipe, search.query, pool_limit), tools, settings)
        search = _append_results(search, longer)
    return search


def _is_cut(search: Search, tools: Tools, settings: Settings) -> bool:
    """Return whether longer lists, or links from more documents, could give further results."""
    is_full = any(len(ranking) >= pool_size(search, tools, settings) for ranking in search.lists.values())
    documents = {candidate.document for candidate in search.candidates}
    return is_full or len(documents) > search.pool_results * settings.pool.seeds


def _append_results(search: Search, longer: Search) -> Search:
    """Append the new results of longer lists, with scores below those of the first ones."""
    counts = Counter(candidate.document for candidate in search.candidates)
    max_counts = Counter(candidate.document for candidate in longer.candidates)
    left_out = search.replaced.keys() | {shown for hidden, shown in longer.replaced.items() if hidden in counts}
    present = _present_chunks(search, longer)
    further = []
    for candidate in longer.candidates:
        document = candidate.document
        is_new = (candidate.chunks or (document,)) not in present and document not in left_out
        if is_new and counts[document] < max_counts[document]:
            counts[document] += 1
            further.append(candidate)
    search = replace(search, copies={**longer.copies, **search.copies})
    below = place_below(search.candidates, further, "further result of longer lists, behind those of shorter ones")
    return replace(search, candidates=(*search.candidates, *below))


def _present_chunks(search: Search, longer: Search) -> set[tuple[str, ...]]:
    """List the chunks of the first results and of their copies.

    Longer lists may show another chunk of a group of copies: that one is listed, too.
    """
    present = {candidate.chunks or (candidate.document,) for candidate in search.candidates}
    present |= {copy.chunks for copies in search.copies.values() for copy in copies}
    return present | {
        (shown,) for shown, copies in longer.copies.items() if any(copy.chunks in present for copy in copies)
    }


def iterate_stages(recipe: Recipe, search: Search, tools: Tools, settings: Settings) -> Iterator[tuple[Step, Search]]:
    """Yield the time or skip reason of each stage, with the state after it.

    Raises:
        SearchCancelledError: the client has left, or has sent a newer search.
    """
    for stage in recipe.stages:
        check_cancelled()
        started, before = perf_counter(), search
        try:
            search = stage(replace(search, skipped=None), tools, settings)
        except Exception as error:  # noqa: BLE001 - reported, or raised again
            search = report_failure(search, stage_name(stage), error)
        seconds = perf_counter() - started
        yield Step(stage_name(stage), seconds, search.skipped, _describe_effect(before, search)), search


def _describe_effect(before: Search, after: Search) -> str:
    """Describe what a stage changed in the state of the search."""
    effects = [
        f"{source} list of {len(ranking)} sections"
        for source, ranking in after.lists.items()
        if before.lists.get(source) is not ranking
    ]
    if after.variants != before.variants:
        effects.append(f"{len(after.variants)} alternative wordings")
    if after.strong_signal != before.strong_signal:
        effects.append("strong signal" if after.strong_signal else "no strong signal")
    if after.intent != before.intent:
        effects.append(f"intent {after.intent}")
    if after.reranker_scores is not before.reranker_scores:
        effects.append(f"{len(after.reranker_scores)} candidates scored by the reranker")
    if after.candidates is not before.candidates:
        effects.append(f"{len(after.candidates)} candidates")
    return ", ".join(effects)


def stage_name(stage: Stage) -> str:
    """Name a stage after its function."""
    return getattr(stage, "__name__", repr(stage))


def _exclude_kinds(filters: Filters) -> Filters:
    """Exclude proxies always, and folders unless the query filters by kind.

    A folder's text has the names of all files in it, so folders would match nearly every query.
    """
    excluded = ("proxies",) if filters.kinds else ("folders", "proxies")
    return replace(filters, without_kinds=(*filters.without_kinds, *excluded))
