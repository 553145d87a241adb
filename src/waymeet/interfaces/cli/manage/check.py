"""`waymeet check`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import json_option, open_project, print_json, project_options, format_count
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.render.text import escape_control

_EPILOG = manual(
    """
    waymeet check
    waymeet check --repair && waymeet index     mend it, then read again what was lost
    """,
    exits={0: "nothing is wrong (any more)", 3: "damage is left, or there is no index"},
    see="waymeet doctor, waymeet status",
)


@click.command(short_help="Look for damage in the index, and mend it with --repair.", epilog=_EPILOG)
@click.option("--repair", is_flag=True, help="Mend what can be mended.")
@project_options
@json_option
def command(repair: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Look for damage in the index: flipped bytes, missing rows, truncated files.

    With --repair, what was derived is made anew and what cannot be read is dropped, to be read again from the
    project's files by `waymeet index`. If the index file itself is damaged, all documents that are whole are saved
    into a new one, with their vectors; the damaged file is put aside, never deleted.
    """
    with open_project(root, index, flags) as project:
        verdict = project.check(repair=repair)
        if as_json:
            print_json(verdict)
            return 3 if verdict.damaged else 0
        for finding in verdict.findings:
            done = "repaired: " if finding.repaired else ""
            click.echo(f"{done}{escape_control(finding.where)}: {escape_control(finding.what)}")
        if not verdict.findings:
            click.echo(f"Nothing is wrong with {escape_control(str(project.index_path))}.")
        elif verdict.damaged:
            left = sum(not finding.repaired for finding in verdict.findings)
            advice = "" if repair else " Mend it: waymeet check --repair"
            click.echo(f"Damage: {format_count(left, 'finding')}.{advice}", err=True)
        if verdict.run_index:
            click.echo("Run `waymeet index` now: it reads again what was lost.", err=True)
    return 3 if verdict.damaged else 0
