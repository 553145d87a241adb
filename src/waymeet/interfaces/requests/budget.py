"""Making an answer fit a number of tokens: first texts get shorter, then the last results go, and it is said."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.types import Explanation, Hit, Section

_SNIPPETS = (160, 80)
"""Characters that are left of a snippet, step by step."""


class Fitted(NamedTuple):
    """Hits that fit, what they cost, and what was left out for it."""

    hits: tuple[Hit, ...]
    tokens: int
    cut: tuple[str, ...] = ()


def cost(value: object) -> int:
    """Estimate the tokens of a value as it is sent."""
    return estimate_tokens(msgspec.json.encode(value).decode())


def fitted(hits: Sequence[Hit], budget: int) -> Fitted:
    """Make hits fit a budget, 0 for no bound; at least one hit stays, however small the budget."""
    spent = sum(map(cost, hits))
    if not budget or spent <= budget or not hits:
        return Fitted(tuple(hits), spent)
    cut: list[str] = []
    for said, shorten in _STEPS:
        shorter = [shorten(hit) for hit in hits]
        if shorter != list(hits):
            hits, cut = shorter, [*cut, said]
            spent = sum(map(cost, hits))
            if spent <= budget:
                return Fitted(tuple(hits), spent, tuple(cut))
    costs = list(map(cost, hits))
    kept = len(hits)
    while kept > 1 and sum(costs[:kept]) > budget:
        kept -= 1
    if kept < len(hits):
        cut.append(f"the last {len(hits) - kept} of {len(hits)} results")
    if sum(costs[:kept]) > budget:
        cut.append("the best result alone costs more than the budget")
    return Fitted(tuple(hits[:kept]), sum(costs[:kept]), tuple(cut))


def _without_texts(hit: Hit) -> Hit:
    return replace(hit, sections=tuple(replace(each, text="") for each in hit.sections))


def _without_details(hit: Hit) -> Hit:
    """Leave of explanations the sum and its parts, without theirs."""
    return replace(hit, explanation=_flat(hit.explanation), relevance_explanation=_flat(hit.relevance_explanation))


def _flat(tree: Explanation | None) -> Explanation | None:
    if tree is None:
        return None
    return replace(tree, parts=tuple(Explanation(each.value, each.description) for each in tree.parts))


def _with_one_section(hit: Hit) -> Hit:
    return replace(hit, sections=hit.sections[:1])


def _without_neighbours(hit: Hit) -> Hit:
    return replace(hit, linked_pages=(), translations=())


def _with_snippets_of(chars: int) -> Callable[[Hit], Hit]:
    return lambda hit: replace(hit, sections=tuple(_shortened(each, chars) for each in hit.sections))


def _shortened(section: Section, chars: int) -> Section:
    """Cut a snippet down to what lies around its first match."""
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


_STEPS: tuple[tuple[str, Callable[[Hit], Hit]], ...] = (
    ("whole texts of sections", _without_texts),
    ("details of explanations", _without_details),
    ("all but the best section of each result", _with_one_section),
    ("linked pages and translations", _without_neighbours),
    *((f"snippets beyond {chars} characters", _with_snippets_of(chars)) for chars in _SNIPPETS),
)
