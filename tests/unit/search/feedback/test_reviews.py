"""Reviews of documents: spaced repetition by readings and confirmations, and where it is stored."""

import errno
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from waymeet.errors import UsageError
from waymeet.formulas.memory import stability_of
from waymeet.search.feedback import storage
from waymeet.search.feedback.half_life import HalfLife
from waymeet.search.feedback.reviews import DAY_NS, Review, add_review, compute_recency
from waymeet.search.feedback.votes import Vote, add_votes
from waymeet.types import Document

NOW = 20_000 * DAY_NS
NOTE = HalfLife("declarative", 60.0)


def read(before: Review | None, now: int, *, changed: int = NOW, confirmed: bool = False) -> Review:
    return add_review(before, NOTE, changed, now, confirmed=confirmed)


def test_a_reading_after_days_makes_an_entry_more_stable() -> None:
    first = read(None, NOW + 2 * DAY_NS)
    assert first.stability > stability_of(60.0)
    assert 1.0 <= first.difficulty <= 10.0
    assert (first.reviews, first.confirmations, first.last_review_ns) == (1, 0, NOW + 2 * DAY_NS)
    second = read(first, NOW + 9 * DAY_NS)
    assert (second.reviews, second.stability > first.stability) == (2, True)


def test_reading_again_on_the_same_day_changes_no_stability() -> None:
    first = read(None, NOW + 5 * DAY_NS)
    again = read(first, NOW + 5 * DAY_NS + DAY_NS // 2)
    assert again.stability == first.stability


def test_a_confirmation_counts_more_than_a_reading_and_once_a_day() -> None:
    opened, confirmed = (read(None, NOW + 30 * DAY_NS, confirmed=each) for each in (False, True))
    assert confirmed.stability > opened.stability
    assert confirmed.difficulty < opened.difficulty
    repeated = read(confirmed, NOW + 30 * DAY_NS + 1, confirmed=True)
    assert (repeated.confirmations, repeated.reviews, repeated.stability) == (1, 1, confirmed.stability)
    assert read(confirmed, NOW + 32 * DAY_NS, confirmed=True).confirmations == 2


def test_one_review_raises_the_stability_by_a_limited_factor() -> None:
    """FSRS alone would multiply the stability of a text opened once after three years by more than 30."""
    late = NOW + 1000 * DAY_NS
    assert read(None, late).stability == pytest.approx(2 * stability_of(60.0), rel=1e-5)
    assert read(None, late, confirmed=True).stability == pytest.approx(4 * stability_of(60.0), rel=1e-5)


def test_a_clock_that_was_set_back_does_no_harm() -> None:
    review = read(None, NOW - 5 * DAY_NS)
    assert review.stability == pytest.approx(stability_of(60.0), rel=1e-5)
    recency = compute_recency(NOTE, NOW, review, NOW - 9 * DAY_NS)
    assert recency
    assert recency.value == 1.0


def test_a_changed_half_life_scales_the_stability_that_was_reached() -> None:
    review = read(None, NOW + 20 * DAY_NS)
    half = compute_recency(HalfLife("declarative", 30.0), NOW, review, NOW + 50 * DAY_NS)
    whole = compute_recency(NOTE, NOW, review, NOW + 50 * DAY_NS)
    assert half
    assert whole
    assert half.stability
    assert half.stability * 2 == pytest.approx(whole.stability)


def test_an_entry_that_never_decays_has_a_state_but_keeps_its_recency() -> None:
    forever = HalfLife("meta-cognitive", None)
    review = add_review(None, forever, NOW, NOW + 9 * DAY_NS, confirmed=False)
    recency = compute_recency(forever, NOW, review, NOW + 9999 * DAY_NS)
    assert recency
    assert (recency.value, review.reviews) == (1.0, 1)


def test_reviews_of_threads_at_the_same_time_are_all_recorded(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    documents = [Document(f"{number}.md", "notes", "N", changed_ns=NOW) for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda each: storage.record_confirmation(index, each, NOW + DAY_NS), documents))
    assert set(storage.read_reviews(index)) == {document.id for document in documents}


def test_times_of_an_earlier_version_are_read(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    index.with_name("index.db.read.json").write_text('{"a.md": 5}')
    assert storage.read_reviews(index) == {"a.md": Review(5)}
    assert storage.record_read(index, Document("a.md", "notes", "A"), NOW)
    assert storage.read_reviews(index)["a.md"].reviews == 2


def test_a_read_only_data_folder_lets_documents_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(storage, "lock_file", refuse)
    note = Document("a.md", "notes", "A")
    assert not storage.record_read(tmp_path / "index.db", note, NOW)
    with pytest.raises(UsageError, match="Read-only file system"):
        storage.record_confirmation(tmp_path / "index.db", note, NOW)


def test_code_is_not_confirmed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be confirmed"):
        storage.record_confirmation(tmp_path / "index.db", Document("a.py", "code", "A"), NOW)


def test_reviews_pairs_and_votes_follow_a_renamed_document(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    for name in ("a.md", "b.md"):
        assert storage.record_read(index, Document(name, "notes", name), NOW)
    storage.change_votes(index, lambda votes: add_votes(votes, [Vote("q", "a.md", is_relevant=True)]))
    before = storage.read_reviews(index)["a.md"]
    storage.rename_documents(index, {"a.md": "z.md"})
    assert storage.read_reviews(index) == {"b.md": storage.read_reviews(index)["b.md"], "z.md": before}
    assert [(pair.one, pair.other) for pair in storage.read_pairs(index)] == [("b.md", "z.md")]
    assert [vote.document for vote in storage.read_feedback(index).votes] == ["z.md"]


def test_the_stored_state_has_the_four_values_of_spaced_repetition(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    storage.record_read(index, Document("a.md", "notes", "A", changed_ns=NOW), NOW + 9 * DAY_NS)
    stored = msgspec.json.decode(index.with_name("index.db.read.json").read_bytes())["a.md"]
    assert {"stability", "difficulty", "last_review_ns"} <= stored.keys()  # one review is the default of the count
