"""Find what is made and what is run in a page: fenced blocks, and the parts between `begin` and `end` remarks.

A page is plain Markdown. What a remark (`<!-- … -->`) on the line above a block says of it:

| remark | meaning |
|---|---|
| `file: NAME` | the block is saved as that file in the home folder |
| `background: WORD` | the block's command goes on beside the others once it has printed that word |
| `not run: REASON` | the block is only shown |

A page that says `<!-- after: PAGE -->` goes on with the files that the `sh` blocks of that page make,
indexed.

`console` blocks hold commands behind `$ ` (going on behind `> `) and what they print; `sh` blocks commands to copy.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

_FENCE = re.compile(
    r"(?:^<!-- (?P<remark>[^\n]*?) -->\n)?^```(?P<language>[a-z]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_PART = re.compile(r"^<!-- begin (?P<name>[a-z-]+) -->\n.*?^<!-- end (?P=name) -->$", re.MULTILINE | re.DOTALL)
_AFTER = re.compile(r"^<!-- after: (?P<page>\S+) -->$", re.MULTILINE)
_SAID = re.compile(r"(?P<key>file|background|not run): (?P<value>.+)")


class Block(NamedTuple):
    """A fenced block: what it is written in, its text, and where that begins in the page."""

    language: str
    body: str
    start: int
    key: str = ""
    """What the remark above it says: `file`, `background`, `not run`, or nothing."""
    value: str = ""

    @property
    def runs(self) -> bool:
        """Tell whether it holds commands to run."""
        return self.language in {"console", "sh"} and self.key != "not run"


class Typed(NamedTuple):
    """A command as it stands in a `console` block, and what the page says it prints."""

    command: str
    shown: str


def blocks(page: str) -> list[Block]:
    """List the fenced blocks of a page."""
    found = []
    for each in _FENCE.finditer(page):
        said = _SAID.fullmatch(each["remark"] or "")
        key, value = (said["key"], said["value"]) if said else ("", "")
        found.append(Block(each["language"], each["body"], each.start("body"), key, value))
    return found


def before(page: str) -> str:
    """Name the page that a page goes on from, if there is one."""
    found = _AFTER.search(page)
    return found["page"] if found else ""


def with_bodies(page: str, bodies: Mapping[int, str]) -> str:
    """Put other texts into the blocks that begin at the given places."""
    for block in reversed(blocks(page)):
        if block.start in bodies:
            page = page[: block.start] + bodies[block.start] + page[block.start + len(block.body) :]
    return page


def typed(body: str) -> Iterator[Typed]:
    r"""Take a `console` block apart.

    >>> list(typed("$ echo a\na\n$ true\n"))
    [Typed(command='echo a', shown='a\n'), Typed(command='true', shown='')]
    """
    for each in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        first, *rest = each.splitlines()
        further = 0
        while further < len(rest) and rest[further].startswith("> "):
            further += 1
        command = "\n".join([first, *(line[2:] for line in rest[:further])])
        yield Typed(command, "".join(f"{line}\n" for line in rest[further:]))


def written(command: str, shown: str) -> str:
    """Write a command and its output as they stand in a `console` block."""
    return "$ " + command.replace("\n", "\n> ") + "\n" + shown


def with_parts(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Make the parts between `begin` and `end` remarks anew."""
    return _PART.sub(lambda each: _part(each["name"], parts), page)


def _part(name: str, parts: Mapping[str, Callable[[], str]]) -> str:
    return f"<!-- begin {name} -->\n{parts[name]().strip()}\n<!-- end {name} -->"
