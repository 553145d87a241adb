"""Describe the index of a project, the changes since its last run, and its jobs."""

from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.paths import index_bytes
from waymeet.ports import RunProgress, Store
from waymeet.project import freshness
from waymeet.project.embedding.job import vector_status
from waymeet.project.index_settings import recorded_settings
from waymeet.project.models import Models
from waymeet.settings import Embedding, Settings
from waymeet.types import Filters

if TYPE_CHECKING:
    from waymeet.ingest.status import BackgroundJob, Status

_ITEMS = Filters(kinds=("notes", "tasks", "skills"))


def project_status(root: Path, models: Models, store: Store, own: Settings, embedding: Embedding) -> "Status":
    """Describe an index by its own settings, and the vectors of the chosen model."""
    from waymeet.ingest.status import build_status
    from waymeet.notebook.review.conflict_list import count_open

    is_root_missing = bool(freshness.report_missing_root(root, store))
    changes = None if is_root_missing else freshness.find_quick_changes(root, store, own)
    return replace(
        build_status(root, store, own, changes),
        index=str(models.index),
        index_bytes=index_bytes(models.index),
        vectors=vector_status(models, store, embedding),
        settings=recorded_settings(models.index),
        background=_background_job(models.index),
        indexing=_running_progress(models.index, store),
        conflicts=count_open(models.index, store),
        suggested_tiers=_suggest_tiers(store, models.index),
    )


def _running_progress(index: Path, store: Store) -> RunProgress | None:
    """Return the progress of the run that is indexing now, or None if none is."""
    from waymeet.errors import BusyIndexError, IndexUnavailableError
    from waymeet.ingest.lock import index_lock
    from waymeet.ingest.progress import saved_progress

    progress = saved_progress(store)
    if progress is None:
        return None
    try:
        with index_lock(index, wait=False):
            return None  # the run was interrupted
    except BusyIndexError:
        return progress
    except IndexUnavailableError:
        return None  # nothing can be written, so no process is indexing


def _background_job(index: Path) -> "BackgroundJob | None":
    """Describe the background job of an index, or return None if there is none."""
    from waymeet.ingest.embed.job_queue import read_queue
    from waymeet.ingest.status import BackgroundJob

    queue = read_queue()
    running = queue.running
    if running and running.index == str(index):
        return BackgroundJob(running.pid)
    if all(job.index != str(index) for job in queue.waiting):
        return None
    return BackgroundJob(running.pid if running else 0, running.root if running else "")


def _suggest_tiers(store: Store, index: Path) -> tuple[tuple[str, str, str], ...]:
    """List the notes, tasks and skills whose use suggests another tier, with the reason."""
    from waymeet.notebook.review.state import describe_reviews
    from waymeet.search.feedback.storage import read_reviews

    documents = store.documents(list(store.first_passing_chunks(list(store.fingerprints()), _ITEMS)))
    states = describe_reviews(documents, read_reviews(index), time_ns())
    return tuple(
        (id_, state.suggested_tier, state.suggestion_reason)
        for id_, state in sorted(states.items())
        if state.suggested_tier
    )
