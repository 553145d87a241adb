"""The search page: a form, results with their explanations, and facets."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.requests.operations.search import SearchAnswer
from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.frame import FRAME, page_url
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.newest_search import NEWEST
from waymeet.interfaces.web.pages.fields import FACETS, LIMITS, SearchState, read_state
from waymeet.interfaces.web.signals import Bar, build_bar
from waymeet.interfaces.web.suggestions import drop_unfinished, has_words, suggest_filters
from waymeet.recipes import RECIPES
from waymeet.types import Facet, Hit, Section

OTHER_RECIPES = ("threeway", "classic")
"""Recipes that are offered when nothing looks relevant."""

_FENCE = re.compile(r"(`{3,}|~{3,})\s*[\w+.#-]*")
"""The line before or after a block of code in Markdown."""
_MARKS = re.compile(
    r"""^#{1,6} +|!?\[(?P<text>[^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+["'][^"']*["'])?\)"""
    r"|<a\s+(?:id|name)=[^<>]*>\s*</a>",
    re.IGNORECASE,
)
"""The marks of a heading, a link or image with its text, and an anchor without text."""


class SnippetPart(NamedTuple):
    """A piece of a snippet."""

    text: str
    is_match: bool


class ShownHit(NamedTuple):
    """A hit with what a template shows of it."""

    hit: Hit
    headings: tuple[str, ...]
    parts: tuple[SnippetPart, ...]
    bar: Bar | None
    project: str = ""
    """Name of its project, if several are searched."""
    prefix: str | None = None
    """What is put before the path of its document, if it is of another project than the page."""


class ShownFacet(NamedTuple):
    """A facet with the addresses that switch its values on and off."""

    name: str
    values: tuple[tuple[str, int | None, str, bool], ...]
    """Value, count if it is known, address, and whether it is chosen."""


async def show_search(asker: Asker, request: Request) -> Response:
    """Show the search form, with results if there is a query."""
    return respond("search.html", {**await _search(asker, request), "has_trees": True})


async def show_results(asker: Asker, request: Request) -> Response:
    """Show the results alone, for the script that searches while a query is typed.

    The calculations of the scores, most of the page, are loaded when they are opened.
    """
    with NEWEST.replace(request):
        return respond("results.html", {**await _search(asker, request), "has_trees": False})


async def _search(asker: Asker, request: Request) -> dict[str, Any]:
    state = read_state(request)
    shown = asker.mask(state)
    return {
        "state": shown,
        "query": shown.query,
        "recipes": list_recipes(asker),
        "project": FRAME.get().project or asker.mask(asker.project.root.name),
        "results_url": page_url("/results"),
        **await _results(asker, state, shown),
    }


async def _results(asker: Asker, state: SearchState, shown: SearchState) -> dict[str, Any]:
    completions = await suggest_filters(lambda fields: asker.ask("filters", **fields), shown)
    searched = drop_unfinished(state.query) if completions else state.query
    if not searched:
        return {"answer": None, "completions": completions}
    request = state._replace(query=searched).request()
    answer: SearchAnswer = await asker.ask("search", **request, explain=True, facets=True)
    return {
        **show_answer(answer, shown),
        "completions": completions,
        "has_words": has_words(searched),
        "hits": [show_hit(hit) for hit in answer.hits],
        "compare": shown.url("/compare", **{"with": "classic" if answer.recipe != "classic" else "auto"}),
    }


def show_answer(answer: SearchAnswer, shown: SearchState) -> dict[str, Any]:
    """Prepare what surrounds the hits of an answer for a template."""
    more = next((limit for limit in LIMITS if limit > len(answer.hits)), 0)
    has_more = bool(more) and answer.total_found > len(answer.hits) == (shown.limit or LIMITS[0])
    return {
        "answer": answer,
        "facets": list(_facets(answer.facets, shown)),
        "more": shown._replace(limit=more).url() if has_more else "",
        "suggestions": list(suggest_searches(answer, shown)),
        "compare": "",
    }


def list_recipes(asker: Asker) -> list[str]:
    """Name the recipes that a person may choose."""
    own = asker.project.settings.recipes
    return [name for name in (*RECIPES, *own) if name != "skills_recall"]


def show_hit(hit: Hit) -> ShownHit:
    """Prepare a hit for a template."""
    section = hit.sections[0] if hit.sections else None
    headings = section.headings if section else ()
    if headings and headings[0] == hit.title:
        headings = headings[1:]
    parts = (
        tuple(split_snippet(section, {hit.title, *section.headings} if hit.kind != "code" else set()))
        if section
        else ()
    )
    return ShownHit(hit, headings, parts, build_bar(hit.explanation) if hit.explanation else None)


