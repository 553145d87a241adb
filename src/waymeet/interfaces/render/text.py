"""Answers as styled lines of text, for terminals and plain output."""

from collections.abc import Iterable, Iterator, Sequence

from waymeet.analysis.languages import language_name
from waymeet.interfaces.render.explanation import summary_lines, tree_lines
from waymeet.types import LOW_RELEVANCE_NOTE, Answer, Hit, Section

Segment = tuple[str, str]
"""A text and its style: words such as `bold` or `cyan`; with `place` among them, the text names a file or lines."""
Line = Sequence[Segment]
_MAX_COPIES = 4
"""Copies of a hit that are named."""

_UNSAFE = {
    code: "�"
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
        0x200E,
        0x200F,
        0x061C,
        0x2028,
        0x2029,
    )
    if chr(code) not in "\n\t"
}


def escape_control(text: str) -> str:
    r"""Replace escape, control and bidirectional characters, which could control a terminal.

    >>> escape_control("a\x1b[31mb")
    'a�[31mb'
    """
    return text.translate(_UNSAFE)


def to_single_line(text: str) -> str:
    r"""Escape a text and put it on one line.

    >>> to_single_line("Innocent\n99. forged")
    'Innocent 99. forged'
    """
    return escape_control(text).replace("\n", " ").replace("\t", "    ")


def plain_line(line: Line) -> str:
    """Return the text of a line without its styles."""
    return "".join(to_single_line(text) for text, _ in line).rstrip()


def render_answer(answer: Answer, *, summarise: bool = False) -> Iterator[Line]:
    """Show an answer: its hits, then the recipe, notes and degradations.

    Explanations, if the answer has them, are shown as trees, or with `summarise` as one line for each signal.
    """
    if answer.low_relevance:
        yield [(f"{LOW_RELEVANCE_NOTE[0].upper()}{LOW_RELEVANCE_NOTE[1:]}.", "yellow")]
        yield []
    for number, hit in enumerate(answer.hits, start=1):
        yield from _hit_lines(number, hit, is_low=answer.low_relevance)
        yield from _explanation_lines(hit, summarise=summarise)
        yield []
    yield from _footer_lines(answer)


def _hit_lines(number: int, hit: Hit, *, is_low: bool = False) -> Iterator[Line]:
    first = hit.sections[0]
    relevance = (f"  {_format_relevance(hit)} (low)", "yellow") if is_low else (f"  {_format_relevance(hit)}", "green")
    yield [(f"{number}. ", "dim"), (hit.id, "bold cyan place"), relevance]
    crumbs = " › ".join(dict.fromkeys(filter(None, (hit.title, *first.headings))))
    yield [("   ", ""), (crumbs, "bold")]
    yield [("   ", ""), (hit.relevance_reason, "dim")]
    if hit.context:
        yield [("   ", ""), (" › ".join(hit.context), "dim")]
    if hit.staleness in {"stale", "possibly_stale"}:
        yield [("   ", ""), (f"{hit.staleness.replace('_', ' ')}: {hit.staleness_reason}", "yellow")]
    for section in hit.sections:
        if section is not first:
            yield [("   ", ""), (" › ".join(section.headings) or section.id, "bold"), (f"  {section.id}", "dim")]
        yield from _section_lines(section)
    for translation in hit.translations:
        language = f"in {language_name(translation.lang)}" if translation.lang else "in another language"
        yield [(f"   also {language}: ", "dim"), (translation.id, "cyan place")]
    if hit.copies:
        yield [("   also in: ", "dim"), *_copy_segments(hit)]
    for page in hit.linked_pages:
        arrow = "→" if page.direction == "out" else "←"
        yield [(f"   {arrow} ", "dim"), (page.document, "cyan place"), (f"  {page.title} ({page.kind})", "dim")]


def list_copies(hit: Hit) -> tuple[tuple[str, ...], str]:
    """Give the copies of a hit that a line of text names, and how many more there are."""
    more = max(hit.copy_count, len(hit.copies)) - _MAX_COPIES
    return hit.copies[:_MAX_COPIES], f" and {more} more" if more > 0 else ""


def _copy_segments(hit: Hit) -> Iterator[Segment]:
    named, more = list_copies(hit)
    for number, copy in enumerate(named):
        yield (", " if number else "", "dim")
        yield (copy, "cyan place")
    yield (more, "dim")


def _format_relevance(hit: Hit) -> str:
    """Format the estimated relevance, from 0 to 1. A hit without evidence has none."""
    return "–" if hit.relevance is None else f"{hit.relevance:.2f}"


def _explanation_lines(hit: Hit, *, summarise: bool) -> Iterator[Line]:
    if hit.explanation is not None and summarise:
        yield [(f"   score {hit.score:.4f}", "dim")]
        yield from summary_lines(hit.explanation, hit.relevance)
        return
    for tree in (hit.explanation, hit.relevance_explanation):
        if tree is not None:
            yield from tree_lines(tree)


def _section_lines(section: Section) -> Iterator[Line]:
    """Show a snippet line by line, with its matches highlighted."""
    offset = 0
    for row in section.snippet.split("\n"):
        if row.strip():
            yield [("   │ ", "dim"), *_highlight(row, offset, section.highlights)]
        offset += len(row) + 1


def _highlight(row: str, offset: int, highlights: Iterable[tuple[int, int]]) -> Iterator[Segment]:
    position = 0
    for start, end in highlights:
        low, high = max(start - offset, position), min(end - offset, len(row))
        if low < high:
            yield row[position:low], ""
            yield row[low:high], "bold yellow"
            position = high
    yield row[position:], ""


def _footer_lines(answer: Answer) -> Iterator[Line]:
    recipe = f"{answer.recipe} ({answer.mode})" if answer.mode else answer.recipe
    shown = f"{len(answer.hits)} of {answer.total_found}" if answer.hits else "Nothing found"
    yield [(f"{shown} · {recipe} · {answer.search_type} · {answer.seconds * 1000:.0f} ms", "dim")]
    for note in answer.notes:
        if answer.low_relevance and note == LOW_RELEVANCE_NOTE:
            continue  # printed above the hits
        yield [("note: ", "dim"), (note, "dim")]
    for reason in answer.degraded:
        yield [(f"degraded: {reason.stage}: ", "yellow"), (reason.detail, "yellow"), (f" [{reason.code}]", "dim")]
