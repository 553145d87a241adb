"""The screen of the picker as lines of styled text, for any size of the terminal."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from waymeet.interfaces.cli.ask.picker.state import PickerState
from waymeet.interfaces.render.text import Line, Segment, to_single_line
from waymeet.types import Hit

Width = Callable[[str], int]
"""Counts the columns of a text."""

_SIDE_COLUMNS = 100
"""Columns from which the preview is beside the list instead of below it."""
_MIN_PREVIEW_ROWS = 14
"""Rows from which there is a preview below the list."""
_MIN_TWO_ROWS = 8
"""Rows of the list from which each hit has two."""
_MAX_LINES = 2000
"""Lines of a section that the preview shows."""
_MATCH = "bold yellow"
"""Style of a matched word."""
KEYS = "Enter open · Ctrl-Y copy · Tab preview · PgUp PgDn scroll · Esc leave"


def screen_lines(state: PickerState, columns: int, rows: int, width: Width) -> list[Line]:
    """Lay out the list of hits and the preview."""
    if not state.hits:
        text, style = _explain_empty(state)
        return [fit([(row, style)], columns, width) for row in wrap(to_single_line(text), max(columns, 1), width)][
            :rows
        ]
    if state.shows_preview and columns >= _SIDE_COLUMNS:
        left = columns * 2 // 5
        listed = list_lines(state, left, rows, width)
        shown = preview_lines(state, columns - left - 3, rows, width)
        pairs = zip_longest(listed, shown, fillvalue=())
        return [[*fit(one, left, width), (" │ ", "dim"), *other] for one, other in pairs]
    if state.shows_preview and rows >= _MIN_PREVIEW_ROWS:
        top = min(rows * 2 // 5, len(state.hits) * 2)
        listed = list_lines(state, columns, top, width)
        rule: Line = [("─" * columns, "dim")]
        return [*listed, rule, *preview_lines(state, columns, rows - len(listed) - 1, width)]
    return list_lines(state, columns, rows, width)


def _explain_empty(state: PickerState) -> Segment:
    """Explain why there are no results."""
    if state.message:
        return state.message, "yellow"
    if state.is_searching:
        return "Searching…", "dim"
    if state.found is None:
        return "Type what to search for. Filters work, too: kind:code path:src/", "dim"
    return "Nothing found.", "yellow"


def list_lines(state: PickerState, columns: int, rows: int, width: Width) -> list[Line]:
    """Show the hits around the selected one."""
    height = 2 if rows >= _MIN_TWO_ROWS else 1
    visible = max(rows // height, 1)
    first = min(max(state.selected - visible // 2, 0), max(len(state.hits) - visible, 0))
    lines: list[Line] = []
    for number, hit in enumerate(state.hits[first : first + visible], start=first):
        is_selected = number == state.selected
        lines += [fit(line, columns, width) for line in _hit_lines(hit, is_selected, columns, width)[:height]]
    return lines[:rows]


def _hit_lines(hit: Hit, is_selected: bool, columns: int, width: Width) -> list[Line]:
    mark = ("▌ ", "bold green") if is_selected else ("  ", "")
    relevance = "" if hit.relevance is None else f"{hit.relevance:.2f}"
    place = shorten(to_single_line(hit.id), columns - len(relevance) - 4, width)
    return [
        [mark, (place, "bold cyan reverse" if is_selected else "cyan"), (f"  {relevance}", "green")],
        [mark, (heading_path(hit), "" if is_selected else "dim")],
    ]


def heading_path(hit: Hit) -> str:
    """Join the title and the headings of a hit."""
    return " › ".join(dict.fromkeys(filter(None, (hit.title, *hit.sections[0].headings))))


def preview_lines(state: PickerState, columns: int, rows: int, width: Width) -> list[Line]:
    """Show the heading path, the reason and the numbered lines of the selected hit."""
    hit = state.hit
    if hit is None or rows < 1:
        return []
    head: list[Line] = [[(heading_path(hit), "bold")], [(hit.relevance_reason, "dim")], []]
    if hit.staleness in {"stale", "possibly_stale"}:
        head.insert(2, [(f"{hit.staleness.replace('_', ' ')}: {hit.staleness_reason}", "yellow")])
    body = list(_numbered_lines(hit, state.text, columns, width))
    head = head[: max(rows - 1, 1)]
    visible = max(rows - len(head), 0)
    scroll = _row_of_match(body, visible) if state.scroll is None else state.scroll
    state.scroll = min(scroll, max(len(body) - visible, 0))
    lines = [*head, *body[state.scroll : state.scroll + visible]]
    return [fit(line, columns, width) for line in lines[:rows]]


def _row_of_match(body: Sequence[Line], visible: int) -> int:
    """Return the first row to show, so that the first match is visible."""
    rows = (row for row, line in enumerate(body) if any(style == _MATCH for _, style in line))
    match = next(rows, 0)
    return 0 if match < visible else match - visible // 3


def _numbered_lines(hit: Hit, text: str, columns: int, width: Width) -> Iterator[Line]:
    """Number the lines of a text, wrap them, and highlight the matched words."""
    matched = _matched_pattern(hit)
    lines = text.split("\n")[:_MAX_LINES]
    gutter = len(str(hit.start + len(lines) - 1)) + 1
    for number, line in enumerate(lines, start=hit.start):
        pieces = wrap(to_single_line(line), max(columns - gutter, 1), width)
        for index, piece in enumerate(pieces):
            label = f"{number:>{gutter - 1}} " if not index else " " * gutter
            yield [(label, "dim"), *highlight(piece, matched)]


def _matched_pattern(hit: Hit) -> re.Pattern[str] | None:
    """Make a pattern of the words that matched in the snippets of a hit."""
    words = {
        to_single_line(section.snippet[start:end]) for section in hit.sections for start, end in section.highlights
    }
    patterns = [
        rf"(?<!\w){re.escape(word)}(?!\w)" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
        if word.strip()
    ]
    return re.compile("|".join(patterns), re.IGNORECASE) if patterns else None


def highlight(text: str, pattern: re.Pattern[str] | None) -> Iterator[Segment]:
    """Divide a text into segments, the matches of a pattern in another style.

    >>> list(highlight("a tea cup", re.compile("tea")))
    [('a ', ''), ('tea', 'bold yellow'), (' cup', '')]
    """
    position = 0
    for match in pattern.finditer(text) if pattern else ():
        if match.start() > position:
            yield text[position : match.start()], ""
        yield match.group(), _MATCH
        position = match.end()
    if position < len(text):
        yield text[position:], ""


def status_line(state: PickerState, columns: int, width: Width) -> Line:
    """Show what a key did, or the number of results, recipe, time and degradations."""
    if state.message and state.hits:
        return fit([(state.message, "green")], columns, width)
    if state.found is None:
        return fit([(KEYS, "dim")], columns, width)
    answer = state.found.answer
    recipe = f"{answer.recipe} ({answer.mode})" if answer.mode else answer.recipe
    position = f"{state.selected + 1} of {len(answer.hits)}" if answer.hits else "0 results"
    line: list[Segment] = [(f"{position} · {recipe} · {answer.search_type} · {answer.seconds * 1000:.0f} ms", "dim")]
    if state.is_searching:
        line.append((" · searching…", "dim"))
    if answer.low_relevance:
        line.append((" · no result looks relevant", "yellow"))
    codes = ", ".join(dict.fromkeys(reason.code for reason in answer.degraded))
    if codes:
        line.append((f" · degraded: {codes}", "yellow"))
    keys = f"   {KEYS}"
    if sum(width(text) for text, _ in line) + width(keys) <= columns:
        line.append((keys, "dim"))
    return fit(line, columns, width)


def fit(line: Line, columns: int, width: Width) -> Line:
    """Cut a line to a number of columns, or fill it with spaces.

    >>> fit([("検索", "bold"), ("語", "")], 5, lambda text: 2 * len(text) if text > "~" else len(text))
    [('検索', 'bold'), ('…', '')]
    """
    fitted: list[Segment] = []
    left = columns
    for text, style in line:
        piece = to_single_line(text)
        used = width(piece)
        if used > left:
            cut = shorten(piece, left, width, keep_end=False)
            fitted.append((cut, style))
            left -= width(cut)
            break
        fitted.append((piece, style))
        left -= used
    return [*fitted, (" " * left, "")] if left > 0 else fitted


def shorten(text: str, columns: int, width: Width, *, keep_end: bool = True) -> str:
    """Cut a text to a number of columns: the beginning of a path, or the end of other text.

    >>> shorten("docs/deep/file.md#L1", 12, len), shorten("a long text", 6, len, keep_end=False)
    ('…/file.md#L1', 'a lon…')
    """
    if width(text) <= columns:
        return text
    if columns < 1:
        return ""
    if not keep_end:
        return text[: _count_fitting(text, columns - 1, width)] + "…"
    fitting = _count_fitting(text[::-1], columns - 1, width)
    return "…" + text[len(text) - fitting :]


def _count_fitting(text: str, columns: int, width: Width) -> int:
    """Count the first characters of a text that fit into a number of columns."""
    used = 0
    for count, letter in enumerate(text):
        used += width(letter)
        if used > columns:
            return count
    return len(text)


def wrap(text: str, columns: int, width: Width) -> Sequence[str]:
    """Divide a text into rows of at most so many columns, at spaces if possible.

    >>> wrap("words that go on", 10, len), wrap("", 5, len)
    (['words that', 'go on'], [''])
    """
    rows: list[str] = []
    while width(text) > columns:
        end = _count_fitting(text, columns, width)
        space = text.rfind(" ", 1, end + 1)
        cut = space if space > 0 and text[:space].strip() else max(end, 1)
        rows.append(text[:cut])
        text = text[cut:].lstrip(" ")
    return [*rows, text] if text or not rows else rows
