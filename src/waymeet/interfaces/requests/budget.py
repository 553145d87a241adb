"""Fit hits into a token budget: shorten texts, then drop the last hits, and list the cuts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.formulas.explanation import find_group
from waymeet.types import Explanation, Hit, Section

_SNIPPET_CHARS = (160, 80)
"""Maximum characters of a snippet, in the order in which they are tried."""


class FittedHits(NamedTuple):
    """Hits within a budget, their tokens, and descriptions of the cuts."""

    hits: tuple[Hit, ...]
    tokens: int
    cut: tuple[str, ...] = ()


def estimate_cost(value: object) -> int:
    """Estimate the tokens of a value in JSON."""
    return estimate_tokens(msgspec.json.encode(value).decode())


def fit_hits(hits: Sequence[Hit], budget: int) -> FittedHits:
    """Shorten hits until they fit the budget (0 for no limit), and keep at least one."""
    spent = sum(map(estimate_cost, hits))
    if not budget or spent <= budget or not hits:
        return FittedHits(tuple(hits), spent)
    cut: list[str] = []
    for description, shorten in _CUTS:
        shorter = [shorten(hit) for hit in hits]
        if shorter != list(hits):
            hits, cut = shorter, [*cut, description]
            spent = sum(map(estimate_cost, hits))
            if spent <= budget:
                return FittedHits(tuple(hits), spent, tuple(cut))
    costs = list(map(estimate_cost, hits))
    count = len(hits)
    while count > 1 and sum(costs[:count]) > budget:
        count -= 1
    if count < len(hits):
        cut.append(f"the last {len(hits) - count} of {len(hits)} results")
    if sum(costs[:count]) > budget:
        cut.append("the best result alone costs more than the budget")
    return FittedHits(tuple(hits[:count]), sum(costs[:count]), tuple(cut))


def _drop_texts(hit: Hit) -> Hit:
    return replace(hit, sections=tuple(replace(section, text="") for section in hit.sections))


def _drop_explanation_details(hit: Hit) -> Hit:
    """Reduce each explanation to its root and the root's parts."""
    return replace(
        hit, explanation=_flatten(hit.explanation), relevance_explanation=_flatten(hit.relevance_explanation)
    )


def _flatten(tree: Explanation | None) -> Explanation | None:
    if tree is None:
        return None
    return replace(
        tree, parts=tuple(Explanation(part.value, part.description, group=find_group(part)) for part in tree.parts)
    )


def _keep_one_section(hit: Hit) -> Hit:
    return replace(hit, sections=hit.sections[:1])


def _drop_linked_pages(hit: Hit) -> Hit:
    return replace(hit, linked_pages=(), translations=(), copies=())


def _shorten_snippets(chars: int) -> Callable[[Hit], Hit]:
    return lambda hit: replace(hit, sections=tuple(shorten_snippet(section, chars) for section in hit.sections))


def shorten_snippet(section: Section, chars: int) -> Section:
    """Cut a snippet to the text around its first match."""
    text = section.snippet
    if len(text) <= chars:
        return section
    first = section.highlights[0][0] if section.highlights else 0
    begin = max(min(first - chars // 4, len(text) - chars), 0)
    lead, tail = "…" if begin else "", "…" if begin + chars < len(text) else ""
    shift = len(lead) - begin
    inside = (each for each in section.highlights if begin <= each[0] and each[1] <= begin + chars)
    return replace(
        section,
        snippet=f"{lead}{text[begin : begin + chars]}{tail}",
        highlights=tuple((start + shift, end + shift) for start, end in inside),
    )


_CUTS: tuple[tuple[str, Callable[[Hit], Hit]], ...] = (
    ("whole texts of sections", _drop_texts),
    ("details of explanations", _drop_explanation_details),
    ("all but the best section of each result", _keep_one_section),
    ("linked pages, translations and copies", _drop_linked_pages),
    *((f"snippets beyond {chars} characters", _shorten_snippets(chars)) for chars in _SNIPPET_CHARS),
)
"""Descriptions and functions of the cuts, in the order in which they are made."""
