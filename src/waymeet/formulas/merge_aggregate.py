"""How the sections of a document make one score for the whole."""

from collections.abc import Sequence

from waymeet.formulas.explanation import largest, mean, product, total, value
from waymeet.types import Explanation


def aggregate(
    sections: Sequence[Explanation], best_weight: float = 0.8, mean_weight: float = 0.2, top: int = 3
) -> Explanation:
    """Reward the best section and, a little, consistency: `0.8·max + 0.2·mean(top 3)`. One section: its score.

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
        f"{len(sections)} sections of the document",
        product("best section", value(best_weight, "weight"), largest("best", *leading)),
        product(f"mean of the best {len(leading)}", value(mean_weight, "weight"), mean("mean", *leading)),
    )
