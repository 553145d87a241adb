"""`waymeet status`."""

from collections.abc import Iterator
from pathlib import Path

import click

from waymeet.ingest.status import Status
from waymeet.interfaces.cli.common import json_option, opened, print_json, print_lines, project_options, several
from waymeet.interfaces.present import Line

_SHOWN = 20


@click.command(short_help="Say what is indexed, how fresh it is, and what was left out.")
@click.option("--all", "everything", is_flag=True, help="List every skipped and changed file.")
@project_options
@json_option
def command(everything: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Say what is indexed, how fresh it is, and what was left out."""
    with opened(root, index, flags) as project:
        status = project.status()
    if as_json:
        print_json(status)
    else:
        print_lines(status_lines(status, None if everything else _SHOWN))
    return 0


def status_lines(status: Status, shown: int | None) -> Iterator[Line]:
    """Lay out the state of an index."""
    counts = status.counts
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.kinds.items()) if kind != "folders")
    yield _row("project", status.root)
    yield _row("index", f"{status.index} ({status.index_bytes / 1e6:.1f} MB, generation {status.generation})")
    for name, place, trouble in status.roots:
        if name or trouble:
            yield _row(f"{name}:/" if name else "root", f"{place} {trouble}".rstrip())
    folders = counts.kinds.get("folders", 0)
    yield _row("files", f"{counts.documents - folders}" + (f" ({kinds})" if kinds else ""))
    if folders:
        yield _row("folders", f"{folders}")
    if status.namespaces:
        yield _row("packages", several(len(status.namespaces), "folder") + " with a name of its own")
        yield from _listed([f"{folder} is {name}" for folder, name in status.namespaces], shown)
    yield _row("sections", f"{counts.chunks} with {counts.terms} different terms")
    yield _row("links", f"{counts.edges}, {counts.dangling} leading nowhere yet")
    yield _row("meaning", _meaning(status))
    yield _row("indexed", _ago(status.indexed_seconds_ago))
    gone = any(trouble for name, _, trouble in status.roots if not name)
    yield _row("fresh", "not known: its folder is not there" if gone else _fresh(status.changes))
    yield from _listed(status.changes or (), shown)
    left_out = f"{several(status.skipped_count, 'file')}; what is too large or no text is found by its path only"
    yield _row("left out", left_out if status.skipped_count else "nothing")
    yield from _listed([f"{path}: {reason}" for path, reason in status.skipped], shown)
    if status.noted:
        yield _row("odd", f"{several(len(status.noted), 'file')} could not be read quite as meant")
        yield from _listed([f"{path}: {what}" for path, what in status.noted], shown)


def _row(name: str, text: str) -> Line:
    return [(f"{name:>9}  ", "dim"), (text, "")]


def _listed(items: "tuple[str, ...] | list[str]", shown: int | None) -> Iterator[Line]:
    for item in items[:shown]:
        yield [("           ", ""), (item, "yellow")]
    if shown is not None and len(items) > shown:
        yield [("           ", ""), (f"… and {len(items) - shown} more: waymeet status --all", "dim")]


def _meaning(status: Status) -> str:
    if not status.lane:
        return "no embedding model: search works from words and links"
    return f"{status.counts.vectors.get(status.lane, 0)} of {status.counts.chunks} sections embedded by {status.lane}"


def _ago(seconds: float | None) -> str:
    if seconds is None:
        return "never finished"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'s' * (number > 1)} ago"
    return "less than a minute ago"


def _fresh(changes: tuple[str, ...] | None) -> str:
    if changes is None:
        return "not known: too many files to look at quickly"
    if not changes:
        return "yes, every file is as it was indexed"
    taken = "`waymeet index` takes them in, a search only a few, `waymeet index --watch` all at once"
    return f"no, {several(len(changes), 'file')} changed; {taken}"
