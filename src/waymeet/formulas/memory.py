"""Formulas of the recipe `memory`: convergence, recency, importance, final score."""

from collections.abc import Mapping

from waymeet.formulas.explanation import product, total, value, weighted
from waymeet.types import Explanation

TIERS: Mapping[str, float] = {
    "constitutional": 3.0,
    "critical": 2.0,
    "important": 1.5,
    "normal": 1.0,
    "temporary": 0.5,
    "deprecated": 0.0,
}
_HIGHEST = 3.0


def boost_converged(fused: Explanation, lists: int, factor: float = 1.1) -> Explanation:
    """Multiply the fused score by a factor if two or more lists contain the candidate.

    >>> from waymeet.formulas.fusion import rrf
    >>> fused = rrf({"vector": 2, "lexical": 5, "graph": 1}, {"graph": 1.5})
    >>> round(fused.value, 4), round(boost_converged(fused, lists=3).value, 4)
    (0.0561, 0.0617)
    """
    if lists < 2:
        return fused
    return product(
        "fused score × convergence factor", fused, value(factor, f"convergence factor: found in {lists} lists")
    )


def stability_of(half_life: float) -> float:
    """Compute the stability in days that gives `R(half-life) = 0.5`: `half-life · 19/243`.

    >>> stability_of(60.0)
    4.691358024691358
    """
    return half_life * 19.0 / 243.0


def retrievability(days: float, stability: float | None) -> float:
    """Compute recency as retrievability, `(1 + 19/81 · t/S)^-0.5`, or 1 without a stability.

    This is the forgetting curve of FSRS (Ye, 2022): R(S) = 0.9.

    >>> round(retrievability(7.0, stability_of(7.0)), 4), round(retrievability(7.0, 7.0), 4)
    (0.5, 0.9)
    >>> retrievability(0.0, 7.0), retrievability(9999.0, None)
    (1.0, 1.0)
    """
    if stability is None:
        return 1.0
    return float((1.0 + 19.0 / 81.0 * max(days, 0.0) / stability) ** -0.5)


def importance(tier: str) -> float:
    """Compute importance as tier / 3, with an unknown tier as normal.

    >>> importance("constitutional"), round(importance("normal"), 4), round(importance("?"), 4)
    (1.0, 0.3333, 0.3333)
    """
    return TIERS.get(tier, TIERS["normal"]) / _HIGHEST


def suggest_tier(reviews: int, confirmations: int, recency: float) -> str:
    """Suggest a tier from use: often confirmed entries are important, old unread ones temporary.

    `constitutional` and `deprecated` are decisions of people and never suggested.

    >>> suggest_tier(12, 3, 0.9), suggest_tier(5, 1, 0.9), suggest_tier(10, 0, 0.9)
    ('critical', 'important', 'important')
    >>> suggest_tier(1, 0, 0.1), suggest_tier(0, 0, 0.1)
    ('normal', 'temporary')
    """
    if reviews >= 10 and confirmations >= 3:
        return "critical"
    if reviews >= 10 or (reviews >= 5 and confirmations >= 1):
        return "important"
    return "temporary" if not reviews and recency < 0.25 else "normal"


def final_score(
    similarity: Explanation,
    recency: Explanation,
    tier: Explanation,
    weights: tuple[float, float, float],
    kind: Explanation,
) -> Explanation:
    """Compute `(w_sim·similarity + w_rec·recency + w_imp·importance) × document type factor`.

    The weights are given in the order recency, importance, similarity.

    >>> parts = value(1.0, "similarity"), value(0.5, "recency"), value(importance("normal"), "importance")
    >>> round(final_score(*parts, (0.5, 0.2, 0.3), value(1.3, "plan")).value, 4)
    0.8017
    """
    for_recency, for_importance, for_similarity = weights
    weighted_sum = total(
        "w_sim·similarity + w_rec·recency + w_imp·importance",
        weighted(for_similarity, "similarity", similarity),
        weighted(for_recency, "recency", recency),
        weighted(for_importance, "importance", tier),
    )
    return product("weighted sum × document type factor", weighted_sum, kind)
