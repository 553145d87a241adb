"""`waymeet feedback`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

import click

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import (
    format_count,
    fresh_store,
    open_project,
    project_options,
    say,
    to_root_reference,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.text import Line
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.search.feedback.votes import Vote

_EPILOG = manual(
    """
    waymeet feedback "rotate keys" --right docs/setup.md --wrong docs/old.md
    waymeet feedback "rotate keys" --undo      remove all feedback on this query
    waymeet feedback "rotate keys" --wrong docs/old.md --undo   only on one document
    waymeet feedback --list
    """,
    exits={0: "saved, or listed", 1: "no feedback yet, or no such document"},
    see="waymeet search, waymeet why-not",
)


@click.command(epilog=_EPILOG)
@click.argument("query", default="")
@click.option(
    "--right",
    multiple=True,
    metavar="ID",
    shell_complete=complete_documents,
    help="A document or section that is relevant. Repeatable.",
)
@click.option(
    "--wrong",
    multiple=True,
    metavar="ID",
    shell_complete=complete_documents,
    help="One that is not relevant. Repeatable.",
)
@click.option("--undo", is_flag=True, help="Remove the feedback on this query, or on the documents named.")
@click.option("--list", "listing", is_flag=True, help="List the feedback.")
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
    """Mark results of a query as relevant (--right) or not (--wrong).

    They move up or down in the results of similar queries, by a limited share of the best score (settings
    feedback.*). Search notes this, and --explain shows the amount. Feedback is stored next to the index.
    """
    from waymeet.search.feedback import storage

    query = " ".join(query.split())
    with open_project(root, index, flags) as project:
        if listing:
            votes = [vote for vote in storage.read_feedback(project.index_path).votes if query in ("", vote.query)]
        elif not query or not (right or wrong or undo):
            raise UsageError("There is no feedback to save.", "Give a query and --right, --wrong, --undo or --list.")
        else:
            votes = _change_votes(project, query, right, wrong, undo=undo)
        if listing or form != "text":
            files = [vote.document for vote in votes]
            print_listing(form, Listing(votes, votes, tuple(_vote_lines(votes)), files), project)
        else:
            say(f"{format_count(len(votes), 'vote')} saved for “{query}”.")
    return 0 if votes or not listing else 1


def _change_votes(
    project: Project, query: str, right: Sequence[str], wrong: Sequence[str], *, undo: bool
) -> "list[Vote]":
    from waymeet.search.feedback import storage
    from waymeet.search.feedback.votes import Vote, add_votes, remove_votes
    from waymeet.search.lookup.citation import documents_of_references
    from waymeet.search.lookup.did_you_mean import not_indexed_error

    references = {name: to_root_reference(project.root, name) for name in (*right, *wrong)}
    if undo:
        votes = storage.read_feedback(project.index_path).votes
        voted = {vote.document for vote in votes if vote.query == query}
        known = documents_of_references(references.values(), voted.intersection)
        removed = [known.get(reference, reference) for reference in references.values()]
        left = storage.change_votes(project.index_path, lambda votes: remove_votes(votes, query, removed))
        return [vote for vote in left if vote.query == query]
    store, _ = fresh_store(project)
    known = documents_of_references(references.values(), store.documents)
    for reference in references.values():
        if reference not in known:
            raise not_indexed_error(store, reference)
    documents = store.documents(known.values())
    now = time_ns()
    new = [Vote(query, known[reference], name in right, now) for name, reference in references.items()]
    saved = storage.change_votes(project.index_path, lambda votes: add_votes(votes, new))
    for name in right:
        storage.record_read(project.index_path, documents[known[references[name]]], now)
    return [vote for vote in saved if vote.query == query]


def _vote_lines(votes: "Sequence[Vote]") -> Iterator[Line]:
    for vote in votes:
        mark = ("right  ", "green") if vote.is_relevant else ("wrong  ", "yellow")
        yield [mark, (vote.document, "cyan"), (f"  for “{vote.query}”", "dim")]
    if not votes:
        yield [("No feedback yet.", "dim")]
