"""Answers and lists as Markdown, to be pasted into a page, a message or an agent's context.

Titles and texts come from files that anybody may have written: they cannot become headings, links or markup here.
"""

import re
from collections.abc import Iterable, Iterator

from waymeet.interfaces.render.text import Line, escape_control, plain_line, to_single_line
from waymeet.types import Answer, Hit

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&!])")
_INDENT = re.compile(r"\s*")


def answer_markdown(answer: Answer) -> Iterator[str]:
    """Write an answer: one heading for each hit, its text in a fence, and what the asker should know at the end."""
    yield f"# {escaped(answer.query)}"
    for place, hit in enumerate(answer.hits, start=1):
        yield ""
        yield from _hit(place, hit)
    yield ""
    yield f"{len(answer.hits)} of {answer.total_found} · {escaped(answer.recipe)} · {escaped(answer.search_type)}"
    for note in answer.notes:
        yield f"- note: {escaped(note)}"
    for each in answer.degraded:
        yield f"- degraded: {escaped(each.stage)}: {escaped(each.detail)} `{each.code}`"


def _hit(place: int, hit: Hit) -> Iterator[str]:
    yield f"## {place}. {escaped(hit.title or hit.document)}"
    yield ""
    likely = "" if hit.relevance is None else f" · relevance {hit.relevance:.2f}"
    yield f"{code(hit.id)} · {hit.score:.4f}{likely} · {escaped(hit.relevance_reason)}"
    if hit.staleness in {"stale", "possibly_stale"}:
        yield f"**{hit.staleness.replace('_', ' ')}**: {escaped(hit.staleness_reason)}"
    for section in hit.sections:
        yield ""
        if section.id != hit.id:
            yield f"{code(section.id)} {escaped(' › '.join(section.headings))}".rstrip()
            yield ""
        yield from fenced(section.snippet)
    for page in hit.linked_pages:
        yield f"- {'→' if page.direction == 'out' else '←'} {code(page.document)} {escaped(page.title)} ({page.kind})"


def list_markdown(lines: Iterable[Line]) -> Iterator[str]:
    r"""Write lines that people read as a list: what is indented belongs to what stands above it.

    >>> list(list_markdown([[("a.md", "cyan place"), ("  A *title*", "")], [("    its sentence", "")]]))
    ['- `a.md`  A \\*title\\*', '  - its sentence']
    """
    for line in lines:
        whole = plain_line(line)
        found = _INDENT.match(whole)
        deep = "  " if found and found.group() else ""
        text = "".join(code(text) if "cyan" in style else escaped(text) for text, style in line).strip()
        if text:
            yield f"{deep}- {text}"


def fenced(text: str) -> Iterator[str]:
    """Put a text into a fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence
    yield escape_control(text).rstrip("\n")
    yield fence


def code(text: str) -> str:
    """Write a text as it is, in backquotes that nothing in it can close.

    >>> code("a.md"), code("a`b")
    ('`a.md`', '`` a`b ``')
    """
    shown = to_single_line(text)
    if "`" not in shown:
        return f"`{shown}`"
    mark = "`" * (max(len(run) for run in re.findall(r"`+", shown)) + 1)
    return f"{mark} {shown} {mark}"


def escaped(text: str) -> str:
    r"""Write a text on one line so that it is no markup.

    >>> print(escaped("a *b* [c](d)"))
    a \*b\* \[c\](d)
    """
    return _SPECIAL.sub(r"\\\1", to_single_line(text))
