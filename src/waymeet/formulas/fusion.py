"""Fusion of ranked lists: by rank (RRF), by score (linear), and by a three-way sum."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from waymeet.formulas.explanation import group_of_source, largest, mean, product, quotient, total, value, weighted
from waymeet.types import Explanation


def aggregate(
    sections: Sequence[Explanation], best_weight: float = 0.8, mean_weight: float = 0.2, top: int = 3
) -> Explanation:
    """Aggregate section scores into a document score: `0.8·max + 0.2·mean(top 3)`.

    A single section gives its own score.

    >>> sections = [value(score, "section") for score in (0.9, 0.6, 0.3, 0.1)]
    >>> round(aggregate(sections).value, 4)
    0.84
    >>> aggregate(sections[1:2]).value
    0.6
    """
    if not sections:
        return value(0.0, "no section")
    if len(sections) == 1:
        return sections[0]
    leading = sorted(sections, key=lambda section: -section.value)[:top]
    return total(
        f"{best_weight:g}·max + {mean_weight:g}·mean of the {len(leading)} best of {len(sections)} sections",
        product("weight × best section", value(best_weight, "weight"), largest("best section", *leading)),
        product("weight × mean", value(mean_weight, "weight"), mean(f"mean of {len(leading)} sections", *leading)),
    )


def match_scales(score: float, pairs: Sequence[tuple[float, float]]) -> float:
    """Convert a score between two scales.

    `pairs` are scores of the same rank on both, the highest first. A score is interpolated linearly. Beyond the pairs,
    the slope is that from the first to the last.

    >>> pairs = [(0.5, 0.9), (0.3, 0.8), (0.1, 0.5)]
    >>> [round(match_scales(score, pairs), 3) for score in (0.5, 0.4, 0.2, 0.6, 0.0)]
    [0.9, 0.85, 0.65, 1.0, 0.4]
    """
    (first, first_target), (last, last_target) = pairs[0], pairs[-1]
    slope = (first_target - last_target) / (first - last) if first > last else 0.0
    if score >= first:
        return first_target + (score - first) * slope
    if score <= last:
        return last_target + (score - last) * slope
    lower = bisect_left(pairs, -score, key=lambda pair: -pair[0])
    (high, high_target), (low, low_target) = pairs[lower - 1], pairs[lower]
    return low_target + (score - low) / (high - low) * (high_target - low_target)


def is_strong_signal(best: float, second: float, least: float = 0.85, gap: float = 0.15) -> bool:
    """Check whether the best score is high enough and far enough ahead of the second.

    Both scores are shares of the highest score that the query's words reach in this index.

    >>> is_strong_signal(0.9, 0.7), is_strong_signal(0.9, 0.8), is_strong_signal(0.8, 0.2)
    (True, False, False)
    """
    return best >= least and best - second >= gap - 1e-12


def top_rank_bonus(rank: int, bonuses: tuple[float, ...] = (0.05, 0.02, 0.02)) -> float:
    """Give the bonus for a candidate's best rank in any list.

    >>> [top_rank_bonus(rank) for rank in (1, 2, 3, 4)]
    [0.05, 0.02, 0.02, 0.0]
    >>> round(2 * 2 / 61 + top_rank_bonus(1), 4)
    0.1156
    """
    return bonuses[rank - 1] if 1 <= rank <= len(bonuses) else 0.0


def rrf(ranks: Mapping[str, int], weights: Mapping[str, float], k: float = 60.0) -> Explanation:
    """Fuse ranks by reciprocal rank fusion: `Σ weight / (k + rank)`, ranks from 1.

    Cormack, Clarke and Büttcher, 2009.

    >>> round(rrf({"vector": 1, "lexical": 3}, {}).value, 5)
    0.03227
    """
    parts = (
        value(
            weights.get(source, 1.0) / (k + rank),
            f"{source} rank {rank}: {weights.get(source, 1.0):g} / ({k:g} + {rank})",
            group_of_source(source),
        )
        for source, rank in ranks.items()
    )
    return total("reciprocal rank fusion = Σ weight / (k + rank)", *parts)


def share_of_best(name: str, score: Explanation, best: float) -> Explanation:
    """Divide a score by the best one of its list, or give 0 for scores that are not positive.

    >>> share_of_best("vector", value(-0.9, "cosine"), best=-0.1).value
    0.0
    """
    if score.value <= 0.0 or best <= 0.0:
        return value(0.0, f"{name} / best {name} = 0: not above 0")
    return quotient(f"{name} / best {name}", score, value(best, f"best {name}"))


def linear(shares: Mapping[str, Explanation], weights: Mapping[str, float]) -> Explanation:
    """Fuse normalised scores linearly: `Σ weight · score`.

    >>> lexical = share_of_best("lexical", value(8.0, "BM25"), best=10.0)
    >>> vector = share_of_best("vector", value(0.6, "cosine"), best=0.9)
    >>> round(linear({"lexical": lexical, "vector": vector}, {"lexical": 0.7, "vector": 0.3}).value, 4)
    0.76
    """
    return total(
        "linear fusion = Σ weight × score", *(weighted(weights[name], name, part) for name, part in shares.items())
    )


def three_way_weights(alpha: float, fulltext_share: float, any_fulltext: bool) -> tuple[float, float, float]:
    """Compute the weights of vector, graph and full text.

    Without full-text hits the graph gets their share.

    >>> [round(weight, 2) for weight in three_way_weights(0.7, 0.3, any_fulltext=True)]
    [0.7, 0.21, 0.09]
    >>> [round(weight, 2) for weight in three_way_weights(0.7, 0.3, any_fulltext=False)]
    [0.7, 0.3, 0.0]
    """
    gamma = (1.0 - alpha) * fulltext_share if any_fulltext else 0.0
    return alpha, (1.0 - alpha) - gamma, gamma


def three_way(
    vector: Explanation, graph: Explanation, fulltext: Explanation, weights: tuple[float, float, float]
) -> Explanation:
    """Fuse the three scores of a document: `α·vector + β·graph + γ·fulltext`.

    >>> signals = value(0.8, "vector"), value(0.5, "graph"), value(0.4, "fulltext")
    >>> round(three_way(*signals, three_way_weights(0.7, 0.3, any_fulltext=True)).value, 3)
    0.701
    >>> signals = value(0.8, "vector"), value(0.5, "graph"), value(0.0, "fulltext")
    >>> round(three_way(*signals, three_way_weights(0.7, 0.3, any_fulltext=False)).value, 3)
    0.71
    """
    alpha, beta, gamma = weights
    return total(
        "α·vector + β·graph + γ·full text",
        product("α × vector similarity", value(alpha, "α"), vector, group="vector"),
        product("β × graph proximity", value(beta, "β"), graph, group="links"),
        product("γ × full text", value(gamma, "γ"), fulltext, group="lexical"),
    )
