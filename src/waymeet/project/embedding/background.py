"""Start the background job of a project, which indexes changed files and embeds the rest."""

from contextlib import suppress
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, NamedTuple

from waymeet.paths import is_visible
from waymeet.ports import Store
from waymeet.project.backend import other_owner
from waymeet.project.embedding.job import is_paid
from waymeet.project.models import Models
from waymeet.project.store_address import is_recorded
from waymeet.settings import Embedding

if TYPE_CHECKING:
    import subprocess

    from waymeet.ingest.embed.job import Job
    from waymeet.ingest.embed.job_queue import QueuedJob

_RESTART_SECONDS = 60.0
_RESTART_AFTER_ERROR_SECONDS = 600.0
"""How long after an unfinished or failed job a search starts no other in the background."""


class BackgroundStart(NamedTuple):
    """A background job that was started, or queued because another project has its turn."""

    is_queued: bool
    is_first: bool
    """Whether it is the first one for this index, which has to be announced."""
    embedded: int = 0
    """Sections that have a vector."""
    sections: int = 0
    """All sections that get one."""


def start_in_background(
    models: Models, root: Path, store: Store, own: Embedding, call: Embedding, *, is_behind: bool
) -> BackgroundStart | None:
    """Start a process that indexes and embeds the rest, if that is needed and allowed.

    None is started if the settings of the call forbid it or choose another model than those of the index (`own`), for
    a paid provider, nor soon after a job that failed. `is_behind` tells that changed files are left.
    """
    if not call.background or other_owner(store) or not is_recorded(models.address):
        return None
    from waymeet.ingest.embed import job
    from waymeet.ingest.embed import job_queue as queue

    if not (is_behind or _lacks_vectors(models, store, own, call)) or job.running_job(models.index):
        return None
    if _failed_recently(job.last_job(models.index)):
        return None
    is_first = not queue.is_announced(models.index)
    job.JobReporter(models.index)  # announced first, so that the next search does not start another one
    try:
        is_queued = request_job(queued_job(root, models.index)) is None
        if is_first:
            queue.record_announcement(models.index)
    except OSError:  # no more processes, or the log cannot be written: the answer said what is missing
        return None
    embedded, sections = store.coverage([embedder.space for embedder in models.chosen(own)])
    return BackgroundStart(is_queued, is_first, embedded, sections)


def request_job(job: "QueuedJob") -> "subprocess.Popen[bytes] | None":
    """Queue a job and start its process, or return None if it has to wait for another project.

    Raises:
        OSError: the queue cannot be written, or no process can be started.
    """
    from waymeet.ingest.embed import job_queue as queue
    from waymeet.ingest.embed.background import start_job

    queue.enqueue(job)
    return None if queue.read_queue().running else start_job(job)


def queued_job(root: Path, index: Path) -> "QueuedJob":
    """Describe the background job of a project."""
    from waymeet.ingest.embed.job_queue import QueuedJob

    folder = str(root)
    with suppress(OSError):  # the current folder may have been removed
        folder = str(Path.cwd())
    return QueuedJob(str(root), str(index), folder if is_visible(Path(folder)) else "/")


def _lacks_vectors(models: Models, store: Store, own: Embedding, call: Embedding) -> bool:
    """Tell whether sections lack a vector that a background job may make."""
    if own != call:  # another model or none for this call: its user may not want the one of the index
        return False
    from waymeet.ingest.embed import model_switch

    embedders = models.chosen(own)
    if not embedders or model_switch.is_complete(store, embedders, own):
        return False
    return not is_paid(models, own)


def _failed_recently(last: "Job | None") -> bool:
    """Tell whether the last job failed or was interrupted so recently that another must wait."""
    if last is None or (not last.error and last.ended and last.done):
        return False
    failed = last.error or not (last.ended or last.done)  # a job without any progress may have run out of memory
    return time() - last.updated < (_RESTART_AFTER_ERROR_SECONDS if failed else _RESTART_SECONDS)
