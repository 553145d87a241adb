"""Subcommands `confirm` and `conflicts` of notes, tasks and skills."""

from collections.abc import Iterable, Iterator
from datetime import datetime

import click
import msgspec

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import format_count, open_project, print_json, say
from waymeet.interfaces.cli.output_format import Listing, print_listing
from waymeet.interfaces.cli.write.options import Call, item_manual, with_options
from waymeet.interfaces.render.text import Line
from waymeet.notebook.fields import SINGULAR
from waymeet.notebook.review.conflicts import RESOLUTIONS, Conflict
from waymeet.notebook.review.state import ReviewState


def confirm_command(kind: str) -> click.Command:
    """Make the command that confirms an item."""

    @click.command(
        "confirm",
        help=f"Record that a {SINGULAR[kind]} is still right; its recency then decays more slowly (recipe memory).",
        epilog=item_manual(
            kind, "confirm {}", "confirm {} --version 3f2a9c", exits={0: "confirmed", 4: "changed since"}
        ),
    )
    @click.argument("reference", metavar="NAME|PATH|TITLE")
    @click.option("--version", "version", default="", help="Refuse if the current version differs.")
    @with_options()
    def command(call: Call, reference: str, version: str) -> int:
        with call.notebook(kind) as notebook:
            item, state = notebook.review.confirm(reference, version=version, kind=kind)
        if call.as_json:
            print_json({"id": item.id, "version": item.version, "review": msgspec.to_builtins(state)})
        else:
            say(f"Confirmed {item.id}: {review_text(state)}.")
        return 0

    return command


def review_text(state: ReviewState) -> str:
    """Describe the reviews of an item in one line."""
    if not state.reviews:
        return f"not read yet, retrievability {state.retrievability:.2f}"
    decay = "no decay" if state.stability_days is None else f"stability {state.stability_days:.1f} days"
    confirmations = f" ({format_count(state.confirmations, 'confirmation')})" if state.confirmations else ""
    counts = f"{format_count(state.reviews, 'review')}{confirmations}"
    return f"{counts}, retrievability {state.retrievability:.2f}, {decay}, difficulty {state.difficulty:.1f}"


def conflicts_command(kind: str) -> click.Command:
    """Make the command that lists and resolves conflicts."""
    names = ", ".join(name.replace("_", "-") for name in RESOLUTIONS)

    @click.command(
        "conflicts",
        help=f"List {kind} that contradict or nearly repeat each other, until they are resolved.\n\n"
        "They are found when an item is saved, and by the relations contradicts and conflicts_with. A resolved "
        "conflict is listed again when one of the texts changes.",
        epilog=item_manual(
            kind,
            "conflicts",
            "conflicts --resolve 3f2a9c1d --as keep-both",
            "conflicts --resolve 3f2a9c1d --as superseded --keep new-name",
            exits={0: "found, or resolved", 1: "none found"},
        ),
    )
    @click.option("--resolve", "conflict_id", metavar="ID", help="Resolve this conflict; needs --as.")
    @click.option("--as", "resolution", metavar="RESOLUTION", help=f"How it is resolved: {names}.")
    @click.option("--keep", metavar="NAME|PATH", help="With superseded: the item that supersedes the other.")
    @with_options(form=True)
    def command(call: Call, conflict_id: str | None, resolution: str | None, keep: str | None, form: str) -> int:
        if bool(conflict_id) != bool(resolution) or (keep and not conflict_id):
            raise UsageError("--resolve and --as belong together.", f"The resolutions are {names}.")
        if conflict_id and resolution:
            return _resolve(call, conflict_id, resolution, keep or "", form)
        return _list(call, kind, form)

    return command


def _resolve(call: Call, conflict_id: str, resolution: str, keep: str, form: str) -> int:
    with call.notebook() as notebook:
        conflict = notebook.review.resolve(conflict_id, resolution, keep=keep)
    if form == "json":
        print_json(conflict)
    else:
        shown = conflict.resolution.replace("_", "-")
        say(f"Resolved {conflict.id} as {shown}: {conflict.one.id} and {conflict.other.id}.")
    return 0


def _list(call: Call, kind: str, form: str) -> int:
    with call.notebook(kind) as notebook:
        everything = notebook.review.conflicts()
        shown = notebook.review.conflicts(kind)
    files = [id_ for conflict in shown for id_ in (conflict.one.id, conflict.other.id)]
    with open_project(call.root, call.index, call.flags) as project:
        print_listing(form, Listing(shown, shown, tuple(_conflict_lines(shown)), files), project)
    if form != "json":
        if not shown:
            say(f"No conflicts between {kind}.", err=True)
        if len(everything) > len(shown):
            others = " and ".join(f"waymeet {SINGULAR[other]} conflicts" for other in SINGULAR if other != kind)
            say(f"{format_count(len(everything) - len(shown), 'conflict')} of other kinds: {others}", err=True)
    return 0 if shown else 1


def _conflict_lines(conflicts: Iterable[Conflict]) -> Iterator[Line]:
    for conflict in conflicts:
        since = datetime.fromtimestamp(conflict.since_ns / 1e9).isoformat(" ", "minutes")
        yield [(conflict.id, "bold cyan"), (f"  {'; '.join(conflict.reasons)}", "yellow"), (f"  since {since}", "dim")]
        for side in (conflict.one, conflict.other):
            yield [("   ", ""), (side.id, "cyan"), (f"  {side.title}", "")]
            if side.sentence:
                yield [("      │ ", "dim"), (side.sentence, "")]
