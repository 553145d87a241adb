"""Indexing of the files of a test collection."""

from pathlib import Path

from waymeet.evaluate.collection import Collection
from waymeet.evaluate.indexing import index_files
from waymeet.settings import Ingest, Settings
from waymeet.stores.memory.store import MemoryStore


def test_a_large_file_is_indexed_to_its_end_however_long_it_takes(tmp_path: Path) -> None:
    sections = [f"<h2>Option {number}</h2>\n<p>{'what it does ' * 40}</p>" for number in range(1200)]
    (tmp_path / "options.html").write_text("<h1>Options</h1>\n" + "\n".join(sections))
    store = MemoryStore()
    index_files(store, Collection("c", (), (), {}, files=str(tmp_path)), Settings(ingest=Ingest(parse_seconds=0.05)))
    last = store.chunks_of(["options.html"])["options.html"][-1]
    assert "Option 1199" in last.text
