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
    """Align masked lines by lines near them that are unique in both texts.

    A unique line directly above labels a masked line, as a heading does. If no equal masked line was added or removed,
    the next unique line above is enough, unless other lines show that the masked one was moved.
    """
    unique = _unique_lines(old, new)
    labels: defaultdict[int, set[int]] = defaultdict(set)
    evidence: defaultdict[int, set[int]] = defaultdict(set)
    old_equal, new_equal = _count_equal_nearby(old, values), _count_equal_nearby(new, masked)
    for is_label, old_line, new_line in _runs_from_unique_lines(old, new, unique):
        if new_line in masked and old_line in values:
            evidence[new_line].add(old_line)
            if is_label and old_equal[old_line] == new_equal[new_line]:
                labels[new_line].add(old_line)
    claims = Counter(line for lines in labels.values() for line in lines)
    aligned = {line: min(found) for line, found in labels.items() if len(found) == 1 and claims[min(found)] == 1}
    for line, old_line in _pair_below_unique_lines(old, new, values, masked, unique):
        if line not in aligned and evidence.get(line, {old_line}) == {old_line}:
            aligned[line] = old_line
    return aligned


def _count_equal_nearby(text: Sequence[str], masked: Collection[int]) -> dict[int, int]:
    """Count for each masked line the equal ones below the same unique line of the text."""
    counts = Counter(text)
    groups = _group_below(
        text, masked, {number: number for number, line in enumerate(text) if line and counts[line] == 1}
    )
    return {number: len(numbers) for numbers in groups.values() for number in numbers}


def _pair_below_unique_lines(
    old: Sequence[str],
    new: Sequence[str],
    values: Mapping[int, tuple[str, ...]],
    masked: Collection[int],
    unique: Mapping[int, int],
) -> Iterator[tuple[int, int]]:
    """Pair equal masked lines below the same unique line, if none was added or removed."""
    new_groups = _group_below(new, masked, {line: line for line in unique})
    old_groups = _group_below(old, values, {old_line: line for line, old_line in unique.items()})
    old_counts, new_counts = Counter(old[line] for line in values), Counter(new[line] for line in masked)
    old_texts, new_texts = set(old), set(new)
    for group, lines in new_groups.items():
        candidates = old_groups.get(group, [])
        if len(lines) != len(candidates) or old_counts[group[1]] != new_counts[group[1]]:
            continue
        for number, (line, old_line) in enumerate(zip(lines, candidates, strict=True)):
            between = new[lines[number - 1] + 1 : line] if number else new[group[0] + 1 : line]
            old_start = candidates[number - 1] if number else unique.get(group[0], -1)
            is_added = any(text and text not in old_texts for text in between)
            is_gone = any(text and text not in new_texts for text in old[old_start + 1 : old_line])
            if len(lines) == 1 or not (is_added and is_gone):  # else a label may have been changed
                yield line, old_line


def _unique_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Map the lines of the new text that occur once in each text to those of the old one."""
    places = {line: number for number, line in enumerate(old)}
    old_counts, new_counts = Counter(old), Counter(new)
    return {
        number: places[line]
        for number, line in enumerate(new)
        if line and new_counts[line] == 1 and old_counts[line] == 1
    }


def _group_below(
    text: Sequence[str], masked: Collection[int], unique: Mapping[int, int]
) -> dict[tuple[int, str], list[int]]:
    """Group masked lines by their text and the unique line above, -1 for the start of the text."""
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    above = -1
    for number, line in enumerate(text):
        if number in masked:
            groups[above, line].append(number)
        above = unique.get(number, above)
    return dict(groups)


def _runs_from_unique_lines(
    old: Sequence[str], new: Sequence[str], unique: Mapping[int, int]
) -> Iterator[tuple[bool, int, int]]:
    """Yield pairs of equal lines next to unique ones, and whether these label them."""
    for anchor, old_anchor in (*unique.items(), (-1, -1), (len(new), len(old))):
        if anchor in unique:
            yield True, old_anchor, anchor
        for step in (1, -1):
            has_blank, distance = False, step
            while anchor + distance not in unique and _are_equal(old, new, old_anchor + distance, anchor + distance):
                has_blank = has_blank or not new[anchor + distance]
                is_above = step == 1 and anchor in unique
                is_label = is_above and (not has_blank or new[anchor].startswith("#"))
                yield is_label, old_anchor + distance, anchor + distance
                distance += step


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
