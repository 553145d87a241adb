"""`waymeet checkpoint`."""

import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from shlex import quote

import click
import msgspec

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import format_count, open_project, print_json, print_lines, say
from waymeet.interfaces.cli.group import Group
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, print_listing
from waymeet.interfaces.cli.write.options import Call, with_options
from waymeet.interfaces.render.text import Line
from waymeet.notebook.checkpoints.checkpoints import FileChange, Restored
from waymeet.notebook.checkpoints.storage import Checkpoint

_MARKS = {"added": ("+ ", "green"), "changed": ("~ ", "yellow"), "removed": ("- ", "red")}
_EPILOG = manual(
    """
    waymeet checkpoint create before-cleanup
    waymeet checkpoint list
    waymeet checkpoint diff before-cleanup   with the present state
    waymeet checkpoint restore before-cleanup
    """,
    exits={0: "done, or found", 1: "not found", 4: "some items were not restored"},
    see="waymeet note history, waymeet note restore",
)
_NAME = click.argument("name")


@click.group(cls=Group, epilog=_EPILOG)
def command() -> None:
    """Save and restore the state of all notes, tasks and skills.

    Checkpoints are stored next to the index. SKILL.md files outside the folder of skills are not part of them.
    """


@command.command(
    "create",
    epilog=manual(
        """
        waymeet checkpoint create
        waymeet checkpoint create before-cleanup
        """,
        exits={0: "saved"},
        see="waymeet checkpoint list",
    ),
)
@click.argument("name", required=False, default="")
@with_options()
def _create(call: Call, name: str) -> int:
    """Save the state of all notes, tasks and skills, by default under the present time."""
    with call.notebook("skills") as notebook:
        checkpoint = notebook.checkpoints.create(name)
    if call.as_json:
        print_json(_to_json(checkpoint))
        return 0
    say(f"Saved checkpoint {checkpoint.name} with {format_count(len(checkpoint.files), 'file')}.")
    for path, reason in checkpoint.left_out:
        say(f"left out: {path}: {reason}", err=True)
    return 0


@command.command(
    "list",
    epilog=manual(
        """
        waymeet checkpoint list
        waymeet checkpoint list --json
        """,
        exits={0: "found", 1: "there is none"},
        see="waymeet checkpoint diff",
    ),
)
@with_options(form=True)
def _list(call: Call, form: str) -> int:
    """List the checkpoints, the newest first."""
    with open_project(call.root, call.index, call.flags) as project:
        checkpoints = project.notebook.checkpoints.list()
        documents = [_to_json(checkpoint) for checkpoint in checkpoints]
        print_listing(form, Listing(documents, documents, tuple(_checkpoint_lines(checkpoints))), project)
    if not checkpoints and form != "json":
        say("No checkpoints. To make one: waymeet checkpoint create", err=True)
    return 0 if checkpoints else 1


@command.command(
    "diff",
    epilog=manual(
        """
        waymeet checkpoint diff before-cleanup   with the present state
        waymeet checkpoint diff monday friday
        waymeet checkpoint diff monday --names   only the files
        """,
        exits={0: "they differ", 1: "no difference, or no such checkpoint"},
        see="waymeet checkpoint restore",
    ),
)
@_NAME
@click.argument("other", required=False, default="")
@click.option("--names", is_flag=True, help="Print only which files differ.")
@with_options(form=True)
def _diff(call: Call, name: str, other: str, names: bool, form: str) -> int:
    """Show what changed since a checkpoint, or between two checkpoints."""
    with call.notebook("skills") as notebook:
        changes = notebook.checkpoints.diff(name, other, with_text=not names)
    with open_project(call.root, call.index, call.flags) as project:
        files = [change.path for change in changes]
        print_listing(form, Listing(changes, changes, tuple(_change_lines(changes)), files), project)
    if not changes and form != "json":
        say("No difference.", err=True)
    return 0 if changes else 1


