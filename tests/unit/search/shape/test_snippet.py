"""Snippets: short, at the right place, with ranges that point at the matches."""

from hypothesis import given
from hypothesis import strategies as st

from waymeet.analysis import count_terms
from waymeet.search.shape.snippet import snippet


def test_the_window_holds_the_most_different_words() -> None:
    text = "fusion fusion fusion. " + "filler " * 100 + "ranks meet in fusion here. " + "filler " * 100
    shown, ranges = snippet(text, {"rank": 1.0, "fusion": 1.0}, 80)
    assert [shown[start:end] for start, end in ranges] == ["ranks", "fusion"]
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 82


def test_a_text_without_a_match_shows_its_beginning() -> None:
    assert snippet("one two three four", {"five": 1.0}, 8)[0] == "one two…"


def test_japanese_matches_are_joined() -> None:
    shown, ranges = snippet("全文検索のスコアを正規化する", {"検索": 1.0, "正規": 1.0, "規化": 1.0}, 100)
    assert [shown[start:end] for start, end in ranges] == ["検索", "正規化"]


@given(st.text(), st.integers(1, 200))
def test_ranges_lie_inside_and_do_not_overlap(text: str, chars: int) -> None:
    shown, ranges = snippet(text, dict.fromkeys(list(count_terms(text))[::2], 1.0), chars)
    assert len(shown) <= chars + 2
    last = 0
    for start, end in ranges:
        assert last <= start < end <= len(shown)
        last = end
