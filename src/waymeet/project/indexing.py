"""Bring the index of a project up to date: on request, before a search, and while watching."""

from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError, IndexUnavailableError, UsageError
from waymeet.ports import Progress, Store
from waymeet.project.backend import open_store
from waymeet.project.embedding.job import embed_few
from waymeet.project.embedding.student import EarlyPrediction, predict_vectors
from waymeet.project.freshness import describe_postponed, is_worth_recording, update_dates
from waymeet.project.likely_files import order_by_likelihood
from waymeet.project.models import Models
from waymeet.settings import Settings

if TYPE_CHECKING:
    from waymeet.ingest.discover.changes import Changes
    from waymeet.ingest.index import Choice, IndexReport


def index_all(
    root: Path,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    *,
    accept_removals: bool = False,
) -> "IndexReport":
    """Index every file that changed, then update the dates of changes."""
    from waymeet.ingest.index import index

    check_owner(root, store)
    report = index(root, store, settings, progress, accept_removals=accept_removals)
    update_dates(root, store, settings)
    return report


def index_and_predict(
    root: Path,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    *,
    models: Models,
    accept_removals: bool = False,
) -> "IndexReport":
    """Index every file that changed, and give sections without a vector an approximate one."""
    prediction = EarlyPrediction(models, store, settings.embedding, progress)
    try:
        report = index_all(root, store, settings, prediction, accept_removals=accept_removals)
    except BaseException:
        prediction.cancel()
        raise
    problem = prediction.finish()  # the job reports it
    if models.student(settings.embedding) is not None and not problem and not report.unchanged:
        models.note_first_vectors(store.corpus_profile().chunks)
    return report


def index_changes(
    root: Path, store: Store, settings: Settings, changes: "Changes", choice: "Choice | None" = None
) -> "IndexReport":
    """Index files that are known to have changed, or some of them."""
    from waymeet.ingest.index import index

    check_owner(root, store)
    return index(root, store, settings, only=changes, choice=choice)


def index_before_search(
    root: Path, models: Models, settings: Settings, changes: "Changes", query: str, *, embed: bool
) -> tuple[str, int]:
    """Index changed files before a search, and return why some were not, and how many.

    Up to `ingest.refresh_files` are indexed in any case, the likeliest for the query first, and more for as long as
    `ingest.refresh_seconds`. A connection of its own does not wait longer than that for other writers.
    """
    if not is_worth_recording(changes):
        return "", 0
    from waymeet.ingest.index import Choice
    from waymeet.ingest.lock import index_lock

    seconds, most = settings.ingest.refresh_seconds, settings.ingest.refresh_files
    number = changes.number
    if number and not most:
        return describe_postponed(number, number), number
    try:
        with index_lock(models.index, wait=False), closing(open_store(models.index, timeout=seconds)) as store:
            choice, deadline = None, monotonic() + seconds
            if number > most:
                order = order_by_likelihood(changes, store, query, lambda: monotonic() > deadline - seconds / 2)
                choice = Choice(order, most, lambda: monotonic() > deadline)
            report = index_changes(root, store, settings, changes, choice)
            follow_renames(models.index, store)
            if embed:
                deadline = monotonic() + seconds
                embed_few(models, store, settings, lambda: monotonic() > deadline)
                predict_vectors(models, store, settings.embedding)  # the job reports a student that cannot be used
    except (IndexUnavailableError, EmbeddingError) as error:
        return (f"{number} changed files could not be indexed: {error.message}", number) if number else ("", 0)
    return (describe_postponed(report.postponed, number), report.postponed) if report.postponed else ("", 0)


def index_if_changed(root: Path, index: Path, store: Store, settings: Settings) -> "IndexReport | None":
    """Index changed files while watching, or return None if nothing changed."""
    from waymeet.ingest.discover.changes import find_changes
    from waymeet.ingest.lock import index_lock

    changes = find_changes(root, store, settings, lambda: False)
    if changes is None or not changes.number:
        return None
    with index_lock(index, wait=True):
        changes = find_changes(root, store, settings, lambda: False)  # another process may have indexed some of them
        report = index_changes(root, store, settings, changes) if changes else index_all(root, store, settings)
        store.optimize()
        update_dates(root, store, settings)
        follow_renames(index, store)
    return report


def follow_renames(index: Path, store: Store) -> None:
    """Move votes, reviews, uses and conflicts of renamed documents to their new paths."""
    from waymeet.ingest.discover.run_state import renamed_paths

    renamed = renamed_paths(store)
    if not renamed:
        return
    from waymeet.notebook.notebook import rename_items
    from waymeet.search.feedback.storage import rename_documents

    for rename in (rename_documents, rename_items):
        try:
            rename(index, renamed)
        except (OSError, UsageError):
            continue  # the store keeps the renames, so that the next run does it


def check_owner(root: Path, store: Store) -> None:
    """Refuse an index that belongs to another project.

    Raises:
        UsageError: the index was made from another folder.
    """
    owner = store.metadata("root")
    if owner and owner != str(root):
        raise UsageError(
            f"The index belongs to {owner}, not to {root}.",
            "Choose another index file with --index, or run the command in the project it belongs to.",
        )
