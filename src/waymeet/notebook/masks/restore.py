"""Putting values back into a text that was based on the masked form of a file.

Agents read `[secret]` in place of a value, change other parts of the text, and send all of it back. The mask must not
be written over the value.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from waymeet.errors import MaskedValueError
from waymeet.ingest.read.secrets import MASK as _MASK_BYTES
from waymeet.notebook.masks.alignment import align_lines, split_words

MASK = _MASK_BYTES.decode()
_MASK = re.compile(re.escape(MASK))
_LINE_ENDS = re.compile(r"(?:\r?\n)*")
_MAX_LISTED = 5
_MAX_COMPARED = 100_000
"""Pairs of lines that are compared to find what masks of other rules stand for."""
_MAX_UNMASKED = 3
"""Masks of a line up to which it is compared with lines of the file that have no known secret."""


class Slot(NamedTuple):
    """A mask in the masked form of a text."""

    value: str
    """What it stands for: a value, or the mask itself if the file has one."""
    line_ends: int = 0
    """Line ends that follow it, without those that stand for the lines of the value."""


class Restored(NamedTuple):
    """A text with the values put back."""

    text: str
    kept: tuple[int, ...] = ()
    """Numbers of the lines where a value was put back."""
    literal: tuple[int, ...] = ()
    """Numbers of the lines whose mask was written as it is, because the file has no value there."""


def restore_values(parts: Sequence[str], submitted: str, first_line: int = 1) -> Restored:
    r"""Put values back where a submitted text has masks.

    Args:
        parts: the current text of the file, split by `split_secrets`: plain parts and values in turn.
        submitted: the new text.
        first_line: the number of the first line of `parts` in the file, for messages.

    >>> restore_values(["password: ", "abc123", " # old"], "# Access\npassword: [secret] # new").text
    '# Access\npassword: abc123 # new'

    Raises:
        MaskedValueError: it is not certain which value a mask stands for.
    """
    if MASK not in submitted:
        return Restored(submitted)
    masked, slots = _masked_form(parts)
    if submitted == masked:
        return Restored("".join(parts), _line_numbers(masked))
    old, new = _split_lines(masked), _split_lines(submitted)
    masks = [match.start() for match in _MASK.finditer(submitted)]
    lines = _lines_of(submitted, masks)
    by_line = _group_slots(masked, slots)
    values = {line: tuple(slot.value for slot in group) for line, group in by_line.items()}
    aligned = align_lines(old, new, values, set(lines))
    found = _assign_slots(old, new, by_line, lines, aligned)
    _find_unmasked(old, new, by_line, lines, found)
    _assign_last(by_line, lines, found)
    left = sorted({lines[number] + 1 for number in range(len(lines)) if number not in found})
    missing = sorted({line + first_line for line, _ in _missing_slots(by_line, found)})
    if left and missing:
        raise _uncertain(left, missing)
    return _insert(submitted, masks, lines, found)


def describe_masks(restored: Restored) -> list[str]:
    """Describe the masks of a saved text in words."""
    notes = []
    if restored.kept:
        notes.append(f"the values behind {MASK} were kept ({_name_lines(restored.kept)} of the new text)")
    if restored.literal:
        where = _name_lines(restored.literal)
        notes.append(f"{MASK} was written as it is ({where} of the new text): the file has no value there")
    return notes


def describe_new_masks(text: str) -> list[str]:
    """Warn that a new text has masks, for example because it was copied from a masked one."""
    lines = _line_numbers(text)
    return [f"{MASK} was written as it is ({_name_lines(lines)}): it is a mask, not a value"] if lines else []


def _masked_form(parts: Sequence[str]) -> tuple[str, list[Slot]]:
    """Build the masked text as `mask_secrets` does, with a slot for each mask in it."""
    pieces: list[str] = []
    slots: list[Slot] = []
    for number, part in enumerate(parts):
        if number % 2:
            match = _LINE_ENDS.match(parts[number + 1])
            slots.append(Slot(part, match.group().count("\n") if match else 0))
            pieces.append(MASK + "\n" * part.count("\n"))
        else:
            slots += [Slot(MASK)] * part.count(MASK)
            pieces.append(part)
    return "".join(pieces), slots


def _split_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


def _line_numbers(text: str) -> tuple[int, ...]:
    return tuple(number for number, line in enumerate(text.split("\n"), start=1) if MASK in line)


def _group_slots(masked: str, slots: Iterable[Slot]) -> dict[int, list[Slot]]:
    """Group the slots by their lines."""
    groups: defaultdict[int, list[Slot]] = defaultdict(list)
    starts = [match.start() for match in _MASK.finditer(masked)]
    for line, slot in zip(_lines_of(masked, starts), slots, strict=True):
        groups[line].append(slot)
    return dict(groups)


def _lines_of(text: str, starts: Sequence[int]) -> list[int]:
    """Return the lines of ascending positions, counted from 0."""
    return list(accumulate(text.count("\n", start, end) for start, end in zip((0, *starts), starts, strict=False)))


def _group_numbers(lines: Sequence[int]) -> dict[int, list[int]]:
    """Group the numbers of masks by their lines."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        groups[line].append(number)
    return dict(groups)


