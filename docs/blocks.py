"""Parse and replace the generated parts of a page.

These are fenced blocks and the text between `begin` and `end` comments.

A page is plain Markdown. A comment (`<!-- … -->`) on the line above a block controls it:

| comment | effect |
|---|---|
| `file: NAME` | the block is saved as that file in the home folder |
| `background: WORD` | the command runs in the background; the next one starts when it has printed that word |
| `not run: REASON` | the block is only shown |

A page with `<!-- after: PAGE -->` starts with the files that the `sh` blocks of that page create, indexed.

`console` blocks contain commands after `$ ` (continued after `> `) and their output, `sh` blocks commands to copy.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

_FENCE = re.compile(
    r"(?:^<!-- (?P<comment>[^\n]*?) -->\n)?^```(?P<language>[a-z]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_PART = re.compile(r"^<!-- begin (?P<name>[a-z-]+) -->\n.*?^<!-- end (?P=name) -->$", re.MULTILINE | re.DOTALL)
_AFTER = re.compile(r"^<!-- after: (?P<page>\S+) -->$", re.MULTILINE)
_CONTROL = re.compile(r"(?P<key>file|background|not run): (?P<value>.+)")


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    body: str
    start: int
    """Position of the body in the page."""
    key: str = ""
    """The key of the comment above it: `file`, `background`, `not run`, or empty."""
    value: str = ""

    @property
    def is_run(self) -> bool:
        """Whether it contains commands to run."""
        return self.language in {"console", "sh"} and self.key != "not run"


class ConsoleCommand(NamedTuple):
    """A command of a `console` block, and the output that the page shows."""

    command: str
    output: str


def parse_blocks(page: str) -> list[Block]:
    """List the fenced blocks of a page."""
    blocks = []
    for fence in _FENCE.finditer(page):
        control = _CONTROL.fullmatch(fence["comment"] or "")
        key, value = (control["key"], control["value"]) if control else ("", "")
        blocks.append(Block(fence["language"], fence["body"], fence.start("body"), key, value))
    return blocks


def find_previous_page(page: str) -> str:
    """Return the name of the page whose files a page starts with, or an empty string."""
    match = _AFTER.search(page)
    return match["page"] if match else ""


def replace_bodies(page: str, bodies: Mapping[int, str]) -> str:
    """Replace the bodies of the blocks that start at the given positions."""
    for block in reversed(parse_blocks(page)):
        if block.start in bodies:
            page = page[: block.start] + bodies[block.start] + page[block.start + len(block.body) :]
    return page


def parse_commands(body: str) -> Iterator[ConsoleCommand]:
    r"""Split a `console` block into commands and their output.

    >>> list(parse_commands("$ echo a\na\n$ true\n"))
    [ConsoleCommand(command='echo a', output='a\n'), ConsoleCommand(command='true', output='')]
    """
    for text in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        first, *rest = text.splitlines()
        continued = 0
        while continued < len(rest) and rest[continued].startswith("> "):
            continued += 1
        command = "\n".join([first, *(line[2:] for line in rest[:continued])])
        yield ConsoleCommand(command, "".join(f"{line}\n" for line in rest[continued:]))


def format_command(command: str, output: str) -> str:
    """Format a command and its output for a `console` block."""
    return "$ " + command.replace("\n", "\n> ") + "\n" + output


def replace_parts(page: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Regenerate the parts between `begin` and `end` comments."""
    return _PART.sub(lambda match: _format_part(match["name"], parts), page)


def _format_part(name: str, parts: Mapping[str, Callable[[], str]]) -> str:
    return f"<!-- begin {name} -->\n{parts[name]().strip()}\n<!-- end {name} -->"
