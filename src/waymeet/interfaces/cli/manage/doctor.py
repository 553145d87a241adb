"""`waymeet doctor`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from waymeet.errors import SettingsError
from waymeet.interfaces.cli import ROOT
from waymeet.interfaces.cli.common import format_count, open_project, project_options
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage.health_checks import (
    Finding,
    check_agents,
    check_disk,
    check_index,
    check_lock,
    check_models,
    check_settings,
    check_store,
    check_versions,
)
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing
from waymeet.interfaces.render.text import Line
from waymeet.paths import current_folder, index_file, known_folder, project_root

_EPILOG = manual(
    """
    waymeet doctor
    waymeet doctor --offline        without requests to models on the network
    waymeet doctor --json           for a bug report
    """,
    exits={0: "no problems", 1: "a problem was found", 3: ""},
    see="waymeet check, waymeet status, waymeet settings",
)
_STYLES = {"ok": "green", "off": "dim", "warning": "yellow", "problem": "bold red"}
_MARKS = {"ok": "✓", "off": "·", "warning": "!", "problem": "✗"}


@click.command(epilog=_EPILOG)
@click.option("--offline", is_flag=True, help="Do not send test requests to models on the network.")
@project_options
@format_option(drop=("files",))
@click.pass_context
def command(
    ctx: click.Context,
    offline: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    form: str,
) -> int:
    """Check versions, settings, index, locks, disk space, models and agents, and suggest fixes.

    Each model of the settings is tested with a request of one word.
    """
    selected = root or ctx.meta.get(ROOT)
    folder = known_folder(Path(selected), index) if selected else project_root(current_folder())
    findings = tuple(_run_checks(folder, index, flags, offline=offline))
    problems = sum(finding.state == "problem" for finding in findings)
    warnings = sum(finding.state == "warning" for finding in findings)
    counts = f"{format_count(problems, 'problem')}, {format_count(warnings, 'warning')}."
    summary = counts if problems + warnings else "No problems found."
    document = {"findings": findings, "problems": problems, "warnings": warnings}
    print_listing(form, Listing(document, findings, tuple(_lines(findings)), summary=summary), None)
    return 1 if problems else 0


def _run_checks(folder: Path, index: Path | None, flags: tuple[str, ...], *, offline: bool) -> Iterator[Finding]:
    """Run all checks, or with invalid settings those that need no settings."""
    yield from check_versions()
    yield from check_settings(folder)
    yield from check_disk(index_file(folder, index))
    yield from check_lock(folder, index)
    try:
        with open_project(folder, index, flags) as project:
            yield from check_store(project)
            yield from check_index(project)
            yield from check_models(project, use_network=not offline)
    except SettingsError:
        yield Finding("index", "warning", "not checked, because the settings are invalid")
    yield from check_agents(folder)


def _lines(findings: Iterable[Finding]) -> Iterator[Line]:
    for finding in findings:
        style = _STYLES[finding.state]
        yield [
            (f"{_MARKS[finding.state]} ", style),
            (f"{finding.topic:<10}", "bold"),
            (finding.message, style if finding.state == "off" else ""),
        ]
        if finding.remedy:
            yield [(" " * 12, ""), (f"→ {finding.remedy}", "dim" if finding.state == "off" else "yellow")]
