"""`waymeet stale`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import time_ns

import click

from waymeet.interfaces.cli.common import (
    format_count,
    fresh_store,
    open_project,
    project_options,
    to_root_path,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.text import Line, to_single_line
from waymeet.ports import Store
from waymeet.project import Project
from waymeet.staleness.scope import is_below
from waymeet.staleness.verdicts import StaleDocument, list_stale

_EPILOG = manual(
    """
    waymeet stale                          stale and possibly stale documents
    waymeet stale docs --exit-code         for continuous integration
    waymeet stale --exit-code --strict     fail on possibly stale documents, too
    waymeet stale --format files           file names only
    """,
    exits={1: "a document is stale (with --exit-code)"},
    see="waymeet broken-links, waymeet settings staleness",
)


@click.command(epilog=_EPILOG)
@click.argument("paths", nargs=-1, shell_complete=complete_documents)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if a document is stale.")
@click.option("--strict", is_flag=True, help="Count possibly stale documents as stale.")
@click.option(
    "--all", "everything", is_flag=True, help="Include fresh documents, and those without references to code."
)
@project_options
@format_option()
def command(
    paths: tuple[str, ...],
    exit_code: bool,
    strict: bool,
    everything: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """List documents that are out of date with the code they describe, with the cause.

    A document is stale if a source named in its front matter (source_refs) changed after it or does not exist. It is
    possibly stale if only code that it mentions changed, if it mentions a name that the code no longer defines, or if
    a source was moved more than staleness.threshold_days ago. Dates are those of commits, or of files if they have
    uncommitted changes or there is no git repository. Removed names are looked up in the git history of the source
    code, for at most five seconds each time until all commits are read.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project, complete=exit_code)
        dates = project.change_dates(store)
        documents = list_stale(store, project.settings, time_ns(), dates, _indexed_paths(project, store, paths))
    counts = {state: sum(stale.state == state for stale in documents) for state in _STYLES}
    shown = tuple(stale for stale in documents if everything or stale.state in {"stale", "possibly_stale"})
    notes = dates.notes
    document = {"documents": shown, "counts": counts, "notes": notes, "degraded": degraded}
    files = [stale.document for stale in shown]
    summary = _summarise(len(documents), counts)
    print_listing(form, Listing(document, shown, tuple(_lines(shown)), files, summary, notes, degraded), project)
    failures = counts["stale"] + (counts["possibly_stale"] if strict else 0)
    return 1 if exit_code and failures else 0


def _indexed_paths(project: Project, store: Store, paths: tuple[str, ...]) -> list[str]:
    """Convert paths to those below the root.

    A typo must not look like success: unknown ones are refused.
    """
    below = [to_root_path(project.root, path) for path in paths]
    for path, argument in zip(below, paths, strict=True):
        if not any(is_below(document, [path]) for document in store.fingerprints()):
            raise click.UsageError(f"No indexed file or folder is named {to_single_line(argument)}.")
    return below


def _summarise(total: int, counts: Mapping[str, int]) -> str:
    states = ", ".join(f"{number} {state.replace('_', ' ')}" for state, number in counts.items() if number)
    return f"{format_count(total, 'document')}: {states}." if total else "No document refers to code."


_STYLES = {"stale": "bold yellow", "possibly_stale": "yellow", "fresh": "green", "unknown": "dim"}


def _lines(documents: Sequence[StaleDocument]) -> Iterator[Line]:
    for stale in documents:
        state = stale.state.replace("_", " ")
        yield [(f"{state:>14}  ", _STYLES[stale.state]), (stale.document, "cyan place"), (f"  {stale.title}", "")]
        yield [(" " * 16, ""), (stale.reason, "dim")]
