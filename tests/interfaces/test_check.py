"""`waymeet check`: findings, their texts, and repairs."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from waymeet.project import Project
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.check import check
from waymeet.stores.sqlite.database import connection
from waymeet.stores.sqlite.database.connection import connect
from waymeet.stores.sqlite.database.term_codec import pack_document_terms
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits

if TYPE_CHECKING:
    from interfaces.conftest import Run

FLAGS = ("--set", "embedding.provider=hashing", "--set", "embedding.dimension=16")
FIRST_LINK = "WHERE (source, ordinal) = (SELECT min(source), 0 FROM edges)"
HITS = ("search", "rank fusion keys", "--json", *FLAGS)


@pytest.fixture
def run(run: Run, project: Path) -> Run:
    """Run commands on the project by its name."""
    return lambda command, *args: run(command, "-C", str(project), *args)


@pytest.fixture
def index(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Index the project, with everything in segments."""
    file = project.with_name("kept") / "index.db"
    monkeypatch.setenv("WAYMEET_INDEX", str(file))
    assert run("index", *FLAGS).code == 0
    with closing(SqliteStore.open(file, limits=MaintenanceLimits(max_buffered=0, min_segment=0))) as store:
        store.optimize()
    assert {each.suffix for each in segments(file)} >= {".segment", ".vectors"}
    return file


def segments(file: Path) -> list[Path]:
    return sorted(file.with_name(f"{file.name}.segments").iterdir())


def hits(run: Run) -> Any:
    return [(hit["id"], hit["score"]) for hit in json.loads(run(*HITS).out)["hits"]]


def execute(file: Path, sql: str) -> None:
    with closing(connect(file, 1.0)) as connection:
        connection.execute(sql)
        assert connection.total_changes()


def flip(file: Path, at: int) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 16
    file.write_bytes(content)


def test_a_sound_index(index: Path, run: Run) -> None:
    checked = run("check")
    assert checked.code == 0
    assert checked.out == f"No corruption found in {index}.\n"
    assert run("check", "--repair").out == checked.out
    told = json.loads(run("check", "--json").out)
    assert told == {"findings": [], "lost": False, "run_index": False}


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DELETE FROM document_segments WHERE document = 2", "1 documents have no segment entry"),
        ("UPDATE document_segments SET position = 77 WHERE document = 2", "its content differs from the registry"),
        ("INSERT INTO deleted_documents SELECT id, 99 FROM segments LIMIT 1", "its content differs from the registry"),
        (
            f"UPDATE edges SET target = 1 {FIRST_LINK}",  # noqa: S608 - our own names
            "links have a wrong target",
        ),
        (
            f"UPDATE edges SET target = 99 {FIRST_LINK}",  # noqa: S608 - our own names
            "links have a wrong target",
        ),
        ("DELETE FROM documents WHERE id = 1", "sections without a document"),
        ("UPDATE document_terms SET data = x'0102' WHERE document = 1", "cannot be read"),
        ("DELETE FROM document_terms WHERE document = 1", "its terms are missing"),
        ("UPDATE texts SET data = x'0102' WHERE chunk = 1", "cannot be read"),
        ("DELETE FROM texts WHERE chunk = 1", "some of its sections are missing"),
        ("INSERT INTO texts VALUES (999, x'00')", "texts without a section"),
        ("DELETE FROM link_texts WHERE id = (SELECT min(id) FROM link_texts)", "some of its links are missing"),
        ("UPDATE link_texts SET data = x'00' WHERE id = (SELECT min(id) FROM link_texts)", "cannot be read"),
        ("DELETE FROM link_keys WHERE source = (SELECT min(source) FROM link_keys)", "differ from their table"),
        (f"DELETE FROM edges {FIRST_LINK}", "links are missing"),  # noqa: S608 - our own names
        (f"UPDATE edges SET kind = 99 {FIRST_LINK}", "unknown kinds"),  # noqa: S608 - our own names
        (f"UPDATE edges SET terms = x'80' {FIRST_LINK}", "truncated"),  # noqa: S608 - our own names
        ("UPDATE counters SET value = 0 WHERE key = 'last_term'", "the highest id of a term is wrong"),
        ("UPDATE documents SET names = x'00' WHERE id = 1", "cannot be read"),
        ("UPDATE documents SET tags = '[1]' WHERE id = 1", "cannot be read"),
        ("DELETE FROM names WHERE document = 1", "tags or names"),
        ("INSERT INTO vectors VALUES (999, 1, 999)", "vectors without a section"),
        ("INSERT INTO vector_codes VALUES (999, 1, 1, x'01')", "codes without a vector"),
        ("INSERT INTO vector_codes VALUES (1, 1, (SELECT chunk FROM vectors WHERE id = 1), x'01')", "1 vectors are"),
        ("UPDATE vectors SET id = 999 WHERE id = 1", "1 vectors are missing"),
        ("DELETE FROM vectors WHERE id = 2; DELETE FROM deleted_vectors", "1 deleted vectors in files are not marked"),
        ("UPDATE counters SET value = 0 WHERE key = 'last_vector'", "the highest id of a vector is wrong"),
    ],
)
def test_rows_that_cannot_be_right(index: Path, run: Run, sql: str, said: str) -> None:
    before = hits(run)
    execute(index, sql)
    found = run("check")
    assert (found.code, said in found.out) == (3, True), found
    assert "To repair it: waymeet check --repair" in found.err
    mended = run("check", "--repair")
    assert mended.code == 0, mended
    assert all(line.startswith(("repaired: ", "removed: ")) for line in mended.out.splitlines())
    assert run("check").code == 0
    assert run("index", *FLAGS).code == 0
    assert run("check").out.startswith("No corruption found")
    if "x'0100000001000008'" not in sql:  # terms that might be right cannot be told from right ones
        assert hits(run) == before


