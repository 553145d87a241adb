"""Blocks of a rendered page, and raw HTML elements that span several of them."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import NamedTuple, ParamSpec

from markupsafe import Markup

Parameters = ParamSpec("Parameters")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_DETAILS = re.compile(r"<(/?)details\b[^>]*>", re.IGNORECASE)
_END = "</details>"


class Block(NamedTuple):
    """A block at the top level of a page."""

    start: int
    end: int
    """First and last line, counted from 1, both included."""
    html: Markup
    lang: str
    """Language by its script; empty for the language of the page."""
    anchor: str = ""
    """Of a heading: the part of a link behind `#`."""
    heading: str = ""
    level: int = 0
    raw: str = ""
    """Of a block of raw HTML: its source."""
    inside: tuple["Block", ...] = ()
    """The headings inside of an element that spans several blocks."""


class _Open(NamedTuple):
    """An element `<details>` whose end has not come yet."""

    block: Block
    html: list[Markup]
    headings: list[Block]
    lines: list[int]
    """The last lines of its parts."""


def join_details(
    render: Callable[Parameters, Iterable[Block]],
) -> Callable[Parameters, Iterator[Block]]:
    """Make a function join the blocks inside of `<details>`.

    Each block is sanitised by itself, so that an element which it opens ends with it. That end is moved behind the
    blocks up to the one that ends the element in the source.
    """

    @wraps(render)
    def join(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Iterator[Block]:
        opened: list[_Open] = []
        for block in render(*args, **kwargs):
            ends, begins = count_details(block.raw)
            for _ in range(min(ends, len(opened))):
                yield from _add(_finish(opened.pop()), opened)
            element = _open_details(block) if begins == 1 else None
            if element:
                opened.append(element)
            elif block.html.strip() or not block.raw:
                yield from _add(block, opened)
        while opened:
            yield from _add(_finish(opened.pop()), opened)

    return join


def count_details(raw: str) -> tuple[int, int]:
    """Count the elements `<details>` that a text ends, and those that it leaves open.

    >>> count_details("<details>"), count_details("</details>"), count_details("</details> <details open>")
    ((0, 1), (1, 0), (1, 1))
    >>> count_details("<details>x</details>"), count_details("<!-- <details> -->")
    ((0, 0), (0, 0))
    """
    ended = depth = 0
    for match in _DETAILS.finditer(_COMMENT.sub("", raw)):
        if not match[1]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            ended += 1
    return ended, depth


def _open_details(block: Block) -> _Open | None:
    """Remove the end that sanitising has added, if it is the last one."""
    html = block.html.rstrip()
    if not html.endswith(_END):
        return None
    beginning = Markup(html.removesuffix(_END))  # noqa: S704 - a part of sanitised HTML
    return _Open(block, [beginning], [], [block.end])


def _add(block: Block, opened: list[_Open]) -> Iterator[Block]:
    """Add a block to the innermost open element, or yield it."""
    if not opened:
        yield block
        return
    anchor = Markup('<span class="anchor" id="h-{}"></span>').format(block.anchor) if block.anchor else Markup()
    lang = Markup(' lang="{}"').format(block.lang) if block.lang else Markup()
    wrapper = Markup('<div class="block" id="L{}"{}>{}{}</div>\n')
    opened[-1].html.append(wrapper.format(block.start, lang, anchor, block.html))
    opened[-1].headings.extend((block, *block.inside) if block.heading else block.inside)
    opened[-1].lines.append(block.end)


def _finish(element: _Open) -> Block:
    html = Markup().join((*element.html, Markup("</details>")))
    return element.block._replace(html=html, end=max(element.lines), raw="", inside=tuple(element.headings))
