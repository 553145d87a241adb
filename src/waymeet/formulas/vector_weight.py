"""Weight of the vector score beside the lexical score, by the kind of texts in the index."""

_SHORT, _FULL = 20.0, 40.0
"""Average terms per chunk up to which texts count as short, and from which on as long."""
_MOSTLY = 0.5
"""Share of source files above which an index counts as code."""
_MIN_TRUST = 0.2
"""Share of its weight that a score keeps even if nothing is similar, or few words match."""


def part_between(value: float, low: float, high: float) -> float:
    """Map a value linearly from `low`…`high` to 0…1, clamped at both ends.

    >>> part_between(30.0, 25.0, 50.0), part_between(60.0, 25.0, 50.0)
    (0.2, 1.0)
    """
    return min(max((value - low) / (high - low), 0.0), 1.0)


def text_length_factor(body: float, code: float) -> float:
    """Rate the average text length from 0 (a few words) to 1 (paragraphs, or mostly code).

    `body` is the average number of terms per chunk, `code` the share of source files.

    >>> text_length_factor(17.0, 0.0), text_length_factor(35.0, 0.0), text_length_factor(17.0, 0.9)
    (0.0, 0.75, 1.0)
    """
    return 1.0 if code > _MOSTLY else part_between(body, _SHORT, _FULL)


def code_vector_weight(sections: float, functions: float, usual: float) -> float:
    """Interpolate the vector weight of code by the number of sections per file.

    One section per file is a single function, two or more are a whole source file.

    >>> [round(code_vector_weight(sections, 0.9, 0.3), 2) for sections in (1.0, 1.5, 12.0)]
    [0.9, 0.6, 0.3]
    """
    return functions - (functions - usual) * part_between(sections, 1.0, 2.0)


def weight_share(reached: float, enough: float) -> float:
    """Compute the share of its weight that a score keeps by what its best hit reaches.

    For vectors that is the similarity in steps above the noise level, for words their share in the hit.

    >>> weight_share(1.5, 1.2), weight_share(0.6, 1.2), weight_share(-0.5, 1.2)
    (1.0, 0.5, 0.2)
    """
    return max(part_between(reached, 0.0, enough), _MIN_TRUST)


def balanced_weight(vector: float, lexical: float) -> float:
    """Compute the vector weight, of 1 in all, from the weights of both scores.

    >>> balanced_weight(0.5, 0.5), balanced_weight(0.5, 0.25), balanced_weight(0.0, 0.5)
    (0.5, 0.6666666666666666, 0.0)
    """
    return vector / (vector + lexical) if vector else 0.0
