"""Stages that propagate scores one hop along links and shared rare names."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from waymeet.analysis import normalise_text
from waymeet.analysis.keys import MENTION_PREFIX
from waymeet.formulas.explanation import product, total, value
from waymeet.formulas.graph import propagated_share
from waymeet.ports import Neighbour
from waymeet.search.rank.bonus import add_bonuses, share_among_sections
from waymeet.search.retrieve.first_stage import report_fan_out
from waymeet.search.state import Search, Tools
from waymeet.settings import Auto, Settings
from waymeet.types import Explanation

_NAME_SOURCES = 5
"""Leading documents whose names are followed: names in lower ones have little to do with the query."""


class _Contribution(NamedTuple):
    """A bonus that one document gets from another."""

    score: float
    source: str
    reason: str
    """How the two are connected, shown before the name of the source."""
    share: float
    """Share of the source's score, or of its square, that is passed on."""
    weight: float
    """Weight of the link or shared name, from which the share is computed."""
    degree: int
    """Number of documents that the source is connected with."""


def boost_linked(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a share of each leading document's squared score to the documents linked with it.

    The square favours the documents that match best. Of several contributions only the largest counts.
    """
    if search.query.depth == 0 or not search.candidates:
        return search.skip("no candidates to start from" if search.query.depth != 0 else "depth 0")
    scores = _document_scores(search)
    sources = list(scores)[: search.pool_results * settings.pool.seeds]
    contributions: dict[str, _Contribution] = {}
    truncated = []
    length_factor, weight_by_kind = _length_factor(tools), dict[tuple[str, bool], float]()
    for source, links in tools.store.neighbours(sources, search.query.link_types).items():
        weights = _link_weights(links, settings.auto, weight_by_kind)
        degree = len(weights)
        share, squared_score = propagated_share(length_factor, degree), scores[source] ** 2
        if degree > settings.graph.fan_out:
            truncated.append(source)
            heaviest = sorted(weights.items(), key=lambda item: (-item[1][0], item[0]))
            weights = dict(heaviest[: settings.graph.fan_out])
        for document, (weight, outward) in weights.items():
            link_share = weight * share
            score = link_share * squared_score
            if _is_largest(score, contributions.get(document)):
                reason = "linked from" if outward else "links to"
                contributions[document] = _Contribution(score, source, reason, link_share, weight, degree)
    bonuses = {
        document: _explain_link(contributions[document], scores, length_factor)
        for document in _select_receivers(contributions, scores, search, settings)
    }
    search = add_bonuses(search, tools, bonuses, "graph")
    return report_fan_out(search, truncated, settings) if truncated else search


def boost_shared_names(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a share of the best documents' scores to documents that mention the same rare names.

    Names in the query itself are left out, since their documents match already. A document is raised to at most
    `auto.shared_name_cap` of the score of the document that it shares the name with. Its sections share the bonus.
    """
    if search.query.depth == 0 or not search.candidates:
        return search.skip("no candidates to start from" if search.query.depth != 0 else "depth 0")
    scores = _document_scores(search)
    query_words = frozenset(normalise_text(search.text).split())
    names_by_source = _mentioned_names(tools, list(scores)[:_NAME_SOURCES], query_words)
    documents_by_name = tools.store.documents_by_key(
        {name for names in names_by_source.values() for name in names}, settings.auto.shared_name_max_documents
    )
    contributions: dict[str, _Contribution] = {}
    weight, cap, length_factor = settings.auto.shared_name_weight, settings.auto.shared_name_cap, _length_factor(tools)
    for source, names in names_by_source.items():
        shared: dict[str, str] = {}
        for name in names:
            for document in documents_by_name.get(name, ()):
                shared.setdefault(document, name.removeprefix(MENTION_PREFIX))
        shared.pop(source, None)
        share = propagated_share(weight * length_factor, len(shared))
        for document, name in shared.items():
            bonus = min(share * scores[source], cap * scores[source] - scores.get(document, 0.0))
            if _is_largest(bonus, contributions.get(document)):
                reason = f"shares the name “{name}” with"
                contributions[document] = _Contribution(bonus, source, reason, share, weight, len(shared))
    bonuses = {
        document: _explain_shared_name(contributions[document], scores, document, length_factor, cap)
        for document in _select_receivers(contributions, scores, search, settings)
    }
    return add_bonuses(search, tools, share_among_sections(bonuses, tools), "shared")


def _mentioned_names(tools: Tools, documents: Sequence[str], query_words: frozenset[str]) -> dict[str, list[str]]:
    """List the names that each document mentions, without those in the query."""
    by_id = tools.store.documents(documents)
    return {
        document: [
            name
            for name in by_id[document].names
            if name.startswith(MENTION_PREFIX) and not query_words.issuperset(name[len(MENTION_PREFIX) :].split())
        ]
        for document in documents
        if document in by_id
    }


def _document_scores(search: Search) -> dict[str, float]:
    """Return the score of each document's best section, best document first and at least 0."""
    scores: dict[str, float] = {}
    for candidate in search.candidates:
        scores.setdefault(candidate.document, max(candidate.score.value, 0.0))
    return scores


def _length_factor(tools: Tools) -> float:
    """Return the factor for the length of texts: from 0.5 for very short ones to 1."""
    return (1.0 + tools.store.corpus_profile().text_length) / 2.0


def _explain_share(contribution: _Contribution, weight_name: str, length_factor: float) -> Explanation:
    weight = f"{weight_name} {contribution.weight:g} × text length factor {length_factor:.3g}"
    return value(contribution.share, f"{weight} / (1 + ln(degree)), degree = {contribution.degree}")


def _is_largest(score: float, known: _Contribution | None) -> bool:
    return score > 0.0 and (known is None or score > known.score)


def _select_receivers(
    contributions: Mapping[str, _Contribution], scores: Mapping[str, float], search: Search, settings: Settings
) -> list[str]:
    """Select all documents that are candidates already, and the best of the others."""
    known = [document for document in contributions if document in scores]
    limit = search.pool_results * settings.pool.seeds
    new = sorted(contributions.keys() - known, key=lambda document: (-contributions[document].score, document))
    return known + new[:limit]


def _link_weights(
    links: Sequence[Neighbour], auto: Auto, weight_by_kind: dict[tuple[str, bool], float]
) -> dict[str, tuple[float, bool]]:
    """Return the weight of the heaviest link to each neighbour, and whether it is outgoing.

    `weight_by_kind` caches weights between calls: there are hundreds of links, but few kinds.
    """
    weights: dict[str, tuple[float, bool]] = {}
    for document, kind, outward, _ in links:
        weight = weight_by_kind.get((kind, outward))
        if weight is None:
            out_part, in_part = auto.links.of(kind)
            weight = weight_by_kind[kind, outward] = (
                auto.outlink_weight * out_part if outward else auto.inlink_weight * in_part
            )
        if weight > 0.0 and (document not in weights or weight > weights[document][0]):
            weights[document] = weight, outward
    return weights


def _explain_link(contribution: _Contribution, scores: Mapping[str, float], length_factor: float) -> Explanation:
    source, score = contribution.source, scores[contribution.source]
    return product(
        f"{contribution.reason} {source}",
        _explain_share(contribution, "link weight", length_factor),
        value(score, f"score of {source}"),
        value(score, f"score of {source}, again: the score is squared"),
        group="links",
    )


def _explain_shared_name(
    contribution: _Contribution, scores: Mapping[str, float], document: str, length_factor: float, cap: float
) -> Explanation:
    """Explain a bonus for a shared name, which is a share of the source's score up to a cap."""
    source = contribution.source
    reason = f"{contribution.reason} {source}"
    score = value(scores[source], f"score of {source}")
    uncapped = product(
        reason, _explain_share(contribution, "shared name weight", length_factor), score, group="bonuses"
    )
    if uncapped.value <= contribution.score:
        return uncapped
    capped = product(f"capped at {cap:g} × score of {source}", value(cap, "cap (auto.shared_name_cap)"), score)
    return total(
        f"{reason}, up to the cap", capped, value(-scores.get(document, 0.0), "own score, subtracted"), group="bonuses"
    )
