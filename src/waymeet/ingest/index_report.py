"""The result of an indexing run."""

from msgspec import Struct

from waymeet.ingest.discover.walk import Skipped
from waymeet.ingest.embed.batches import EmbeddingReport


class IndexReport(Struct, frozen=True):
    """Result of an indexing run."""

    files: int
    """Files found that are not ignored."""
    added: int
    updated: int
    removed: int
    unchanged: int
    skipped: tuple[Skipped, ...]
    """Files and folders that were not read, with the reason; ignored files are not listed."""
    ignored: int
    """Number of files and folders that the ignore rules left out."""
    warnings: tuple[tuple[str, str], ...]
    """Files that are indexed despite a problem, with the problem."""
    seconds: float
    renamed: tuple[tuple[str, str], ...] = ()
    """Renamed files, old path and new path; they are counted as removed and added, too."""
    missing: tuple[tuple[str, str], ...] = ()
    """Extra roots that are gone or cannot be read, with the problem; their documents are kept."""
    embedding: EmbeddingReport | None = None
    """Result of embedding, if the run embedded."""
    settings: tuple[str, ...] = ()
    """Settings that this run was given by variables or options and the last one was not, or the other way round."""
    postponed: int = 0
    """Changed files that were left to a later run, because there was no more time."""