@pytest.mark.parametrize(
    ("terms", "missing", "said"),
    [
        ({"body": {999_999: 7}}, 0, "unknown terms"),
        ({"title": {1: 7}}, 0, "fields that it does not have"),
        ({"body": {1: 7}}, 0, "its postings differ from the tables"),
        ({"body": {1: 7}}, 1, "the terms of some of its sections are missing"),
    ],
)
def test_terms_that_cannot_be_right(
    index: Path, run: Run, terms: dict[str, dict[int, int]], missing: int, said: str
) -> None:
    with closing(connect(index, 1.0)) as connection:
        chunks = connection.execute("SELECT chunks FROM documents WHERE id = 1").get - missing
    packed = pack_document_terms([{}, *[terms] * chunks], {1: 1, 999_999: 999_999})
    execute(index, f"UPDATE document_terms SET data = x'{packed.hex()}' WHERE document = 1")  # noqa: S608 - hex digits
    assert said in run("check").out
    assert run("check", "--repair").code == 0
    assert run("check").code == 0


@pytest.mark.parametrize("ending", [".segment", ".vectors"])
@pytest.mark.parametrize("how", ["flip", "cut", "gone", "stray"])
def test_segments(index: Path, run: Run, ending: str, how: str) -> None:
    before = hits(run)
    file = next(each for each in segments(index) if each.suffix == ending)
    if how == "flip":
        flip(file, file.stat().st_size - 9)
    elif how == "cut":
        file.write_bytes(file.read_bytes()[:-5])
    elif how == "gone":
        file.unlink()
    else:
        file.with_name(f"stray{ending}").write_text("left behind")
    found = run("check", "--json")
    assert (found.code, len(json.loads(found.out)["findings"])) == (0 if how == "stray" else 3, 1)
    mended = run("check", "--repair")
    if ending == ".vectors" and how != "stray":  # nothing else has these vectors
        assert "its vectors are lost" in found.out
        assert mended.err == "Run `waymeet index` to compute again what was lost.\n"
        assert run("index", *FLAGS).code == 0
    else:
        assert mended.err == ""  # nothing has to be computed again
    assert mended.code == 0
    assert run("check").out.startswith("No corruption found")
    assert hits(run) == before


def test_a_damaged_file_is_put_aside_and_never_deleted(index: Path, run: Run) -> None:
    before = hits(run)
    for number in (1, 2):
        flip(index, 4096 * 3 + 4000)
        damaged = index.read_bytes()
        found = run("check")
        assert (found.code, "does not match its checksum" in found.out) == (3, True), found
        asked = run(*HITS)
        assert asked.code in {0, 3}
        mended = run("check", "--repair")
        assert mended.code == 0
        assert f"index.db.damaged-{number}" in mended.out
        assert index.with_name(f"index.db.damaged-{number}").read_bytes() == damaged
        assert run("index", *FLAGS).code == 0
        assert hits(run) == before
        assert run("check").code == 0


@pytest.mark.parametrize("command", ["search", "index"])
def test_an_index_of_an_earlier_version_is_rebuilt_with_one_line(index: Path, run: Run, command: str) -> None:
    before = hits(run)
    index.unlink()
    old = Path(__file__).parents[1] / "conformance" / "index_format_5.sql"
    with closing(apsw.Connection(str(index))) as connection:
        connection.execute(old.read_text(encoding="utf-8").replace('{"notes":"/notes"}', "{}"))
    first = run(command, *FLAGS) if command == "index" else run("search", "fusion", *FLAGS)
    assert first.code == 0, first
    assert first.err.splitlines().count("The index was made by an earlier version; rebuilding it.") == 1
    again = run("search", "fusion", *FLAGS)
    assert (again.code, "earlier version" in again.err) == (0, False)
    assert run("index", *FLAGS).code == 0  # embeds what a search left out
    assert hits(run) == before
    assert run("check").out.startswith("No corruption found")


