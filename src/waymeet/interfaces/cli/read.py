"""`waymeet read`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import cited, json_option, opened, print_json, project_options, say


@click.command(short_help="Print a section or some lines of an indexed file.")
@click.argument("reference", metavar="ID|PATH[:FROM[:COUNT]]")
@project_options
@json_option
def command(reference: str, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Print a section by the id that search shows (docs/a.md#L10-L24), or lines of an indexed file.

    PATH prints the whole file, PATH:10 from line 10 on, PATH:10:5 five lines from line 10, PATH#heading a section.
    """
    with opened(root, index, flags) as project:
        excerpt = project.read(cited(project.root, reference))
        if as_json:
            print_json(excerpt)
        else:
            say(excerpt.text)
            for note in excerpt.notes:
                say(f"note: {note}", err=True)
    return 0
