"""Shared options, help and output of the commands for notes, tasks and skills."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from waymeet.errors import ConflictError
from waymeet.interfaces.cli.common import (
    index_if_needed,
    json_option,
    open_project,
    print_json,
    print_lines,
    project_options,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import format_option
from waymeet.interfaces.cli.write.render import conflict_json, saved_json, saved_lines
from waymeet.notebook import Notebook, SavedItem
from waymeet.notebook.fields import SINGULAR
from waymeet.paths import is_too_broad

_NAMES = {"notes": "keys-are-rotated-monthly", "tasks": "write-the-job", "skills": "release"}
"""Names of items in examples."""


class Call(msgspec.Struct, frozen=True):
    """The options that all commands share."""

    root: Path | None
    index: Path | None
    flags: tuple[str, ...]
    as_json: bool
    options: dict[str, Any]
    """The options that set fields."""

    @contextmanager
    def notebook(self, reading: str = "") -> Iterator[Notebook]:
        """Open the project's notebook. With --json, a conflict is also printed as JSON.

        SKILL.md files can be anywhere, and are found through the index: reading skills indexes the project if needed.
        """
        with open_project(self.root, self.index, self.flags) as project:
            if reading == "skills" and not is_too_broad(project.root):
                index_if_needed(project)
            try:
                yield project.notebook
            except ConflictError as error:
                if self.as_json:
                    print_json(conflict_json(error))
                raise


def with_options(
    options: Iterable[Callable[[Any], Any]] = (), *, form: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add own and shared options to a command, which receives them as one `Call`.

    With `form`, `--format` is added, and the command also receives the format.
    """

    def add(command: Callable[..., int]) -> Callable[..., int]:
        own = signature(command).parameters.keys() - {"call"}

        def run(root: Path | None, index: Path | None, flags: tuple[str, ...], **options: Any) -> int:  # noqa: ANN401 - any options
            others = {name: value for name, value in options.items() if name not in {*own, "as_json"}}
            call = Call(root, index, flags, bool(options.get("as_json")), others)
            return command(call, **{name: options[name] for name in own})

        run.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
        run.__doc__ = command.__doc__
        decorated = (format_option() if form else json_option)(project_options(run))
        for option in reversed(tuple(options)):
            decorated = option(decorated)
        return decorated

    return add


def item_manual(kind: str, *examples: str, exits: dict[int, str] | None = None) -> str:
    """Format the end of a subcommand's help, with a name in place of `{}`."""
    lines = "\n".join(f"waymeet {SINGULAR[kind]} {example.replace('{}', _NAMES[kind])}" for example in examples)
    return manual(lines, exits={1: f"no such {SINGULAR[kind]}", **(exits or {})})


WRITTEN = {0: "written", 4: "conflict: nothing was written"}


def print_saved(notebook: Notebook, saved: SavedItem, *, as_json: bool) -> int:
    """Print the result of saving an item, with secrets masked."""
    saved = replace(saved, item=notebook.masked(saved.item))
    if as_json:
        print_json(saved_json(saved))
    else:
        print_lines(saved_lines(saved))
    return 0
