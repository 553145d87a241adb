"""When words alone have answered so clearly that nothing else needs to be asked."""


def strong(best: float, second: float, least: float = 0.85, gap: float = 0.15) -> bool:
    """Tell whether the best is good enough and far enough ahead, both as parts of what the words reach at best.

    >>> strong(0.9, 0.7), strong(0.9, 0.8), strong(0.8, 0.2)
    (True, False, False)
    """
    return best >= least and best - second >= gap - 1e-12


def top_bonus(rank: int, bonuses: tuple[float, ...] = (0.05, 0.02, 0.02)) -> float:
    """Reward a result once for its best rank in any list.

    >>> [top_bonus(rank) for rank in (1, 2, 3, 4)]
    [0.05, 0.02, 0.02, 0.0]
    >>> round(2 * 2 / 61 + top_bonus(1), 4)
    0.1156
    """
    return bonuses[rank - 1] if 1 <= rank <= len(bonuses) else 0.0
