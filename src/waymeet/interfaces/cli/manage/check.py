"""`waymeet check`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from waymeet.interfaces.cli.common import format_count, json_option, open_project, print_json, project_options, say
from waymeet.interfaces.cli.help import manual

if TYPE_CHECKING:
    from waymeet.stores.sqlite.check.check import Finding

_EPILOG = manual(
    """
    waymeet check
    waymeet check --repair && waymeet index     repair, then index lost files again
    """,
    exits={0: "no corruption, or repaired; unused files may be left", 3: "corrupt, or no index"},
    see="waymeet doctor, waymeet status",
)


@click.command(epilog=_EPILOG)
@click.option("--repair", is_flag=True, help="Repair what can be repaired.")
@project_options
@json_option
def command(repair: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Check the index for corruption: flipped bytes, missing rows, truncated files.

    With --repair, derived data is rebuilt, and unreadable documents and vectors are dropped; `waymeet index` computes
    them again from the project's files. If the database itself is corrupt, intact documents are copied with their
    vectors to a new one. The corrupt file is renamed, never deleted.

    Unused files that an interrupted run or a power failure left are listed, but they are no corruption: the next
    `waymeet index` or --repair removes them.
    """
    with open_project(root, index, flags) as project:
        result = project.check(repair=repair)
        if as_json:
            print_json(result)
            return 3 if result.damaged else 0
        for finding in result.findings:
            say(_describe(finding))
        problems = [finding for finding in result.findings if not finding.leftover]
        if not problems:
            say(f"No corruption found in {project.index_path}.")
        elif result.damaged:
            left = sum(not finding.repaired for finding in problems)
            hint = "" if repair else " To repair it: waymeet check --repair"
            click.echo(f"The index is corrupt: {format_count(left, 'problem')}.{hint}", err=True)
        if result.run_index:
            click.echo("Run `waymeet index` to compute again what was lost.", err=True)
    return 3 if result.damaged else 0


def _describe(finding: "Finding") -> str:
    where, what = finding.where, finding.what
    if finding.leftover and finding.repaired:
        return f"removed: {where}"
    prefix = "leftover: " if finding.leftover else "repaired: " if finding.repaired else ""
    return f"{prefix}{where}: {what}"
