"""The indexing run, and the comparison that shows whether one is needed."""

import os
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from waymeet import analysis
from waymeet.errors import NotFoundError
from waymeet.ingest import index as run
from waymeet.ingest.discover import changes, run_state
from waymeet.ingest.index import Changes, IndexReport, find_changes, index
from waymeet.settings import Bm25, Chunking, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters, IndexEntry, Word

DEFAULT = Settings()
LONG_AGO = 1_000_000_000_000_000_000


class Watched(MemoryStore):
    """A store that remembers what it was asked to change, but for folders."""

    def __init__(self) -> None:
        super().__init__()
        self.puts: list[list[str]] = []
        self.drops: list[list[str]] = []

    def put(self, entries: Sequence[IndexEntry]) -> None:
        self._record(self.puts, [entry.document.id for entry in entries])
        super().put(entries)

    def drop(self, documents: Collection[str]) -> None:
        self._record(self.drops, sorted(documents))
        super().drop(documents)

    def _record(self, calls: list[list[str]], documents: list[str]) -> None:
        if files := [document for document in documents if not document.endswith("/")]:
            calls.append(files)


@pytest.fixture
def store() -> Watched:
    return Watched()


def plant(root: Path, files: dict[str, str], modified_ns: int = LONG_AGO) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, ns=(modified_ns, modified_ns))


def look(root: Path, store: MemoryStore, chosen: Settings = DEFAULT) -> Changes:
    changed = find_changes(root, store, chosen, lambda: False)
    assert changed is not None
    return changed


def search(store: MemoryStore, text: str) -> list[str]:
    words = [Word(terms) for _, terms in analysis.query_words(text)]
    return sorted({hit.document for hit in store.rank_lexical(words, 100, Filters(), Bm25())})


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.removed, report.unchanged


FILES = {
    "a.md": "# Alpha\n\nApples. See [[b]] for pears.\n",
    "sub/b.md": "# Beta\n\nBananas.\n",
    "src/c.py": "def cherry():\n    pass\n",
}


def test_a_first_run_indexes_everything(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    report = index(tmp_path, store, DEFAULT)
    assert counts(report) == (3, 0, 0, 0)
    assert (report.files, report.skipped, report.ignored, report.warnings) == (3, (), 0, ())
    assert store.puts == [["a.md", "src/c.py", "sub/b.md"]]
    assert search(store, "bananas") == ["sub/b.md"]
    assert search(store, "pears") == ["a.md", "sub/b.md"]  # the second by the text of the link that leads to it
    assert search(store, "cherry") == ["src/c.py"]


def test_a_second_run_reads_nothing(tmp_path: Path, store: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, FILES)
    time.sleep(0.06)  # files that changed only just now are read again to be sure
    index(tmp_path, store, DEFAULT)
    monkeypatch.setattr(run, "run_tasks", lambda tasks, _: iter(tasks[:0]) if not tasks else None)
    generation = store.generation
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 0, 0, 3)
    assert store.generation == generation


def test_editing_a_file_touches_that_file_only(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {"sub/b.md": "# Beta\n\nDates.\n"}, LONG_AGO + 5)
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 1, 0, 2)
    assert store.puts[1:] == [["sub/b.md"]]
    assert search(store, "bananas") == []
    assert search(store, "dates") == ["sub/b.md"]


def test_a_deleted_file_leaves_every_answer(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    (tmp_path / "sub/b.md").unlink()
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 0, 1, 2)
    assert store.drops == [["sub/b.md"]]
    assert search(store, "bananas beta") == []
    assert store.counts().dangling == 1


def test_a_link_is_resolved_when_its_target_appears(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, {"a.md": "See [[Later Page]].\n"})
    index(tmp_path, store, DEFAULT)
    assert store.counts().dangling == 1
    plant(tmp_path, {"x/y.md": "# Later page\n"})
    index(tmp_path, store, DEFAULT)
    (edge,) = store.edges(["a.md"])
    assert edge.target is not None
    assert edge.target.document == "x/y.md"


