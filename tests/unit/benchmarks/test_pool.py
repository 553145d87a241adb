"""Results judged afterwards: what is shown to judges, and what becomes of their answers."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from pool import ITEMS, NEW, ORIGINS, POOLED, RIGHT, Item, Origin, add, collect

from waymeet.evaluate.collection import read_qrels

FILES = {
    "keys.md": "# Keys\n\nRotate a key once a year.\n",
    "old.md": "# Old keys\n\nRotate no old key.\n",
    "tea.md": "# Tea\n\nRotate the pot.\n",
}
JUDGED, OLD, TEA = (f"{name}#L1-L3" for name in FILES)


def _make_collection(folder: Path) -> Path:
    for name, text in FILES.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"id": "how-1", "text": "rotate a key"}\n', encoding="utf-8")
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\nhow-1\t{JUDGED}\t2\n", encoding="utf-8")
    return folder


def _collect(folder: Path) -> list[tuple[Item, Origin]]:
    return list(collect(None, [_make_collection(folder / "keys")], ("embedding.provider=none",)))


def _write(path: Path, rows: Iterable[object]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def test_results_without_a_judgement_are_shown_with_their_text_and_not_with_their_rank(tmp_path: Path) -> None:
    rows = _collect(tmp_path)
    new = {origin.place: item for item, origin in rows if origin.kind == NEW}
    assert set(new) == {OLD, TEA}
    assert "Rotate no old key." in new[OLD].text
    assert [origin.place for _, origin in rows if origin.kind == RIGHT] == [JUDGED]
    assert [item.item for item, _ in rows] == sorted(item.item for item, _ in rows)
    assert set(msgspec.to_builtins(rows[0][0])) == {"item", "question", "path", "text"}


def test_a_result_answers_only_if_all_judges_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = _collect(tmp_path)
    _write(tmp_path / ITEMS, [item for item, _ in rows])
    _write(tmp_path / ORIGINS, [origin for _, origin in rows])
    first = {OLD: 2, TEA: 1, JUDGED: 2}
    second = {OLD: 1, TEA: 0, JUDGED: 2}
    for name, answers in (("a", first), ("b", second)):
        judged = [{"item": origin.item, "relevance": answers[origin.place]} for _, origin in rows]
        _write(tmp_path / f"answers-{name}.jsonl", judged)
    add(tmp_path)
    assert read_qrels(tmp_path / "keys" / POOLED) == {"how-1": {JUDGED: 2, OLD: 1}}
    assert "right: 1 of 1 judged to answer; all judges agree on 1" in capsys.readouterr().out


def test_an_item_that_was_not_judged_is_named(tmp_path: Path) -> None:
    rows = _collect(tmp_path)
    _write(tmp_path / ORIGINS, [origin for _, origin in rows])
    with pytest.raises(SystemExit, match="have no answer"):
        add(tmp_path)
