"""`waymeet stale`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import time_ns

import click

from waymeet.interfaces.cli.common import (
    fresh_store,
    to_root_path,
    open_project,
    project_options,
    format_count,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.cli.shell_complete import complete_documents
from waymeet.interfaces.render.text import Line, to_single_line
from waymeet.staleness.scope import is_below
from waymeet.staleness.verdicts import StaleDocument, list_stale

_EPILOG = manual(
    """
    waymeet stale                          what is stale or may be, the worst first
    waymeet stale docs --exit-code         for continuous integration
    waymeet stale --exit-code --strict     also if something is possibly stale
    waymeet stale --format files           the files only
    """,
    exits={1: "something is stale (with --exit-code)"},
    see="waymeet broken-links, waymeet settings staleness",
)


@click.command(short_help="List documents that what they describe has left behind.", epilog=_EPILOG)
@click.argument("paths", nargs=-1, shell_complete=complete_documents)
@click.option("--exit-code", is_flag=True, help="End with 1 if any document is stale.")
@click.option("--strict", is_flag=True, help="Count what is possibly stale as stale.")
@click.option("--all", "everything", is_flag=True, help="List also documents that are fresh or refer to nothing.")
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
    """List documents that what they describe has left behind, with the cause, the worst first.

    A document is stale if a source that its front matter names (source_refs) changed after it or is not there; it is
    possibly stale if only code that it mentions changed, or if a source has had another path for a while
    (staleness.threshold_days). Times are those of commits, for files with uncommitted changes and without git those
    of the files.
    """
    with open_project(root, index, flags) as project:
        store, degraded = fresh_store(project, complete=exit_code)
        moments = project.change_dates(store)
        wanted = [to_root_path(project.root, path) for path in paths]
        for path, given in zip(wanted, paths, strict=True):  # a typing error must not look like good news
            if not any(is_below(document, [path]) for document in store.fingerprints()):
                raise click.UsageError(f"Nothing indexed is called {to_single_line(given)} or lies below it.")
        found = list_stale(store, project.settings, time_ns(), moments, wanted)
    counts = {state: sum(each.state == state for each in found) for state in _STYLES}
    shown = found if everything else tuple(each for each in found if each.state in {"stale", "possibly_stale"})
    notes = (moments.problem,) if moments.problem else ()
    told = ", ".join(f"{number} {state.replace('_', ' ')}" for state, number in counts.items() if number)
    said = f"{format_count(len(found), 'document')}: {told}." if found else "No document here describes anything."
    whole = {"documents": shown, "counts": counts, "notes": notes, "degraded": degraded}
    files = [each.document for each in shown]
    print_listing(form, Listing(whole, shown, tuple(_lines(shown)), files, said, notes, degraded), project)
    guilty = counts["stale"] + (counts["possibly_stale"] if strict else 0)
    return 1 if exit_code and guilty else 0


_STYLES = {"stale": "bold yellow", "possibly_stale": "yellow", "fresh": "green", "unknown": "dim"}


def _lines(found: Sequence[StaleDocument]) -> Iterator[Line]:
    for each in found:
        mark = each.state.replace("_", " ")
        yield [(f"{mark:>14}  ", _STYLES[each.state]), (each.document, "cyan place"), (f"  {each.title}", "")]
        yield [(" " * 16, ""), (each.reason, "dim")]
