"""Indexing the files of a folder, and some of them again with changed texts."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from waymeet.ingest.build.entry import BuiltEntry
from waymeet.ingest.discover.walk import FoundFile, walk
from waymeet.ingest.filetypes import file_type
from waymeet.ingest.read.load import load_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.ingest.workers.dispatch import run_tasks
from waymeet.ingest.workers.task import ParseRules, Task
from waymeet.ports import Progress, Store
from waymeet.settings import Settings

if TYPE_CHECKING:
    from waymeet.types import IndexEntry

_NOT_TEXT = frozenset({"notebook", "docx", "pdf"})
"""Languages of files whose text is extracted from their bytes."""


def index_folder(root: Path, store: Store, settings: Settings, progress: Progress | None = None) -> None:
    """Index all files of a folder that are not ignored, without those that cannot be read."""
    files = [file for file in walk(root, settings.ingest) if isinstance(file, FoundFile) and not file.path_only_reason]
    tasks = [Task(file.path, size=file.size) for file in files]
    batch: list[IndexEntry] = []
    for done, outcome in enumerate(run_tasks(tasks, _parse_rules(root, settings)), start=1):
        if outcome.built:
            batch.append(outcome.built.entry)
        if len(batch) == settings.ingest.batch_files:
            store.put(batch)
            batch = []
        if progress:
            progress(done, len(tasks), outcome.path)
    store.put(batch)


def read_indexed_text(root: Path, path: str, settings: Settings) -> str | None:
    """Read the text of a file as it is indexed, or None if it is extracted from a binary format."""
    if file_type(path).language in _NOT_TEXT:
        return None
    text = load_file(root, path).text
    return mask_secrets(text, path).text if settings.ingest.mask_secrets else text


def build_entries(texts: Mapping[str, str], settings: Settings) -> Iterator[BuiltEntry]:
    """Build index entries of texts by path, in the same worker processes as files."""
    with TemporaryDirectory(prefix="waymeet-mine-") as folder:
        for path, text in texts.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        tasks = [Task(path, size=len(text)) for path, text in texts.items()]
        for outcome in run_tasks(tasks, _parse_rules(Path(folder), settings)):
            if outcome.built:
                yield outcome.built


def _parse_rules(root: Path, settings: Settings) -> ParseRules:
    limits = settings.ingest
    return ParseRules(
        root=str(root),
        max_file_bytes=limits.max_file_bytes,
        chunking=settings.chunking,
        notebook=settings.notebook,
        mask_secrets=limits.mask_secrets,
        seconds=limits.parse_seconds,
        megabytes=limits.parse_megabytes,
    )
