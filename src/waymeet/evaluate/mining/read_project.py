"""Reading the files of a project into a store, and some of them once more with another text."""

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
"""Languages of files whose bytes are not the text that is read in them."""


def read_in(root: Path, store: Store, settings: Settings, progress: Progress | None = None) -> None:
    """Read all files of a folder that are not ignored; those that cannot be read are left out."""
    files = [each for each in walk(root, settings.ingest) if isinstance(each, FoundFile) and not each.path_only_reason]
    tasks = [Task(each.path, size=each.size) for each in files]
    batch: list[IndexEntry] = []
    for done, outcome in enumerate(run_tasks(tasks, _rules(root, settings)), start=1):
        if outcome.built:
            batch.append(outcome.built.entry)
        if len(batch) == settings.ingest.batch_files:
            store.put(batch)
            batch = []
        if progress:
            progress(done, len(tasks), outcome.path)
    store.put(batch)


def text_of(root: Path, path: str, settings: Settings) -> str | None:
    """Read a file as it is indexed, without its secrets; None if its bytes are not its text."""
    if file_type(path).language in _NOT_TEXT:
        return None
    text = load_file(root, path).text
    return mask_secrets(text, path).text if settings.ingest.mask_secrets else text


def made_of(texts: Mapping[str, str], settings: Settings) -> Iterator[BuiltEntry]:
    """Make entries of texts by the road that files take, under the same guard."""
    with TemporaryDirectory(prefix="waymeet-mine-") as folder:
        for path, text in texts.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        tasks = [Task(path, size=len(text)) for path, text in texts.items()]
        for outcome in run_tasks(tasks, _rules(Path(folder), settings)):
            if outcome.built:
                yield outcome.built


def _rules(root: Path, settings: Settings) -> ParseRules:
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