@command.command(
    "restore",
    epilog=manual(
        """
        waymeet checkpoint restore before-cleanup   shows the changes and asks
        waymeet checkpoint restore before-cleanup --dry-run
        waymeet checkpoint restore before-cleanup --yes
        """,
        exits={0: "restored", 1: "no such checkpoint, or not confirmed", 4: "some items were not restored"},
        see="waymeet checkpoint diff",
    ),
)
@_NAME
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would be changed.")
@with_options()
def _restore(call: Call, name: str, yes: bool, dry_run: bool) -> int:
    """Restore all notes, tasks and skills as they were at a checkpoint.

    Items made since then are removed. The present state is saved as another checkpoint first, and the history of each
    item keeps its present text.
    """
    if call.as_json and not (yes or dry_run):
        raise click.UsageError("--json cannot ask for confirmation: add --yes or --dry-run.")
    with call.notebook("skills") as notebook:
        checkpoints = notebook.checkpoints
        planned = checkpoints.plan(name)
        if dry_run or not planned:
            if call.as_json:
                print_json(Restored(name, planned))
            else:
                print_lines(_change_lines(planned))
                say(_summarise(planned, "would be changed"), err=True)
            return 0
        if not yes:
            print_lines(_change_lines(planned), err=True)
            _require_terminal()
            if not click.confirm(f"Restore {format_count(len(planned), 'file')} like this?", err=True):
                say("Nothing was changed.", err=True)
                return 1
        restored = checkpoints.restore(name, planned=None if yes else planned, on_saved=_say_saved)
    if call.as_json:
        print_json(restored)
    else:
        print_lines(_change_lines(restored.changes))
        say(_summarise(restored.changes, "restored"))
        for path, reason in restored.failed:
            say(f"not restored: {path}: {reason}", err=True)
    return 4 if restored.failed else 0


@command.command(
    "delete",
    epilog=manual(
        """
        waymeet checkpoint delete before-cleanup
        """,
        exits={0: "deleted", 1: "no such checkpoint"},
        see="waymeet checkpoint list",
    ),
)
@_NAME
@with_options()
def _delete(call: Call, name: str) -> int:
    """Delete a checkpoint. The items themselves stay as they are."""
    with call.notebook() as notebook:
        deleted = notebook.checkpoints.delete(name)
    if call.as_json:
        print_json(_to_json(deleted))
    else:
        say(f"Deleted checkpoint {deleted.name}.")
    return 0


def _say_saved(name: str) -> None:
    say(f"The present state is saved. To return to it: waymeet checkpoint restore {quote(name)}", err=True)


def _require_terminal() -> None:
    if not sys.stdin.isatty():
        raise UsageError(
            "Not a terminal: cannot ask for confirmation.", "Add --yes to confirm, or --dry-run to preview."
        )


def _summarise(changes: tuple[FileChange, ...], verb: str) -> str:
    return f"{format_count(len(changes), 'file')} {verb}." if changes else "Nothing differs from the checkpoint."


def _to_json(checkpoint: Checkpoint) -> dict[str, object]:
    document: dict[str, object] = msgspec.to_builtins(checkpoint)
    return {**document, "files": sorted(checkpoint.files)}


def _checkpoint_lines(checkpoints: Iterable[Checkpoint]) -> Iterator[Line]:
    for checkpoint in checkpoints:
        created = datetime.fromtimestamp(checkpoint.created_ns / 1e9).isoformat(" ", "seconds")
        yield [(checkpoint.name, "bold cyan"), (f"  {created}  {format_count(len(checkpoint.files), 'file')}", "dim")]


def _change_lines(changes: Iterable[FileChange]) -> Iterator[Line]:
    for change in changes:
        yield [_MARKS[change.change], (change.path, "bold cyan"), (f"  {change.change}", "dim")]
        for line in change.diff.splitlines():
            style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
            yield [("    ", ""), (line, style)]
