"""How much of a score is left along a way through the graph."""

from collections.abc import Mapping

CODE_DECAYS: Mapping[str, float] = {"contains": 0.95, "extends": 0.85, "implements": 0.85, "imports": 0.70}


def decayed(score: float, kinds: tuple[str, ...], decays: Mapping[str, float], otherwise: float = 0.8) -> float:
    """Multiply a score by the decay of every edge along a way.

    >>> round(decayed(0.8, ("contains",), CODE_DECAYS), 3), round(decayed(0.8, ("contains", "imports"), CODE_DECAYS), 3)
    (0.76, 0.532)
    """
    for kind in kinds:
        score *= decays.get(kind, otherwise)
    return score
