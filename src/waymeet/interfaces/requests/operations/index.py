"""The index operation: bring the index up to date."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from waymeet.ingest.embed.batches import EmbeddingReport
from waymeet.ports import Progress
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport

_MAX_LISTED = 100


class IndexRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Index changed files and embed sections that have no vector."""

    accept_removals: Annotated[
        bool, Meta(description="Remove missing files from the index even if most files are missing.")
    ] = False
    embed: Annotated[bool, Meta(description="Embed sections that have no vector; may take long.")] = True
    accept_costs: Annotated[
        bool, Meta(description="Embed even if a large amount of text is sent to a paid provider.")
    ] = False


class IndexAnswer(Struct, frozen=True, kw_only=True):
    """The result of an indexing run."""

    files: int
    """Files found that are not ignored."""
    added: int
    updated: int
    removed: int
    unchanged: int
    ignored: int
    seconds: float
    generation: int
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that were not read, with the reason; the first hundred."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Files that are indexed despite a problem, with the problem; the first hundred."""
    missing: tuple[tuple[str, str], ...] = ()
    """Extra roots that are gone or cannot be read, with the problem; their documents are kept."""
    embedding: EmbeddingReport | None = None
    """The result of embedding; None if the run did not embed."""
    cut: tuple[str, ...] = ()


def answer_index(
    project: Project,
    request: IndexRequest,
    progress: Progress | None = None,
    embedding: Progress | None = None,
    waiting: Callable[[], None] | None = None,
) -> IndexAnswer:
    """Index the project.

    `progress` and `embedding` are called in the thread that does the work. An exception that they raise ends the run
    between two files; files indexed until then stay in the index.
    """
    report = project.index(
        progress,
        embedding,
        waiting,
        accept_removals=request.accept_removals,
        embed=request.embed,
        consent=lambda _: request.accept_costs,
    )
    return _to_answer(project, report)


def _to_answer(project: Project, report: "IndexReport") -> IndexAnswer:
    skipped = tuple((entry.path, entry.reason) for entry in report.skipped)
    lists = {"skipped": skipped, "warnings": report.warnings}
    return IndexAnswer(
        files=report.files,
        added=report.added,
        updated=report.updated,
        removed=report.removed,
        unchanged=report.unchanged,
        ignored=report.ignored,
        seconds=report.seconds,
        generation=project.refreshed_store()[0].generation,
        skipped=skipped[:_MAX_LISTED],
        warnings=report.warnings[:_MAX_LISTED],
        missing=report.missing,
        embedding=report.embedding,
        cut=tuple(
            f"{len(values) - _MAX_LISTED} of {len(values)} {name}"
            for name, values in lists.items()
            if len(values) > _MAX_LISTED
        ),
    )
