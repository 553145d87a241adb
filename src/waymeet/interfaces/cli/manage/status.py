"""`waymeet status`."""

from collections.abc import Iterator
from pathlib import Path

import click

from waymeet.ingest.status import Status, VectorStatus
from waymeet.interfaces.cli.common import (
    json_option,
    open_project,
    print_json,
    print_lines,
    project_options,
    format_count,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage.embedding_progress import far
from waymeet.interfaces.render.text import Line

_EPILOG = manual(
    """
    waymeet status
    waymeet status --all       every skipped and changed file
    waymeet status --json
    """,
    exits={0: "shown"},
    see="waymeet doctor, waymeet check, waymeet index",
)

_SHOWN = 20


@click.command(short_help="Say what is indexed, how fresh it is, and what was left out.", epilog=_EPILOG)
@click.option("--all", "everything", is_flag=True, help="List every skipped and changed file.")
@project_options
@json_option
def command(everything: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool) -> int:
    """Say what is indexed, how fresh it is, and what was left out."""
    with open_project(root, index, flags) as project:
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
        yield _row("packages", format_count(len(status.namespaces), "folder") + " with a name of its own")
        yield from _listed([f"{folder} is {name}" for folder, name in status.namespaces], shown)
    yield _row("sections", f"{counts.chunks} with {counts.terms} different terms")
    yield _row("links", f"{counts.edges}, {counts.dangling} leading nowhere yet")
    yield from _meaning(status.vectors, shown)
    yield _row("indexed", _ago(status.indexed_seconds_ago))
    gone = any(trouble for name, _, trouble in status.roots if not name)
    yield _row("fresh", "not known: its folder is not there" if gone else _fresh(status.changes))
    yield from _listed(status.changes or (), shown)
    left_out = f"{format_count(status.skipped_count, 'file')}; what is too large or no text is found by its path only"
    yield _row("left out", left_out if status.skipped_count else "nothing")
    yield from _listed([f"{path}: {reason}" for path, reason in status.skipped], shown)
    if status.warnings:
        yield _row("odd", f"{format_count(len(status.warnings), 'file')} could not be read quite as meant")
        yield from _listed([f"{path}: {what}" for path, what in status.warnings], shown)


def _row(name: str, text: str) -> Line:
    return [(f"{name:>9}  ", "dim"), (text, "")]


def _listed(items: "tuple[str, ...] | list[str]", shown: int | None) -> Iterator[Line]:
    for item in items[:shown]:
        yield [("           ", ""), (item, "yellow")]
    if shown is not None and len(items) > shown:
        yield [("           ", ""), (f"… and {len(items) - shown} more: waymeet status --all", "dim")]


def _meaning(meaning: VectorStatus, shown: int | None) -> Iterator[Line]:
    unused = f"; vectors of {', '.join(meaning.unused_spaces)} are kept but not asked: waymeet index --forget-vectors"
    rest = unused if meaning.unused_spaces else ""
    if not meaning.spaces:
        yield _row("meaning", f"no embedding model: search works from words and links{rest}")
        return
    spaces = " + ".join(meaning.spaces)
    yield _row("meaning", f"{meaning.embedded} of {meaning.chunks} sections embedded by {spaces}{rest}")
    if meaning.answering_spaces != meaning.spaces:
        yield _more(f"until all are, {' + '.join(meaning.answering_spaces)} answers")
    if meaning.job:
        yield _more(f"process {meaning.job.pid} is embedding: {far(meaning.job)}")
    elif meaning.error:
        yield _more(f"the last try ended early: {meaning.error}")
    elif meaning.embedded + len(meaning.failures) < meaning.chunks:
        yield _more("nobody is embedding the rest now: waymeet index")
    if meaning.failures:
        yield _more(f"{format_count(len(meaning.failures), 'section')} without a usable vector, found by words alone")
        yield from _listed(list(meaning.failures), shown)


def _more(text: str) -> Line:
    return [("           ", ""), (text, "")]


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
    return f"no, {format_count(len(changes), 'file')} changed; {taken}"
