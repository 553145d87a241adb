"""`waymeet read`."""

import re
from pathlib import Path

import click

from waymeet.interfaces.cli.common import from_here, json_option, opened, print_json, project_options, say
from waymeet.places import there


@click.command(short_help="Print a section or some lines of an indexed file.")
@click.argument("reference", metavar="ID|PATH[:FROM[:COUNT]]")
@project_options
@json_option
def command(reference: str, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Print a section by the id that search shows (docs/a.md#L10-L24), or lines of an indexed file.

    PATH prints the whole file, PATH:10 from line 10 on, PATH:10:5 five lines from line 10, PATH#heading a section.
    """
    with opened(root, index, flags) as project:
        path, mark, rest = _parted(reference)
        excerpt = project.read(from_here(project.root, path) + mark + rest)
        if as_json:
            print_json(excerpt)
        else:
            say(excerpt.text)
            for note in excerpt.notes:
                say(f"note: {note}", err=True)
    return 0


def _parted(reference: str) -> tuple[str, str, str]:
    """Part a reference into the file and the place in it, if the whole is not itself a file.

    >>> _parted("docs/a.md#L1-L2"), _parted("a.md:3:4")
    (('docs/a.md', '#', 'L1-L2'), ('a.md', ':', '3:4'))
    """
    found = re.fullmatch(r"(.+?)(#|:(?=\d))(.*)", reference, re.DOTALL)
    return (found[1], found[2], found[3]) if found and not there(Path(reference)) else (reference, "", "")
