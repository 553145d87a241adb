"""Bringing the index up to date."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from waymeet.ingest.embed.batches import EmbeddingReport
from waymeet.ports import Progress
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.ingest.index import IndexReport

_SHOWN = 100


class IndexRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Read what changed, and embed what has no vector yet."""

    accept_removals: Annotated[
        bool, Meta(description="Forget files that are gone even if they are most of all files.")
    ] = False
    embed: Annotated[bool, Meta(description="Embed what has no vector yet, which may take long.")] = True
    accept_costs: Annotated[
        bool, Meta(description="Embed even if much is sent to a provider that wants money for it.")
    ] = False


class IndexAnswer(Struct, frozen=True, kw_only=True):
    """What a run did."""

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
    """What was not read, and why; the first hundred."""
    noted: tuple[tuple[str, str], ...] = ()
    """What is indexed although something was wrong with it; the first hundred."""
    missing: tuple[tuple[str, str], ...] = ()
    """Extra roots that are gone or cannot be read; what is known of them is kept."""
    embedding: EmbeddingReport | None = None
    """What came of embedding; None if it was not wanted."""
    cut: tuple[str, ...] = ()


def answer_index(
    project: Project,
    request: IndexRequest,
    progress: Progress | None = None,
    embedding: Progress | None = None,
    waiting: Callable[[], None] | None = None,
) -> IndexAnswer:
    """Index the project; `progress` and `embedding` are told how far it is, in the thread that does the work.

    What they raise ends the run between two files; what was taken in until then stays.
    """
    report = project.index(
        progress,
        embedding,
        waiting,
        accept_removals=request.accept_removals,
        embed=request.embed,
        consent=lambda _: request.accept_costs,
    )
    return indexed(project, report)


def indexed(project: Project, report: "IndexReport") -> IndexAnswer:
    """Put a report of a run as an answer."""
    skipped = tuple((each.path, each.reason) for each in report.skipped)
    lists = {"skipped": skipped, "noted": report.warnings}
    return IndexAnswer(
        files=report.files,
        added=report.added,
        updated=report.updated,
        removed=report.removed,
        unchanged=report.unchanged,
        ignored=report.ignored,
        seconds=report.seconds,
        generation=project.refreshed_store()[0].generation,
        skipped=skipped[:_SHOWN],
        noted=report.warnings[:_SHOWN],
        missing=report.missing,
        embedding=report.embedding,
        cut=tuple(f"{len(all_) - _SHOWN} of {len(all_)} {name}" for name, all_ in lists.items() if len(all_) > _SHOWN),
    )
