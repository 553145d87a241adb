"""Select the lines of a chunk that match the query best."""

from collections.abc import Mapping

from waymeet.analysis import token_spans

_ELLIPSIS = "…"
_ROUNDING = 1e-9
"""Differences of weights below it are none: of equal windows, the first is taken."""


def snippet(text: str, term_weights: Mapping[str, float], chars: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    r"""Cut out the window with the most different query terms, and return the ranges that match.

    >>> snippet("Nothing here.\nRanks are fused by RRF.", {"fuse": 1.0}, 100)
    ('Nothing here.\nRanks are fused by RRF.', ((24, 29),))
    >>> snippet("Nothing here at all.\nRanks are fused by RRF.", {"fuse": 1.0}, 25)
    ('Ranks are fused by RRF.', ((10, 15),))
    """
    wanted = term_weights.keys()
    matches = [
        (start, end, _best_term(terms, term_weights))
        for start, end, terms in token_spans(text)
        if not wanted.isdisjoint(terms)
    ]
    begin, finish = _window(text, matches, term_weights, chars)
    shown = text[begin:finish]
    lead = _ELLIPSIS if begin > 0 and text[begin - 1] != "\n" else ""
    tail = _ELLIPSIS if finish < len(text) and text[finish] != "\n" else ""
    shift = len(lead) - begin
    ranges = [(start + shift, end + shift) for start, end, _ in matches if begin <= start and end <= finish]
    return f"{lead}{shown}{tail}", _merge_ranges(ranges)


def _best_term(terms: tuple[str, ...], term_weights: Mapping[str, float]) -> str:
    """Return the term of a token with the largest weight. At least one is in the query."""
    return max((term for term in terms if term in term_weights), key=lambda term: (term_weights[term], term))


def _window(
    text: str, matches: list[tuple[int, int, str]], term_weights: Mapping[str, float], chars: int
) -> tuple[int, int]:
    """Find the best window of at most `chars` characters, and extend it to whole lines or words.

    A window is rated by the weights of its different terms. The number of matches breaks ties.
    """
    if len(text) <= chars:
        return _trim(text, 0, len(text))
    best, begin, finish = -1.0, 0, 0
    for i, (start, _, _) in enumerate(matches):
        inside = [match for match in matches[i:] if match[1] <= start + chars]
        weight = sum({term: term_weights[term] for _, _, term in inside}.values()) + 0.01 * len(inside)
        if weight > best + _ROUNDING:
            best, begin, finish = weight, start, inside[-1][1] if inside else start
    spare = max(chars - (finish - begin), 0)
    begin = _extend_start(text, begin, spare)
    return _trim(text, begin, _extend_end(text, finish, begin + chars))


def _extend_start(text: str, start: int, spare: int) -> int:
    """Move the start back to the beginning of its line, by at most `spare` characters.

    If the line begins earlier, move it to the beginning of a word.
    """
    line = text.rfind("\n", 0, start) + 1
    if start - line <= spare:
        return line
    earliest = start - spare // 3
    space = text.find(" ", earliest, start)
    return space + 1 if space >= 0 else earliest


def _extend_end(text: str, finish: int, latest: int) -> int:
    """Move the end to the end of a line, else of a word, between `finish` and `latest`."""
    if latest >= len(text):
        return len(text)
    for border in ("\n", " "):
        position = text.rfind(border, finish, latest + 1)
        if position > 0:
            return position
    return latest


def _trim(text: str, begin: int, finish: int) -> tuple[int, int]:
    """Remove blank lines at both ends, but keep the indentation of the first line."""
    while begin < finish and "\n" in text[begin:finish] and not text[begin : text.index("\n", begin)].strip():
        begin = text.index("\n", begin) + 1
    return begin, begin + len(text[begin:finish].rstrip())


def _merge_ranges(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Merge ranges that touch or overlap.

    >>> _merge_ranges([(0, 2), (1, 3), (5, 6)])
    ((0, 3), (5, 6))
    """
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