def test_a_header_beyond_recognition_is_put_aside_too(index: Path, run: Run) -> None:
    flip(index, 3)
    assert run("check").code == 3
    assert run("check", "--repair").code == 0
    assert run("index", *FLAGS).code == 0


def test_missing_tables_cannot_be_repaired(index: Path, run: Run) -> None:
    with closing(connect(index, 1.0)) as connection:
        connection.execute("DROP INDEX tags_by_document")
    found = run("check")
    assert (found.code, "tags_by_document" in found.out) == (3, True)
    assert run("check", "--repair").code == 0


@pytest.mark.parametrize("kind", ["database", "text"])
def test_what_is_not_ours_is_left_alone(tmp_path: Path, project: Path, run: Run, kind: str) -> None:
    file = tmp_path / "other.db"
    if kind == "database":
        with closing(apsw.Connection(str(file))) as other:
            other.execute("CREATE TABLE t (a)")
    else:
        file.write_text("another important file\n" * 100)
    before = file.read_bytes()
    refused = run("check", "--repair", "--index", str(file))
    assert refused.code == 3
    assert refused.err
    assert file.read_bytes() == before


def test_without_an_index(project: Path, run: Run) -> None:
    assert run("check").code == 3


def test_a_project_can_be_asked(index: Path, project: Path) -> None:
    with Project.open(project, index=index) as opened:
        assert opened.search("fusion", refresh=False).hits
        assert not opened.check().findings
        assert opened.search("fusion", refresh=False).hits


@pytest.mark.parametrize("error", [apsw.FullError, apsw.BusyError, apsw.IOError, apsw.ReadOnlyError])
def test_an_index_is_not_given_up_because_the_disk_is_full(
    index: Path, run: Run, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error]
) -> None:
    def fails(*_: object) -> None:
        raise error("not now")

    execute(index, "DELETE FROM document_segments WHERE document = 2")
    with monkeypatch.context() as full:
        full.setattr(check, "_repair", fails)
        failed = run("check", "--repair")
        assert (failed.code, len(failed.err.splitlines())) == (3, 2)
    assert not list(index.parent.glob("*.damaged-*"))
    assert run("check", "--repair").code == 0


def test_a_build_without_checksums_does_not_touch_an_index_with_them(
    index: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would leave pages behind that look damaged to every other build."""
    with monkeypatch.context() as poor:
        poor.setattr(connection, "_CHECKSUM_VFS", "none of that name")
        refused = run("search", "fusion")
        assert (refused.code, "checksums" in refused.err) == (3, True)
    assert run("search", "fusion").code == 0


def test_what_an_interrupted_run_left_is_no_corruption(index: Path, run: Run) -> None:
    folder = index.with_name(f"{index.name}.segments")
    left = [folder / f"{'0' * 32}.segment", folder / f"{'1' * 32}.vectors.tmp"]
    for path in left:
        path.write_bytes(b"half")
    checked = run("check")
    assert checked.code == 0
    assert checked.err == ""
    assert [line.partition(":")[0] for line in checked.out.splitlines()] == [
        "leftover",
        "leftover",
        f"No corruption found in {index}.",
    ]
    findings = json.loads(run("check", "--json").out)["findings"]
    assert [(each["where"], each["leftover"]) for each in findings] == [(path.name, True) for path in left]
    assert run("index", *FLAGS).code == 0
    assert not any(path.exists() for path in left), "the next run removes them"
    left[0].write_bytes(b"half")
    repaired = run("check", "--repair")
    assert (repaired.code, repaired.out.splitlines()[0]) == (0, f"removed: {left[0].name}")
    assert not left[0].exists()


def test_corruption_beside_leftovers_is_counted_alone(index: Path, run: Run) -> None:
    (segments(index)[0].parent / "left.tmp").write_bytes(b"half")
    flip(segments(index)[0], 100)
    checked = run("check")
    assert checked.code == 3
    assert checked.err.startswith("The index is corrupt: 1 problem.")


def test_lost_vectors_are_reported_and_embedded_again(index: Path, run: Run) -> None:
    before = hits(run)
    for file in segments(index):
        if file.suffix == ".vectors":
            flip(file, file.stat().st_size - 9)
    assert "vectors were lost with it: `waymeet index` computes them again" in run("doctor", *FLAGS).out
    (embedded, chunks) = (
        json.loads(run("status", "--json", *FLAGS).out)["vectors"][name] for name in ("embedded", "chunks")
    )
    assert embedded < chunks
    assert run("index", *FLAGS).code == 0
    assert hits(run) == before
    assert run("check").out.startswith("No corruption found")


def test_an_answer_reports_lost_vectors(index: Path, run: Run) -> None:
    next(file for file in segments(index) if file.suffix == ".vectors").unlink()
    degraded = json.loads(run(*HITS, "--set", "embedding.background=false").out)["degraded"]
    assert "lost_vectors" in {note["code"] for note in degraded}, degraded
