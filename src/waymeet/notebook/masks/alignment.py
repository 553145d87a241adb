"""Alignment of the lines of two versions of a text that have masks in place of values.

A masked line such as `password: [secret]` may occur several times with different values. A line of the new text is
aligned with a line of the old one only if that is certain: by unique lines around it (as in patience diff), because no
other line has the same text, or because it resembles one old line more than any other.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from re import findall

_MIN_SIMILARITY = 0.4
"""Share of equal words from which a changed line counts as the same line."""
_MAX_PAIRS = 20_000
"""Pairs of changed lines that are compared; above that, none is."""


def align_lines(
    old: Sequence[str], new: Sequence[str], values: Mapping[int, tuple[str, ...]], masked: Collection[int]
) -> dict[int, int]:
    """Align masked lines of a new text with those of the old one, as far as that is certain.

    Args:
        old: the lines of the old text.
        new: the lines of the new text.
        values: the values behind the masks of old lines, by line.
        masked: the lines of the new text that have masks.
    """
    aligned = _align_by_neighbours(old, new, values, masked)
    _align_equal(old, new, values, _unaligned(masked, aligned), aligned)
    _align_similar(old, new, values, _unaligned(masked, aligned), aligned)
    return aligned


def _unaligned(masked: Collection[int], aligned: Mapping[int, int]) -> list[int]:
    return [line for line in sorted(masked) if line not in aligned]


def _align_by_neighbours(
    old: Sequence[str], new: Sequence[str], values: Mapping[int, tuple[str, ...]], masked: Collection[int]
) -> dict[int, int]:
    """Align masked lines that equal lines connect with a line that is unique in both texts.

    Where two such lines contradict each other, because the lines between them were removed, the one that labels the
    masked line decides, and none if both may.
    """
    evidence: defaultdict[int, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for strength, old_line, new_line in _runs_from_unique_lines(old, new):
        if new_line in masked and old_line in values:
            evidence[new_line][strength].add(old_line)
    strongest = {new_line: lines[max(lines)] for new_line, lines in evidence.items()}
    claims = Counter(line for lines in strongest.values() for line in lines)
    single = {new_line: next(iter(lines)) for new_line, lines in strongest.items() if len(lines) == 1}
    return {new_line: line for new_line, line in single.items() if claims[line] == 1}


_LABEL, _NEARBY, _TEXT_END = 2, 1, 0
"""Strength of a unique line: it labels the masked line, it is only near it, it is the start or end of the text."""


def _runs_from_unique_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield pairs of equal lines next to lines that occur once in each text, and a strength."""
    places = {line: number for number, line in enumerate(old)}
    old_counts, new_counts = Counter(old), Counter(new)
    anchors = {
        number: places[line]
        for number, line in enumerate(new)
        if line and new_counts[line] == 1 and old_counts[line] == 1
    }
    ends = {-1: -1, len(new): len(old)}
    for anchor, old_anchor in (*anchors.items(), *ends.items()):
        if anchor in anchors:
            yield _LABEL, old_anchor, anchor
        for step in (1, -1):
            has_blank, distance = False, step
            while anchor + distance not in anchors and _are_equal(old, new, old_anchor + distance, anchor + distance):
                has_blank = has_blank or not new[anchor + distance]
                line = new[anchor + distance]
                strength = _TEXT_END if anchor in ends else _strength(new[anchor], line, step, has_blank=has_blank)
                yield strength, old_anchor + distance, anchor + distance
                distance += step


def _strength(anchor: str, line: str, step: int, *, has_blank: bool) -> int:
    """Judge whether a unique line above (`step` 1) or below (-1) a masked line labels it."""
    is_heading = anchor.startswith("#")
    if step == 1:
        return _NEARBY if has_blank and not is_heading else _LABEL
    is_outside = len(anchor) - len(anchor.lstrip()) < len(line) - len(line.lstrip())
    return _NEARBY if has_blank or is_heading or is_outside else _LABEL


def _are_equal(old: Sequence[str], new: Sequence[str], old_line: int, new_line: int) -> bool:
    return 0 <= old_line < len(old) and 0 <= new_line < len(new) and old[old_line] == new[new_line]


def _align_equal(
    old: Sequence[str],
    new: Sequence[str],
    values: Mapping[int, tuple[str, ...]],
    masked: Sequence[int],
    aligned: dict[int, int],
) -> None:
    """Align equal lines if there is one of them, or if all have the same values."""
    used = set(aligned.values())
    old_lines: defaultdict[str, list[int]] = defaultdict(list)
    for line in values:
        if line not in used:
            old_lines[old[line]].append(line)
    new_lines: defaultdict[str, list[int]] = defaultdict(list)
    for line in masked:
        new_lines[new[line]].append(line)
    for text, lines in new_lines.items():
        candidates = old_lines.get(text, [])
        is_certain = len(lines) == len(candidates) == 1 or len({values[line] for line in candidates}) == 1
        if is_certain and len(lines) <= len(candidates):
            aligned.update(zip(lines, candidates, strict=False))


def _align_similar(
    old: Sequence[str],
    new: Sequence[str],
    values: Mapping[int, tuple[str, ...]],
    masked: Sequence[int],
    aligned: dict[int, int],
) -> None:
    """Align changed lines that resemble one line more than any other, in both directions."""
    used = set(aligned.values())
    candidates = [line for line in values if line not in used]
    if not masked or not candidates or len(masked) * len(candidates) > _MAX_PAIRS:
        return
    old_words = {line: split_words(old[line]) for line in candidates}
    scores: dict[tuple[int, int], tuple[bool, float]] = {}
    for new_line in masked:
        words = split_words(new[new_line])
        for line in candidates:
            similarity = SequenceMatcher(None, old_words[line], words, autojunk=False).ratio()
            scores[new_line, line] = (_label(old_words[line]) == _label(words) != (), round(similarity, 3))
    for new_line in masked:
        best = _single_best({line: scores[new_line, line] for line in candidates})
        if best is None or _single_best({other: scores[other, best] for other in masked}) != new_line:
            continue
        has_same_label, similarity = scores[new_line, best]
        if has_same_label or similarity >= _MIN_SIMILARITY:
            aligned[new_line] = best


def _single_best(scores: Mapping[int, tuple[bool, float]]) -> int | None:
    """Return the key of the highest score, or None if there are several."""
    highest = max(scores.values())
    best = [key for key, score in scores.items() if score == highest]
    return best[0] if len(best) == 1 else None


def split_words(line: str) -> tuple[str, ...]:
    """Split a line into words and masks, without punctuation and the bullet of a list.

    >>> split_words("2. api_key: [secret]  # old")
    ('api_key', '[secret]', 'old')
    """
    return tuple(findall(r"\[secret\]|\w+", line.lstrip(" \t-*+>|0123456789.)")))


def _label(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words before the first mask."""
    return tuple(words[: words.index("[secret]")]) if "[secret]" in words else ()
