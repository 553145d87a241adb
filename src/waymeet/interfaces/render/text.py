"""Answers as lines of text for people: the same lines plain or coloured."""

from collections.abc import Iterable, Iterator, Sequence

from waymeet.analysis.languages import language_name
from waymeet.types import LOW_RELEVANCE_NOTE, Answer, Explanation, Hit, Section

Segment = tuple[str, str]
"""A piece of text and its style on a terminal; `place` among the style's words: it names a file or lines of one."""
Line = Sequence[Segment]

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
    r"""Replace what could steer a terminal or reorder what is read: escape, control and bidi characters.

    >>> escape_control("a\x1b[31mb")
    'a�[31mb'
    """
    return text.translate(_UNSAFE)


def to_single_line(text: str) -> str:
    r"""Make a text safe for one line of a terminal: it cannot pretend to be several.

    >>> to_single_line("Innocent\n99. forged")
    'Innocent 99. forged'
    """
    return escape_control(text).replace("\n", " ").replace("\t", "    ")


def plain_line(line: Line) -> str:
    """Give a line without its styles."""
    return "".join(to_single_line(text) for text, _ in line).rstrip()


def render_answer(answer: Answer) -> Iterator[Line]:
    """Show an answer: its hits, then everything the asker should know about how it came about."""
    if answer.low_relevance:
        yield [(f"{LOW_RELEVANCE_NOTE[0].upper()}{LOW_RELEVANCE_NOTE[1:]}.", "yellow")]
        yield []
    for place, hit in enumerate(answer.hits, start=1):
        yield from _hit_lines(place, hit)
        yield []
    yield from _about(answer)


def _hit_lines(place: int, hit: Hit) -> Iterator[Line]:
    first = hit.sections[0]
    yield [(f"{place}. ", "dim"), (hit.id, "bold cyan place"), (f"  {hit.score:.4f}", "green")]
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
    for twin in hit.translations:
        language = f"in {language_name(twin.lang)}" if twin.lang else "in another language"
        yield [(f"   also {language}: ", "dim"), (twin.id, "cyan place")]
    for page in hit.linked_pages:
        arrow = "→" if page.direction == "out" else "←"
        yield [(f"   {arrow} ", "dim"), (page.document, "cyan place"), (f"  {page.title} ({page.kind})", "dim")]
    if hit.explanation is not None:
        yield from tree_lines(hit.explanation)
    if hit.relevance_explanation is not None:
        yield from tree_lines(hit.relevance_explanation)


def _section_lines(section: Section) -> Iterator[Line]:
    """Show a snippet line by line with its matches marked."""
    offset = 0
    for row in section.snippet.split("\n"):
        if row.strip():
            yield [("   │ ", "dim"), *_marked(row, offset, section.highlights)]
        offset += len(row) + 1


def _marked(row: str, offset: int, highlights: Iterable[tuple[int, int]]) -> Iterator[Segment]:
    at = 0
    for start, end in highlights:
        low, high = max(start - offset, at), min(end - offset, len(row))
        if low < high:
            yield row[at:low], ""
            yield row[low:high], "bold yellow"
            at = high
    yield row[at:], ""


def tree_lines(tree: Explanation, indent: str = "   ", branch: str = "", below: str = "") -> Iterator[Line]:
    """Draw an explanation: each line a value, how it follows from the lines under it, and what it means."""
    how = "" if tree.operation == "value" else f" = {tree.operation} of"
    yield [(indent + branch, "dim"), (f"{tree.value:.6g}{how}", "green"), (f"  {tree.description}", "")]
    for i, part in enumerate(tree.parts):
        last = i == len(tree.parts) - 1
        yield from tree_lines(part, indent + below, "└─ " if last else "├─ ", "   " if last else "│  ")


def _about(answer: Answer) -> Iterator[Line]:
    recipe = f"{answer.recipe} ({answer.mode})" if answer.mode else answer.recipe
    shown = f"{len(answer.hits)} of {answer.total_found}" if answer.hits else "Nothing found"
    yield [(f"{shown} · {recipe} · {answer.search_type} · {answer.seconds * 1000:.0f} ms", "dim")]
    for note in answer.notes:
        if answer.low_relevance and note == LOW_RELEVANCE_NOTE:
            continue  # it stands above
        yield [("note: ", "dim"), (note, "dim")]
    for each in answer.degraded:
        yield [(f"degraded: {each.stage}: ", "yellow"), (each.detail, "yellow"), (f" [{each.code}]", "dim")]
