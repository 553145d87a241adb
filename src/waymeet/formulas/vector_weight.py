"""How much meaning counts beside words, by what kind of texts are searched."""

_SHORT, _FULL = 20.0, 40.0
"""Terms up to which a text is a remark, and from which on it says enough about itself."""
_MOSTLY = 0.5
_LEAST = 0.2
"""What meaning keeps of its weight even if nothing is near."""


def part_between(value: float, low: float, high: float) -> float:
    """Say how far a value has come from one bound to another, between 0 and 1.

    >>> part_between(30.0, 25.0, 50.0), part_between(60.0, 25.0, 50.0)
    (0.2, 1.0)
    """
    return min(max((value - low) / (high - low), 0.0), 1.0)


def text_length_factor(body: float, code: float) -> float:
    """Say how much texts of so many terms say about themselves: 0 for remarks, 1 for paragraphs and mostly code.

    >>> text_length_factor(17.0, 0.0), text_length_factor(35.0, 0.0), text_length_factor(17.0, 0.9)
    (0.0, 0.75, 1.0)
    """
    return 1.0 if code > _MOSTLY else part_between(body, _SHORT, _FULL)


def code_vector_weight(sections: float, functions: float, usual: float) -> float:
    """Weigh meaning in code by how many sections a file has: one that is a single function is known by what it does.

    >>> [round(code_vector_weight(sections, 0.9, 0.3), 2) for sections in (1.0, 1.5, 12.0)]
    [0.9, 0.6, 0.3]
    """
    return functions - (functions - usual) * part_between(sections, 1.0, 2.0)


def similarity_trust(steps: float, enough: float) -> float:
    """Say which part of its weight meaning keeps if the nearest is so far above what has nothing to do with a question.

    >>> similarity_trust(1.5, 1.2), similarity_trust(0.6, 1.2), similarity_trust(-0.5, 1.2)
    (1.0, 0.5, 0.2)
    """
    return max(part_between(steps, 0.0, enough), _LEAST)
