"""Answers and lists as Markdown, for pages, messages and prompts.

Titles and texts come from untrusted files: they are escaped so that they cannot become headings, links or markup.
"""

import re
from collections.abc import Iterable, Iterator

from waymeet.interfaces.render.text import Line, escape_control, list_copies, plain_line, to_single_line
from waymeet.types import Answer, Hit

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&!])")
_INDENT = re.compile(r"\s*")


def answer_markdown(answer: Answer) -> Iterator[str]:
    """Format an answer: a heading and a fenced text for each hit, then the notes."""
    yield f"# {escape(answer.query)}"
    for number, hit in enumerate(answer.hits, start=1):
        yield ""
        yield from _format_hit(number, hit, is_low=answer.low_relevance)
    yield ""
    yield f"{len(answer.hits)} of {answer.total_found} · {escape(answer.recipe)} · {escape(answer.search_type)}"
    for note in answer.notes:
        yield f"- note: {escape(note)}"
    for reason in answer.degraded:
        yield f"- degraded: {escape(reason.stage)}: {escape(reason.detail)} `{reason.code}`"


def _format_hit(number: int, hit: Hit, *, is_low: bool) -> Iterator[str]:
    yield f"## {number}. {escape(hit.title or hit.document)}"
    yield ""
    relevance = "" if hit.relevance is None else f" · relevance {hit.relevance:.2f}{' (low)' if is_low else ''}"
    score = "" if hit.explanation is None else f" · score {hit.score:.4f}"
    yield f"{code(hit.id)}{relevance}{score} · {escape(hit.relevance_reason)}"
    if hit.staleness in {"stale", "possibly_stale"}:
        yield f"**{hit.staleness.replace('_', ' ')}**: {escape(hit.staleness_reason)}"
    for section in hit.sections:
        yield ""
        if section.id != hit.id:
            yield f"{code(section.id)} {escape(' › '.join(section.headings))}".rstrip()
            yield ""
        yield from fence_text(section.snippet)
    if hit.copies:
        named, more = list_copies(hit)
        yield f"- also in: {', '.join(map(code, named))}{more}"
    for page in hit.linked_pages:
        yield f"- {'→' if page.direction == 'out' else '←'} {code(page.document)} {escape(page.title)} ({page.kind})"


def list_markdown(lines: Iterable[Line]) -> Iterator[str]:
    r"""Format lines as a list, indented lines as nested items.

    >>> list(list_markdown([[("a.md", "cyan place"), ("  A *title*", "")], [("    its sentence", "")]]))
    ['- `a.md`  A \\*title\\*', '  - its sentence']
    """
    for line in lines:
        match = _INDENT.match(plain_line(line))
        indent = "  " if match and match.group() else ""
        text = "".join(code(text) if "cyan" in style else escape(text) for text, style in line).strip()
        if text:
            yield f"{indent}- {text}"


def fence_text(text: str) -> Iterator[str]:
    """Put a text into a fence that is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence
    yield escape_control(text).rstrip("\n")
    yield fence


def code(text: str) -> str:
    """Format a text as inline code, with more backquotes than the text has.

    >>> code("a.md"), code("a`b")
    ('`a.md`', '`` a`b ``')
    """
    shown = to_single_line(text)
    if "`" not in shown:
        return f"`{shown}`"
    mark = "`" * (max(len(run) for run in re.findall(r"`+", shown)) + 1)
    return f"{mark} {shown} {mark}"


def escape(text: str) -> str:
    r"""Escape markup and put the text on one line.

    >>> print(escape("a *b* [c](d)"))
    a \*b\* \[c\](d)
    """
    return _SPECIAL.sub(r"\\\1", to_single_line(text))
