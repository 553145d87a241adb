"""`waymeet feedback`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

import click

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import cited, current, opened, project_options, say, several
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import documents as complete
from waymeet.interfaces.render.text import Line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.search.feedback.votes import Vote

_EPILOG = manual(
    """
    waymeet feedback "rotate keys" --right docs/setup.md --wrong docs/old.md
    waymeet feedback "rotate keys" --undo      forgets all that was said on it
    waymeet feedback "rotate keys" --wrong docs/old.md --undo    only of this one
    waymeet feedback --list
    """,
    exits={0: "noted, or found", 1: "nothing was said yet, or there is no such document"},
    see="waymeet search, waymeet why-not",
)


@click.command(short_help="Say which answers were right or wrong; like questions heed it.", epilog=_EPILOG)
@click.argument("query", default="")
@click.option(
    "--right",
    multiple=True,
    metavar="ID",
    shell_complete=complete,
    help="A document or section that was right. Repeatable.",
)
@click.option("--wrong", multiple=True, metavar="ID", shell_complete=complete, help="One that was wrong. Repeatable.")
@click.option("--undo", is_flag=True, help="Forget what was said on this question (of these documents).")
@click.option("--list", "listing", is_flag=True, help="List what was said.")
@project_options
@format_option()
def command(
    query: str,
    right: tuple[str, ...],
    wrong: tuple[str, ...],
    undo: bool,
    listing: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """Say which answers to a question were right and which were wrong.

    Answers to like questions move up or down by a bounded part of the best score (settings corrections.*); search
    says so, and --explain shows by how much. It is kept beside the index, and forgotten by --undo.
    """
    from waymeet.search.feedback import storage

    query = " ".join(query.split())
    with opened(root, index, flags) as project:
        if listing:
            votes = [each for each in storage.read_feedback(project.index_path).votes if query in ("", each.query)]
        elif not query or not (right or wrong or undo):
            raise UsageError("Nothing was said.", "Give a question and --right, --wrong, --undo or --list.")
        else:
            votes = _changed(project, query, right, wrong, undo=undo)
        if listing or form != "text":
            documents = [each.document for each in votes]
            print_listing(form, Listing(votes, votes, tuple(_lines(votes)), documents), project)
        else:
            say(f"{several(len(votes), 'vote')} on “{query}” now.")
    return 0 if votes or not listing else 1


def _changed(project: Project, query: str, right: Sequence[str], wrong: Sequence[str], *, undo: bool) -> "list[Vote]":
    from waymeet.search.feedback import storage
    from waymeet.search.feedback.votes import Vote, add_votes, remove_votes
    from waymeet.search.lookup.citation import documents_of_references
    from waymeet.search.lookup.did_you_mean import not_indexed_error

    given = {each: cited(project.root, each) for each in (*right, *wrong)}
    if undo:
        votes = storage.read_feedback(project.index_path).votes
        about = {vote.document for vote in votes if vote.query == query}
        found = documents_of_references(given.values(), about.intersection)
        gone = [found.get(each, each) for each in given.values()]
        kept = storage.change_votes(project.index_path, lambda votes: remove_votes(votes, query, gone))
        return [each for each in kept if each.query == query]
    store, _ = current(project)
    found = documents_of_references(given.values(), store.documents)
    for each in given.values():
        if each not in found:
            raise not_indexed_error(store, each)
    documents = store.documents(found.values())
    now = time_ns()
    new = [Vote(query, found[given[each]], each in right, now) for each in given]
    kept = storage.change_votes(project.index_path, lambda votes: add_votes(votes, new))
    for each in right:
        storage.record_read(project.index_path, documents[found[given[each]]], now)
    return [each for each in kept if each.query == query]


def _lines(votes: "Sequence[Vote]") -> Iterator[Line]:
    for each in votes:
        mark = ("right  ", "green") if each.is_relevant else ("wrong  ", "yellow")
        yield [mark, (each.document, "cyan"), (f"  for “{each.query}”", "dim")]
    if not votes:
        yield [("Nothing was said yet.", "dim")]