def test_a_file_that_was_only_touched_is_not_indexed_again(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {"a.md": FILES["a.md"]}, LONG_AGO + 5)
    assert look(tmp_path, store).modified == ("a.md",)
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 0, 0, 3)
    assert len(store.puts) == 1
    assert look(tmp_path, store).modified == ()
    plant(tmp_path, {"a.md": "# Other\n"}, LONG_AGO + 6)
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 1, 0, 2)
    assert look(tmp_path, store).modified == ()


@pytest.mark.parametrize("tick", [1_000_000_000, 1])
def test_a_change_without_a_change_of_size_or_time_is_noticed_when_fresh(
    tmp_path: Path, store: Watched, tick: int
) -> None:
    now = (time.time_ns() + 1_000_000_000) // tick * tick
    plant(tmp_path, {"a.md": "one\n", "b.md": "same\n"}, now)
    index(tmp_path, store, DEFAULT)
    assert look(tmp_path, store).modified == ()
    plant(tmp_path, {"a.md": "two\n"}, now)
    assert look(tmp_path, store).modified == ("a.md",)
    assert counts(index(tmp_path, store, DEFAULT)) == (0, 1, 0, 1)
    assert search(store, "two") == ["a.md"]


def test_an_old_file_is_not_opened_by_the_look(tmp_path: Path, store: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, FILES, time.time_ns() - 3_000_000_000)
    time.sleep(0.06)
    index(tmp_path, store, DEFAULT)
    monkeypatch.setattr(changes, "read_file", None)
    assert look(tmp_path, store).unchanged == 3


def test_a_file_that_took_the_place_of_another_of_its_size_and_time_is_noticed(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, {"a.md": "one\n", "b.md": "two\n"})
    time.sleep(0.06)
    index(tmp_path, store, DEFAULT)
    (tmp_path / "b.md").replace(tmp_path / "a.md")
    assert (look(tmp_path, store).modified, look(tmp_path, store).removed) == (("a.md",), ("b.md",))
    index(tmp_path, store, DEFAULT)
    assert search(store, "one") == []
    assert search(store, "two") == ["a.md"]


