"""`waymeet index`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import indexed, json_option, opened, print_json, project_options, say, several


@click.command(short_help="Read the project's files into its index.")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@project_options
@json_option
def command(path: Path | None, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Read the files below PATH (this project, if none is given) into the index.

    Only what changed since the last time is read again. What .gitignore and .waymeetignore name is left out.
    """
    if path is not None and root is not None:
        raise click.UsageError("Give the folder either as PATH or with --project, not both.")
    with opened(path or root, index, flags) as project:
        report = indexed(project)
        if as_json:
            print_json(report)
            return 0
        counts = project.counts()
        changes = [
            f"{number} {what}"
            for number, what in ((report.added, "new"), (report.updated, "changed"), (report.removed, "removed"))
            if number
        ]
        said = ", ".join(changes) or "nothing changed"
        say(f"{several(counts.documents, 'file')} in {project.root}: {said}.")
        dangling = f", {counts.dangling} leading nowhere yet" if counts.dangling else ""
        say(
            f"{several(counts.chunks, 'section')}, {several(counts.terms, 'term')}, "
            f"{several(counts.edges, 'link')}{dangling}. {report.seconds:.1f} s."
        )
        if report.skipped:
            say(f"Left out: {several(len(report.skipped), 'file')}; `waymeet status` says why.")
        if report.noted:
            say(f"Not all could be read in {several(len(report.noted), 'file')}; `waymeet status` says what.")
        if not counts.documents:
            say("There is nothing to search yet: no text file was found, or all are ignored.", err=True)
    return 0
