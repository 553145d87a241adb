"""Choosing the few lines of a chunk that show why it was found."""

from collections.abc import Mapping

from waymeet.analysis import token_spans

_ELLIPSIS = "…"


def snippet(text: str, wanted: Mapping[str, float], chars: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    r"""Cut the window with the most different wanted terms out of a text, and say which ranges of it match.

    >>> snippet("Nothing here.\nRanks are fused by RRF.", {"fuse": 1.0}, 100)
    ('Nothing here.\nRanks are fused by RRF.', ((24, 29),))
    >>> snippet("Nothing here at all.\nRanks are fused by RRF.", {"fuse": 1.0}, 25)
    ('Ranks are fused by RRF.', ((10, 15),))
    """
    matches = [
        (start, end, term) for start, end, terms in token_spans(text) if (term := _best(terms, wanted)) is not None
    ]
    begin, finish = _window(text, matches, wanted, chars)
    shown = text[begin:finish]
    lead = _ELLIPSIS if begin > 0 and text[begin - 1] != "\n" else ""
    tail = _ELLIPSIS if finish < len(text) and text[finish] != "\n" else ""
    shift = len(lead) - begin
    ranges = [(start + shift, end + shift) for start, end, _ in matches if begin <= start and end <= finish]
    return f"{lead}{shown}{tail}", _joined(ranges)


def _best(terms: tuple[str, ...], wanted: Mapping[str, float]) -> str | None:
    """Pick the term of a token that the query wants most; None if it wants none of them."""
    return max((term for term in terms if term in wanted), key=lambda term: (wanted[term], term), default=None)


def _window(text: str, matches: list[tuple[int, int, str]], wanted: Mapping[str, float], chars: int) -> tuple[int, int]:
    """Find the span of at most `chars` characters worth most, and round it to whole lines or words."""
    if len(text) <= chars:
        return _trimmed(text, 0, len(text))
    best, begin, finish = -1.0, 0, 0
    for i, (start, _, _) in enumerate(matches):
        inside = [match for match in matches[i:] if match[1] <= start + chars]
        worth = sum({term: wanted[term] for _, _, term in inside}.values()) + 0.01 * len(inside)
        if worth > best:
            best, begin, finish = worth, start, inside[-1][1] if inside else start
    spare = max(chars - (finish - begin), 0)
    begin = _beginning(text, begin, spare)
    return _trimmed(text, begin, _ending(text, finish, begin + chars))


def _beginning(text: str, start: int, spare: int) -> int:
    """Begin with the line that `start` stands in if that costs at most `spare`, else at a word a little before."""
    line = text.rfind("\n", 0, start) + 1
    if start - line <= spare:
        return line
    earliest = start - spare // 3
    space = text.find(" ", earliest, start)
    return space + 1 if space >= 0 else earliest


def _ending(text: str, finish: int, latest: int) -> int:
    """End at a line, else at a word, between `finish` and `latest`."""
    if latest >= len(text):
        return len(text)
    for border in ("\n", " "):
        found = text.rfind(border, finish, latest + 1)
        if found > 0:
            return found
    return latest


def _trimmed(text: str, begin: int, finish: int) -> tuple[int, int]:
    """Leave out blank lines at both ends, but keep the indentation of the first line."""
    while begin < finish and "\n" in text[begin:finish] and not text[begin : text.index("\n", begin)].strip():
        begin = text.index("\n", begin) + 1
    return begin, begin + len(text[begin:finish].rstrip())


def _joined(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Merge ranges that touch or overlap.

    >>> _joined([(0, 2), (1, 3), (5, 6)])
    ((0, 3), (5, 6))
    """
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
