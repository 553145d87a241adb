"""Selection of the projects that are the likeliest to answer a query.

>>> choose_likeliest({"tea": 0.4, "api": 0.9, "wiki": 0.02, "cafe": 0.8}, 3)
('api', 'cafe')
>>> choose_likeliest({"tea": 0.4, "api": 0.6, "cafe": 0.5}, 2)
('api', 'cafe')
"""

from collections.abc import Mapping

MIN_ODDS_SHARE = 0.1
"""Share of the odds of the likeliest project below which another one is not searched. Set by hand with stored
answers of eight collections."""
_CERTAIN = 1.0 - 1e-9


def choose_likeliest(chances: Mapping[str, float], number: int) -> tuple[str, ...]:
    """Choose the keys of at most `number` highest chances, the first of equal ones.

    Chances whose odds `p / (1 - p)` are far below the best ones are left out.
    """
    ordered = sorted(chances, key=lambda key: -chances[key])[:number]
    least = MIN_ODDS_SHARE * max(map(_odds, chances.values()), default=0.0)
    return tuple(key for key in ordered if _odds(chances[key]) >= least)


def _odds(chance: float) -> float:
    chance = min(chance, _CERTAIN)
    return chance / (1.0 - chance)
