"""Readings and confirmations of items, and the tier that they suggest."""

from pathlib import Path

import pytest

from waymeet.errors import ConflictError, UsageError
from waymeet.notebook import Notebook
from waymeet.notebook.review.state import describe_reviews
from waymeet.search.feedback import storage
from waymeet.search.feedback.reviews import DAY_NS, Review
from waymeet.settings import Settings
from waymeet.types import Document

NOW = 20_000 * DAY_NS


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    (tmp_path / "root").mkdir()
    return Notebook(tmp_path / "root", Settings(), tmp_path / "index.db")


def test_reading_counts_and_loading_or_listing_does_not(tmp_path: Path, notebook: Notebook) -> None:
    item = notebook.create("notes", "A", "One.").item
    notebook.load("a")
    notebook.list("notes")
    assert storage.read_reviews(tmp_path / "index.db") == {}
    notebook.read("a")
    assert storage.read_reviews(tmp_path / "index.db")[item.id].reviews == 1
    text = (tmp_path / "root" / item.id).read_text()
    assert text == item.text  # nothing is written to the author's file


def test_a_use_of_a_skill_is_a_reading(tmp_path: Path, notebook: Notebook) -> None:
    item = notebook.create("skills", "Release", "Steps.").item
    notebook.use("release")
    assert storage.read_reviews(tmp_path / "index.db")[item.id].reviews == 1


def test_a_confirmation_of_another_version_is_refused(notebook: Notebook) -> None:
    old = notebook.create("notes", "A", "One.").item
    notebook.update("a", version=old.version, body="Two.")
    with pytest.raises(ConflictError, match="it was not confirmed"):
        notebook.review.confirm("a", version=old.version)
    item, state = notebook.review.confirm("a", version=notebook.load("a").version)
    assert (item.title, state.confirmations, state.reviews) == ("A", 1, 1)


def test_half_life_days_is_checked_when_written_and_reported_in_files(tmp_path: Path, notebook: Notebook) -> None:
    with pytest.raises(UsageError, match="not a positive number of days"):
        notebook.create("notes", "A", "One.", {"half_life_days": "-3"})
    with pytest.raises(UsageError, match="not a positive number of days"):
        notebook.create("notes", "A", "One.", {"half_life_days": 0})
    item = notebook.create("notes", "A", "One.", {"half_life_days": "12"}).item
    assert item.fields["half_life_days"] == 12
    assert notebook.review.states([item])[item.id].half_life_days == 12.0
    (tmp_path / "root" / item.id).write_text("---\nhalf_life_days: soon\n---\nOne.\n")
    odd = notebook.load("a")
    assert odd.problems == ("half_life_days: 'soon' is not a positive number of days.",)
    assert notebook.review.states([odd])[odd.id].half_life_days == 60.0


@pytest.mark.parametrize(
    ("author", "review", "days", "suggested"),
    [
        ("", None, 0, ""),
        ("", None, 400, "temporary"),
        ("important", None, 400, ""),
        ("", Review(NOW, reviews=5, confirmations=1), 0, "important"),
        ("important", Review(NOW, reviews=5, confirmations=1), 0, ""),
        ("important", Review(NOW, reviews=12, confirmations=3), 0, "critical"),
        ("deprecated", Review(NOW, reviews=12, confirmations=3), 0, ""),
        ("constitutional", Review(NOW, reviews=12, confirmations=3), 0, ""),
        ("critical", Review(NOW, reviews=12, confirmations=3), 0, ""),
    ],
)
def test_use_suggests_a_tier_above_the_authors(author: str, review: Review | None, days: int, suggested: str) -> None:
    properties = {"tier": author} if author else {}
    note = Document("a.md", "notes", "A", properties=properties, changed_ns=NOW - days * DAY_NS)
    state = describe_reviews({"a.md": note}, {"a.md": review} if review else {}, NOW)["a.md"]
    assert state.suggested_tier == suggested
    assert bool(state.suggestion_reason) == bool(suggested)