def _assign_slots(
    old: Sequence[str],
    new: Sequence[str],
    by_line: Mapping[int, list[Slot]],
    lines: Sequence[int],
    aligned: Mapping[int, int],
) -> dict[int, Slot]:
    """Assign slots to the masks of aligned lines, by the number of the mask in the text."""
    found: dict[int, Slot] = {}
    for line, numbers in _group_numbers(lines).items():
        if line not in aligned:
            continue
        group = by_line[aligned[line]]
        if len(numbers) == len(group) == 1 or old[aligned[line]] == new[line]:
            found.update(zip(numbers, group, strict=True))
        else:
            found.update(_assign_in_line(old[aligned[line]], new[line], group, numbers))
    return found


def _assign_in_line(old: str, new: str, group: Sequence[Slot], numbers: Sequence[int]) -> dict[int, Slot]:
    """Assign the slots of a changed line by the words before each mask."""
    old_labels, new_labels = _labels(old), _labels(new)
    if old_labels == new_labels:
        return dict(zip(numbers, group, strict=True))
    return {
        number: group[old_labels.index(label)]
        for number, label in zip(numbers, new_labels, strict=True)
        if old_labels.count(label) == new_labels.count(label) == 1
    }


def _labels(line: str) -> list[tuple[str, ...]]:
    """List the words before each mask of a line, from the previous mask on."""
    return [split_words(text) for text in line.split(MASK)[:-1]]


def _find_unmasked(
    old: Sequence[str],
    new: Sequence[str],
    by_line: Mapping[int, list[Slot]],
    lines: Sequence[int],
    found: dict[int, Slot],
) -> None:
    """Assign masks that other rules made, if one line of the file has other text in their place."""
    groups = _group_numbers(lines)
    left = {line: numbers for line, numbers in groups.items() if not any(number in found for number in numbers)}
    present = set(new) if left else set()
    gone = [text for number, text in enumerate(old) if left and number not in by_line and text not in present]
    if len(gone) * len(left) > _MAX_COMPARED:
        return
    for line, numbers in left.items():
        plain = new[line].split(MASK)
        if len(numbers) > _MAX_UNMASKED or not split_words(" ".join(plain)):
            continue
        pattern = re.compile("(.+?)".join(map(re.escape, plain)))
        matches = {match.groups() for text in gone if (match := pattern.fullmatch(text))}
        if len(matches) == 1:
            found.update(zip(numbers, map(Slot, next(iter(matches))), strict=True))


def _missing_slots(by_line: Mapping[int, list[Slot]], found: Mapping[int, Slot]) -> list[tuple[int, Slot]]:
    """List the slots with values that no mask stands for, with their lines."""
    used = {id(slot) for slot in found.values()}
    return [
        (line, slot) for line, group in by_line.items() for slot in group if slot.value != MASK and id(slot) not in used
    ]


def _assign_last(by_line: Mapping[int, list[Slot]], lines: Sequence[int], found: dict[int, Slot]) -> None:
    """Assign the only value left to the only mask left."""
    left = [number for number in range(len(lines)) if number not in found]
    missing = _missing_slots(by_line, found)
    if len(left) == len(missing) == 1:
        found[left[0]] = missing[0][1]


def _uncertain(left: Sequence[int], missing: Sequence[int]) -> MaskedValueError:
    return MaskedValueError(
        f"Nothing was written: {MASK} in {_name_lines(left)} of the new text may stand for more than one value "
        f"({_name_lines(missing)} of the file).",
        f"Leave the lines with {MASK} as `read` shows them. To change a value, write the new one. To remove one, first "
        "write another text in its place.",
    )


def _name_lines(lines: Sequence[int]) -> str:
    """Name lines in words.

    >>> _name_lines([3]), _name_lines([3, 5])
    ('line 3', 'lines 3, 5')
    """
    shown = ", ".join(map(str, lines[:_MAX_LISTED])) + (", …" if len(lines) > _MAX_LISTED else "")
    return f"line{'s' if len(lines) > 1 else ''} {shown}"


def _insert(submitted: str, masks: Sequence[int], lines: Sequence[int], found: Mapping[int, Slot]) -> Restored:
    """Replace masks by their values, and the blank lines behind the mask of several lines."""
    pieces, position = [], 0
    for number, start in enumerate(masks):
        pieces.append(submitted[position:start])
        position = start + len(MASK)
        slot = found.get(number, Slot(MASK))
        pieces.append(slot.value)
        for _ in range(_padding(submitted, position, slot)):
            position = submitted.index("\n", position) + 1
    pieces.append(submitted[position:])
    kept = sorted({lines[number] + 1 for number, slot in found.items() if slot.value != MASK})
    literal = sorted({lines[number] + 1 for number in range(len(masks)) if number not in found})
    return Restored("".join(pieces), tuple(kept), tuple(literal))


def _padding(submitted: str, position: int, slot: Slot) -> int:
    """Count the line ends after a mask that only stand for the lines of its value."""
    match = _LINE_ENDS.match(submitted, position)
    following = match.group().count("\n") if match else 0
    return min(slot.value.count("\n"), max(following - slot.line_ends, 0))
