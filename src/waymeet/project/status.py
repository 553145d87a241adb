"""Describe the index of a project, the changes since its last run, and its jobs."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.paths import index_bytes
from waymeet.ports import Store
from waymeet.project import freshness
from waymeet.project.embedding import vector_status
from waymeet.project.index_settings import recorded_settings
from waymeet.project.models import Models
from waymeet.settings import Embedding, Settings

if TYPE_CHECKING:
    from waymeet.ingest.status import BackgroundJob, Status


def project_status(root: Path, models: Models, store: Store, own: Settings, embedding: Embedding) -> "Status":
    """Describe an index by its own settings, and the vectors of the chosen model."""
    from waymeet.ingest.status import build_status

    is_root_missing = bool(freshness.report_missing_root(root, store))
    changes = None if is_root_missing else freshness.find_quick_changes(root, store, own)
    return replace(
        build_status(root, store, own, changes),
        index=str(models.index),
        index_bytes=index_bytes(models.index),
        vectors=vector_status(models, store, embedding),
        settings=recorded_settings(models.index),
        background=_background_job(models.index),
    )


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
