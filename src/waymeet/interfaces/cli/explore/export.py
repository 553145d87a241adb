"""`waymeet export`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    bars,
    format_count,
    fresh_store,
    json_option,
    open_project,
    print_degraded,
    print_json,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.render.text import to_single_line

_EPILOG = manual(
    """
    waymeet export --html site                       write the site
    waymeet export --html site --json                with its size by part
    python3 -m http.server --directory site          look at it
    """,
    exits={0: "written"},
    see="waymeet open, waymeet serve",
)


@click.command(epilog=_EPILOG)
@click.option(
    "--html",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Write a site of HTML pages into this folder.",
)
@click.option("--force", is_flag=True, help="Write into a folder that has other files; these are kept.")
@project_options
@json_option
def command(
    folder: Path, force: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool
) -> int:
    """Write the project as a site of plain files, for any web host.

    Every document has a page with its outline, its links and related documents. The start page has a search by words
    that runs in the browser, with the scores of --recipe classic --mode bm25_only. No server program is needed.

    The folder must be missing, empty, or written by an earlier export, whose files are replaced. A failed export leaves
    the earlier site as it is. Secrets are masked, and ignored files are left out, as in the index.
    """
    from waymeet.interfaces.export.output_folder import check_target
    from waymeet.interfaces.export.site import export_site

    target = folder.expanduser().absolute()
    with open_project(root, index, flags) as project:
        check_target(target, force=force)
        store, degraded = fresh_store(project, complete=True)
        with bars(project.settings.terminal, "Pages", "Search") as (pages, search):
            summary = export_site(project, store, target, force=force, progress=(pages, search))
    print_degraded(degraded)
    if as_json:
        print_json(summary)
        return 0
    count, size = format_count(summary.documents, "document"), f"{summary.bytes / 1e6:.1f} MB"
    say(f"{to_single_line(str(folder))}: {count}, {size} in {summary.files} files.")
    parts = ", ".join(f"{part} {count / 1e6:.1f} MB" for part, count in summary.bytes_by_part.items())
    say(f"{parts}; the texts have {summary.text_bytes / 1e6:.1f} MB. {summary.seconds:.1f} s.")
    return 0
