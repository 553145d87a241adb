"""Describe a project: its index, its vectors, and what its notes, tasks and skills need."""

from pathlib import Path
from time import time_ns

from msgspec.structs import replace

from waymeet.ingest.status import Status, build_status
from waymeet.notebook.review.conflict_list import count_open
from waymeet.notebook.review.state import describe_reviews
from waymeet.paths import index_bytes
from waymeet.ports import Store
from waymeet.project import embedding as embedding_job
from waymeet.project import freshness
from waymeet.project.models import Models
from waymeet.search.feedback.storage import read_reviews
from waymeet.settings import Settings
from waymeet.types import Filters

_ITEMS = Filters(kinds=("notes", "tasks", "skills"))


def describe_project(root: Path, store: Store, settings: Settings, models: Models) -> Status:
    """Describe what is indexed, what changed since, and what was skipped."""
    is_root_missing = bool(freshness.report_missing_root(root, store))
    changes = None if is_root_missing else freshness.find_quick_changes(root, store, settings)
    return replace(
        build_status(root, store, settings, changes),
        index=str(models.index),
        index_bytes=index_bytes(models.index),
        vectors=embedding_job.vector_status(models, store, settings.embedding),
        conflicts=count_open(models.index, store),
        suggested_tiers=_suggest_tiers(store, models.index),
    )


def _suggest_tiers(store: Store, index: Path) -> tuple[tuple[str, str, str], ...]:
    """List the notes, tasks and skills whose use suggests another tier, with the reason."""
    documents = store.documents(list(store.first_passing_chunks(list(store.fingerprints()), _ITEMS)))
    states = describe_reviews(documents, read_reviews(index), time_ns())
    return tuple(
        (id_, state.suggested_tier, state.suggestion_reason)
        for id_, state in sorted(states.items())
        if state.suggested_tier
    )
