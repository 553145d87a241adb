"""`waymeet status`."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from waymeet.analysis.file_roles import ROLES
from waymeet.ingest.status import BackgroundJob, Status, VectorStatus
from waymeet.interfaces.cli.common import (
    format_count,
    json_option,
    open_project,
    print_json,
    print_lines,
    project_options,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.manage.embedding_progress import format_progress
from waymeet.interfaces.cli.run_progress import format_run
from waymeet.interfaces.render.text import Line
from waymeet.ports import IndexSize
from waymeet.project.backend import measure_size

_EPILOG = manual(
    """
    waymeet status
    waymeet status --all       with all skipped and changed files
    waymeet status --size      bytes of the index by purpose
    waymeet status --json
    """,
    exits={0: "shown"},
    see="waymeet doctor, waymeet check, waymeet index",
)

_MAX_LISTED = 20


@click.command(epilog=_EPILOG)
@click.option("--all", "everything", is_flag=True, help="List all skipped and changed files.")
@click.option("--size", is_flag=True, help="Show only the bytes of the index by purpose.")
@project_options
@json_option
def command(
    everything: bool, size: bool, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool
) -> int:
    """Show what is indexed, how fresh it is, and what was skipped."""
    with open_project(root, index, flags) as project:
        if size:
            return _show_size(measure_size(project.index_path), as_json=as_json)
        status = project.status()
    if as_json:
        print_json(status)
    else:
        print_lines(status_lines(status, None if everything else _MAX_LISTED))
    return 0


def _show_size(size: IndexSize, *, as_json: bool) -> int:
    if as_json:
        print_json(size)
    else:
        print_lines(size_lines(size))
    return 0


def size_lines(size: IndexSize) -> Iterator[Line]:
    """Format the bytes of an index by purpose, with their ratio to the indexed text."""
    text = max(size.text_bytes, 1)
    yield [(f"{'':12}{'bytes':>15}  {'of text':>7}", "dim")]
    for part in size.parts:
        yield [
            (f"{part.name:>10}  ", "dim"),
            (f"{part.bytes:15,}  {part.bytes / text:6.2f}×  ", ""),
            (part.what, "dim"),
        ]
    total = sum(part.bytes for part in size.parts)
    without_vectors = total - sum(part.bytes for part in size.parts if part.name.startswith("vector"))
    yield [(f"{'all':>10}  ", "dim"), (f"{total:15,}  {total / text:6.2f}×", "bold")]
    yield [(f"{'no vectors':>10}  ", "dim"), (f"{without_vectors:15,}  {without_vectors / text:6.2f}×", "")]
    yield [(f"{'text':>10}  ", "dim"), (f"{size.text_bytes:15,}  ", ""), ("of all sections", "dim")]


def status_lines(status: Status, max_listed: int | None) -> Iterator[Line]:
    """Format the state of an index."""
    counts = status.counts
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.kinds.items()) if kind != "folders")
    yield _row("project", status.root)
    yield _row("index", f"{status.index} ({status.index_bytes / 1e6:.1f} MB, generation {status.generation})")
    for name, place, problem in status.roots:
        if name or problem:
            yield _row(f"{name}:/" if name else "root", f"{place} {problem}".rstrip())
    folders = counts.kinds.get("folders", 0)
    yield _row("files", f"{counts.documents - folders}" + (f" ({kinds})" if kinds else ""))
    if folders:
        yield _row("folders", f"{folders}")
    if counts.roles:
        largest_first = sorted(counts.roles.items(), key=lambda item: (-item[1], item[0]))
        yield _row("roles", ", ".join(f"{number} {role}" for role, number in largest_first))
    if status.namespaces:
        yield _row("packages", f"{format_count(len(status.namespaces), 'folder')} with a namespace")
        yield from _list_lines([f"{folder}: {name}" for folder, name in status.namespaces], max_listed)
    yield _row("sections", f"{counts.chunks}, with {counts.terms} distinct terms")
    yield _row("links", f"{counts.edges}, {counts.dangling} of them broken or external")
    yield from _vector_lines(status.vectors, max_listed, has_job=status.background is not None)
    yield from _unembedded_lines(counts.not_embedded)
    if status.indexing:
        yield _row("indexing", format_run(status.indexing))
    if status.background:
        yield _row("job", _describe_job(status.background))
    for text in status.settings:
        yield _row("setting", f"{text}, kept from the last waymeet index")
    yield _row("indexed", _format_age(status.indexed_seconds_ago))
    yield from _freshness_lines(status, max_listed)
    yield from _review_lines(status, max_listed)


def _review_lines(status: Status, max_listed: int | None) -> Iterator[Line]:
    """Show what notes, tasks and skills need, if anything."""
    if status.conflicts:
        yield _row("conflicts", f"{format_count(status.conflicts, 'pair')} of items: waymeet note conflicts")
    if status.suggested_tiers:
        yield _row("tiers", f"use suggests another tier for {format_count(len(status.suggested_tiers), 'item')}")
        yield from _list_lines(
            [f"{path}: {tier} ({reason})" for path, tier, reason in status.suggested_tiers], max_listed
        )


def _freshness_lines(status: Status, max_listed: int | None) -> Iterator[Line]:
    is_root_missing = any(problem for name, _, problem in status.roots if not name)
    yield _row("fresh", "unknown: the folder does not exist" if is_root_missing else _freshness(status.changes))
    yield from _list_lines(status.changes or (), max_listed)
    skipped = f"{format_count(status.skipped_count, 'file')}; binary, large, minified and lock files are found by path"
    yield _row("skipped", skipped if status.skipped_count else "nothing")
    yield from _list_lines([f"{path}: {reason}" for path, reason in status.skipped], max_listed)
    if status.warnings:
        yield _row("warnings", f"{format_count(len(status.warnings), 'file')} could not be read completely")
        yield from _list_lines([f"{path}: {warning}" for path, warning in status.warnings], max_listed)


def _row(name: str, text: str) -> Line:
    return [(f"{name:>9}  ", "dim"), (text, "")]


def _list_lines(items: "tuple[str, ...] | list[str]", max_listed: int | None) -> Iterator[Line]:
    for item in items[:max_listed]:
        yield [("           ", ""), (item, "yellow")]
    if max_listed is not None and len(items) > max_listed:
        yield [("           ", ""), (f"… and {len(items) - max_listed} more: waymeet status --all", "dim")]


def _vector_lines(vectors: VectorStatus, max_listed: int | None, *, has_job: bool) -> Iterator[Line]:
    spaces = ", ".join(vectors.unused_spaces)
    unused = f"; unused vectors of {spaces}: waymeet index --forget-vectors" if spaces else ""
    if not vectors.spaces:
        yield _row("vectors", f"no embedding model configured; search uses text and links{unused}")
        return
    models = " + ".join(vectors.spaces)
    yield _row("vectors", f"{vectors.embedded} of {vectors.chunks} sections embedded by {models}{unused}")
    if vectors.approximate:
        trust = "not measured yet" if vectors.student_trust is None else f"{vectors.student_trust:.2f}"
        yield _more(f"{vectors.approximate} more have an approximate vector until then (trust {trust})")
    if vectors.any_language is not None:
        yield _more(f"{vectors.any_language} of {vectors.chunks} sections can be found in any language")
    if vectors.answering_spaces != vectors.spaces:
        yield _more(f"until all are embedded, search uses {' + '.join(vectors.answering_spaces)}")
    if vectors.job:
        yield _more(f"process {vectors.job.pid} is embedding: {format_progress(vectors.job)}")
    elif vectors.error:
        yield _more(f"the last run failed: {vectors.error}")
    elif vectors.embedded + len(vectors.failures) < vectors.chunks and not has_job:
        yield _more("no process is embedding the rest; run: waymeet index")
    if vectors.failures:
        yield _more(f"{format_count(len(vectors.failures), 'section')} without a usable vector; text search finds them")
        yield from _list_lines(list(vectors.failures), max_listed)


def _describe_job(job: BackgroundJob) -> str:
    if not job.waits_for:
        working = f"process {job.pid} indexes and embeds this project in the background"
        return f"{working}; to stop it: waymeet jobs --stop" if job.pid else "queued; the next job starts it"
    return f"queued until process {job.pid} is done with {job.waits_for}"


def _unembedded_lines(sections: Mapping[str, int]) -> Iterator[Line]:
    """List the sections that get no vector, with the reason."""
    by_role = {role: number for role, number in sections.items() if not ROLES[role].is_embedded}
    as_data = sum(sections.values()) - sum(by_role.values())
    reasons = [f"{number} {role}" for role, number in by_role.items()]
    reasons += [f"{as_data} encoded data or numbers"] if as_data else []
    if reasons:
        yield _more(f"{format_count(sum(sections.values()), 'section')} found by words only: {', '.join(reasons)}")


def _more(text: str) -> Line:
    return [("           ", ""), (text, "")]


def _format_age(seconds: float | None) -> str:
    if seconds is None:
        return "never completely"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            return f"{format_count(int(seconds // size), unit)} ago"
    return "less than a minute ago"


def _freshness(changes: tuple[str, ...] | None) -> str:
    if changes is None:
        return "unknown: too many files for a quick check"
    if not changes:
        return "yes, no file changed since it was indexed"
    return f"no, {format_count(len(changes), 'file')} changed; update with waymeet index, or waymeet index --watch"