def split_snippet(section: Section, headings: Collection[str]) -> Iterator[SnippetPart]:
    """Split a snippet into matches and the text between them.

    Empty lines, rules, and lines that only repeat a heading shown above are left out unless nothing else is there.
    Without headings, it is code, which stays as it is.
    """
    kept = [line for line in _lines(section.snippet) if _is_text(section.snippet[slice(*line)], headings)]
    for number, (first, last) in enumerate(kept or _lines(section.snippet)):
        if number:
            yield SnippetPart("\n", is_match=False)
        shown = _visible(section.snippet[first:last]) if headings else [(0, last - first)]
        for start, end in shown:
            yield from _split_range(section, first + start, first + end)


def _split_range(section: Section, position: int, last: int) -> Iterator[SnippetPart]:
    """Split a part of a line into matches and the text between them."""
    for match in section.highlights:
        start, end = max(match[0], position), min(match[1], last)
        if start >= end:
            continue
        if start > position:
            yield SnippetPart(section.snippet[position:start], is_match=False)
        yield SnippetPart(section.snippet[start:end], is_match=True)
        position = end
    if position < last:
        yield SnippetPart(section.snippet[position:last], is_match=False)


def _lines(text: str) -> list[tuple[int, int]]:
    """List the ranges of the lines of a text."""
    ranges, start = [], 0
    for line in text.split("\n"):
        ranges.append((start, start + len(line)))
        start += len(line) + 1
    return ranges


def _visible(line: str) -> list[tuple[int, int]]:
    """List the ranges of a line without the marks of headings and the addresses of links.

    >>> [[line[slice(*part)] for part in _visible(line)] for line in ("## Setup", "#tag", "See [it](a.md).")]
    [['Setup'], ['#tag'], ['See ', 'it', '.']]
    >>> _visible('<a id="setup"></a>'), len(_visible("use <br> here"))
    ([], 1)
    """
    ranges, start = list[tuple[int, int]](), 0
    for mark in _MARKS.finditer(line):
        text = mark.span("text") if mark["text"] else (mark.end(), mark.end())
        ranges += [(start, mark.start()), text]
        start = mark.end()
    return [(first, last) for first, last in (*ranges, (start, len(line))) if last > first]


def _is_text(line: str, headings: Collection[str]) -> bool:
    """Return whether a line shows more than the headings do.

    >>> _is_text("## Setup", {"Setup"}), _is_text("", ()), _is_text("Setup is easy.", {"Setup"}), _is_text("…", ())
    (False, False, True, False)
    >>> _is_text("```js", {"Setup"}), _is_text("```js", ()), _is_text("|---|:--:|", {"Setup"})
    (False, True, False)
    """
    if headings and _is_rule(line.strip()):
        return False
    shown = "".join(line[slice(*part)] for part in _visible(line)) if headings else line
    if not shown.strip():
        return False
    text = line.strip().lstrip("…#").rstrip("#…").strip()
    return bool(text) and not (line.lstrip(" …").startswith("#") and text in headings)


def _is_rule(line: str) -> bool:
    """Return whether a line is the border of a block of code, or below the head of a table."""
    return bool(_FENCE.fullmatch(line)) or ("---" in line and set(line) <= set("|:- "))


def _facets(facets: Sequence[Facet], state: SearchState) -> Iterator[ShownFacet]:
    """Add addresses to facets, and keep chosen values that no result has."""
    for name, field in FACETS.items():
        counted = next((facet.values for facet in facets if facet.name == name), ())
        counts = {value.value: value.count for value in counted}
        counts = {**dict.fromkeys(state.values(field), 0), **counts}
        if len(counts) > 1 or state.values(field):
            chosen = state.values(field)
            values = (
                (value, count, state.toggle(field, value).url(), value in chosen) for value, count in counts.items()
            )
            yield ShownFacet(name, tuple(values))


def suggest_searches(answer: SearchAnswer, state: SearchState) -> Iterator[tuple[str, str]]:
    """Suggest other searches when nothing was found or looks relevant: label and address."""
    if answer.hits and not answer.low_relevance:
        return
    if state.filters:
        yield "Search without filters", state.without_filters().url()
    words = state.query.replace('"', "").split()
    if '"' in state.query:
        yield "Search without quotes", state._replace(query=" ".join(words)).url()
    for recipe in OTHER_RECIPES:
        if recipe != answer.recipe:
            yield f"Rank by {recipe}", state._replace(recipe=recipe).url()
