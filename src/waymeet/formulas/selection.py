"""Selection of the projects that a query is searched in, by an estimate for each.

>>> choose_likeliest({"tea": 0.4, "api": 0.9, "wiki": 0.1, "cafe": 0.4}, 2)
('api', 'tea')
>>> choose_likeliest({"tea": 0.4, "api": 0.9}, 0)
('tea', 'api')
"""

from collections.abc import Mapping


def choose_likeliest(estimates: Mapping[str, float], number: int) -> tuple[str, ...]:
    """Choose the keys of the highest estimates, the first of equal ones; 0 chooses all."""
    if not 0 < number < len(estimates):
        return tuple(estimates)
    return tuple(sorted(estimates, key=lambda key: -estimates[key])[:number])
