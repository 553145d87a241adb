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


def retrievability(days: float, half_life: float | None) -> float:
    """Compute recency as retrievability: `(1 + 19/81 · t/S)^-0.5` with `S = half-life · 19/243`.

    The constants are those of FSRS (Ye, 2022), scaled so that R(half-life) = 0.5. Without a half-life, R = 1.

    >>> round(retrievability(7.0, 7.0), 4), retrievability(0.0, 7.0), retrievability(9999.0, None)
    (0.5, 1.0, 1.0)
    """
    if half_life is None:
        return 1.0
    stability = half_life * 19.0 / 243.0
    return float((1.0 + 19.0 / 81.0 * max(days, 0.0) / stability) ** -0.5)


def importance(tier: str) -> float:
    """Compute importance as tier / 3, with an unknown tier as normal.

    >>> importance("constitutional"), round(importance("normal"), 4), round(importance("?"), 4)
    (1.0, 0.3333, 0.3333)
    """
    return TIERS.get(tier, TIERS["normal"]) / _HIGHEST


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