def test_a_new_way_of_parsing_reads_everything_anew(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    other = replace(DEFAULT, chunking=Chunking(max_chars=500))
    assert len(look(tmp_path, store, other).modified) == 3
    assert counts(index(tmp_path, store, other)) == (0, 3, 0, 0)
    assert counts(index(tmp_path, store, other)) == (0, 0, 0, 3)


def test_newly_ignored_files_vanish(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {".gitignore": "sub/\n"})
    report = index(tmp_path, store, DEFAULT)
    assert counts(report) == (1, 0, 1, 2)
    assert report.ignored == 1
    assert search(store, "bananas") == []


@pytest.mark.parametrize("gone", ["", "a file"])
def test_a_root_that_vanished_deletes_nothing(tmp_path: Path, store: Watched, gone: str) -> None:
    root = tmp_path / "root"
    plant(root, FILES)
    index(root, store, DEFAULT)
    root.rename(tmp_path / "elsewhere")
    if gone:
        root.write_text(gone, encoding="utf-8")
    for ask in (lambda: index(root, store, DEFAULT), lambda: look(root, store)):
        with pytest.raises(NotFoundError) as error:
            ask()
        assert error.value.hint
    assert store.counts().kinds == {"code": 1, "docs": 2, "folders": 2}


def test_an_empty_folder_is_no_error(tmp_path: Path, store: Watched) -> None:
    report = index(tmp_path, store, DEFAULT)
    assert (counts(report), report.files) == ((0, 0, 0, 0), 0)


# --- batches, progress, interruption, notes ------------------------------------------------------------------------


def test_files_are_put_in_batches_with_progress(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, {f"{n}.md": f"word {n}\n" for n in range(5)})
    steps: list[tuple[int, int, str]] = []
    chosen = replace(DEFAULT, ingest=replace(DEFAULT.ingest, batch_files=2))
    index(tmp_path, store, chosen, lambda *step: steps.append(step))
    assert store.puts == [["0.md", "1.md"], ["2.md", "3.md"], ["4.md"]]
    assert steps == [(n + 1, 5, f"{n}.md") for n in range(5)]


def test_a_batch_is_also_full_by_its_size(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, {f"{n}.md": "word " * 100 for n in range(3)})
    index(tmp_path, store, replace(DEFAULT, ingest=replace(DEFAULT.ingest, batch_bytes=400)))
    assert len(store.puts) == 3


def test_an_interrupted_run_leaves_a_valid_index_and_goes_on(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, {f"{n}.md": f"word{n}\n" for n in range(5)})
    chosen = replace(DEFAULT, ingest=replace(DEFAULT.ingest, batch_files=2))

    def stop(done: int, total: int, path: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(tmp_path, store, chosen, stop)
    assert search(store, "word0 word1 word2 word3") == ["0.md", "1.md"]
    assert counts(index(tmp_path, store, chosen)) == (3, 0, 0, 2)


def test_the_metadata_holds_the_state_of_the_run(
    tmp_path: Path, store: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_state, "MAX_LISTED", 1)
    plant(tmp_path, {"a.png": "", "b.png": ""})
    before = time.time_ns()
    index(tmp_path, store, DEFAULT)
    assert store.metadata("root") == str(tmp_path.resolve())
    assert before <= int(store.metadata("indexed_at")) <= time.time_ns()
    assert msgspec.json.decode(store.metadata("skipped")) == [["a.png", "binary file"]]
    assert store.metadata("skipped_count") == "2"


# --- the quick look ------------------------------------------------------------------------------------------------


def test_the_comparison_lists_added_modified_and_removed(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    assert [(*look(tmp_path, store).added, *look(tmp_path, store).modified, *look(tmp_path, store).removed)] == [()]
    plant(tmp_path, {"new.md": "x", "a.md": "changed"}, LONG_AGO + 5)
    (tmp_path / "src/c.py").unlink()
    changed = look(tmp_path, store)
    assert (changed.added, changed.modified, changed.removed) == (("new.md",), ("a.md",), ("src/c.py",))
    assert changed.unchanged == 1


def test_a_run_can_take_over_what_a_look_found(tmp_path: Path, store: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, FILES)
    index(tmp_path, store, DEFAULT)
    plant(tmp_path, {"new.md": "x", "a.md": "changed"}, LONG_AGO + 5)
    (tmp_path / "src/c.py").unlink()
    changed = look(tmp_path, store)
    monkeypatch.setattr(run, "compare_files", None)
    assert counts(index(tmp_path, store, DEFAULT, only=changed)) == (1, 1, 1, 1)
    again = look(tmp_path, store)
    assert (again.added, again.modified, again.removed) == ((), (), ())


def test_a_look_gives_up_when_it_is_late(tmp_path: Path, store: Watched) -> None:
    plant(tmp_path, {f"{n}.md": "x" for n in range(300)})
    asked: list[bool] = []

    def late() -> bool:
        asked.append(True)
        return len(asked) > 2

    assert find_changes(tmp_path, store, DEFAULT, late) is None
    assert len(asked) == 3


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "ignore", "notice", "index"]),
        st.sampled_from(["a.md", "b.md", "d/c.md", "d/e.txt"]),
        st.sampled_from(["", "apples", "pears [[a]]", "# Title\n\nplums", "\x00"]),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OPERATIONS)
def test_any_history_ends_in_the_index_of_a_fresh_run(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, str, str]]
) -> None:
    root, store = tmp_path_factory.mktemp("root"), MemoryStore()
    for number, (what, path, text) in enumerate(operations):
        if what == "write":
            plant(root, {path: text}, LONG_AGO + number)
        elif what == "delete":
            (root / path).unlink(missing_ok=True)
        elif what == "ignore":
            plant(root, {".waymeetignore": f"{path}\n"}, LONG_AGO + number)
        elif what == "notice":
            index(root, store, DEFAULT, only=look(root, store))
        else:
            index(root, store, DEFAULT)
    index(root, store, DEFAULT)
    fresh = MemoryStore()
    index(root, fresh, DEFAULT)
    paths = fresh.fingerprints()
    assert set(store.fingerprints()) == set(paths)
    assert store.chunks_of(paths) == fresh.chunks_of(paths)
    assert store.edges(paths) == fresh.edges(paths)
    assert look(root, store).skipped == look(root, fresh).skipped
