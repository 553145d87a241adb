"""Roles of files in an index: stored, kept up to date, and found by path."""

import os
from pathlib import Path

import pytest

from waymeet.analysis import query_words
from waymeet.ingest.build.entry import build_entry
from waymeet.ingest.index import find_changes, index
from waymeet.ingest.read.decode import Decoded
from waymeet.settings import Bm25, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters, Fingerprint, Word

LONG_AGO = 1_000_000_000_000_000_000
DEFAULT = Settings()
FILES: dict[str, str | bytes] = {
    "package.json": "{}",
    "package-lock.json": "{}",
    "Cargo.lock": "",
    "src/cart.ts": "export const a = 1\n",
    "dist/cart.js": "exports.a = 1\n",
    "web/app.js": "function f(a){return a+1};" * 300,
    "web/lib.min.js": "f()",
    "web/lib.js.map": "{}",
    "web/photo.png": b"\x89PNG\0\1",
    "web/logo.svg": "<svg><title>Heron</title></svg>",
    "data/blob.dat": bytes(range(256)),
    "data/large.txt": "word " * 500_000,
    "docs/a.md": "# A\n\nText.\n",
}


def plant(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(file, ns=(LONG_AGO, LONG_AGO))


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    store = MemoryStore()
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    return store


def roles(store: MemoryStore) -> dict[str, str]:
    documents = store.documents(list(store.fingerprints()))
    return {id_: document.role for id_, document in documents.items() if document.kind != "folders"}


def test_every_file_has_a_role(store: MemoryStore) -> None:
    assert roles(store) == {
        "package.json": "source",
        "package-lock.json": "lock file",
        "Cargo.lock": "lock file",
        "src/cart.ts": "source",
        "dist/cart.js": "build output",
        "web/app.js": "minified",
        "web/lib.min.js": "minified",
        "web/lib.js.map": "minified",
        "web/photo.png": "image",
        "web/logo.svg": "image",
        "data/blob.dat": "data",
        "data/large.txt": "documentation",
        "docs/a.md": "documentation",
    }


@pytest.mark.parametrize("path", FILES)
def test_every_file_is_found_by_its_path(store: MemoryStore, path: str) -> None:
    words = [Word(terms) for _, terms in query_words(path)]
    ranking = store.rank_lexical(words, 5, Filters(), Bm25())
    assert path in {row.document for row in ranking}


def test_only_what_has_meaning_gets_a_vector(store: MemoryStore) -> None:
    missing = {chunk.partition("#")[0] for chunk in store.chunks_without_vector(["space"], 99)}
    files = {path for path in missing if not path.endswith("/")}
    assert files == {"package.json", "src/cart.ts", "data/blob.dat", "data/large.txt", "docs/a.md"}


def test_a_folder_that_becomes_build_output_changes_its_files(store: MemoryStore, tmp_path: Path) -> None:
    plant(tmp_path, {"build/tasks.sh": "run\n", "build/one.js": "f()\n"})
    index(tmp_path, store, DEFAULT)
    assert roles(store)["build/one.js"] == "source"
    (tmp_path / "build/tasks.sh").unlink()
    plant(tmp_path, {"build/CACHEDIR.TAG": "x\n"})
    report = index(tmp_path, store, DEFAULT)
    assert roles(store)["build/one.js"] == "build output"
    assert report.updated == 1
    assert index(tmp_path, store, DEFAULT).updated == 0
    changes = find_changes(tmp_path, store, DEFAULT, lambda: False)
    assert changes is not None
    assert changes.number == 0


def test_a_page_in_the_index_has_no_tags() -> None:

    page = "<!doctype html>\n<html><body>\n<h1>Herons</h1>\n<p>They <b>fish</b>.</p>\n</body></html>\n"
    entry = build_entry("a.html", Decoded(page, "utf-8"), Fingerprint("d", len(page), 7), DEFAULT.chunking).entry
    assert entry.document.role == "documentation"
    assert "<" not in "".join(chunk.text for chunk in entry.chunks)
