"""The screen of the picker: it fits every terminal, and control characters never reach it."""

import re

import pytest
from prompt_toolkit.utils import get_cwidth

from waymeet.interfaces.cli.ask.picker.state import Found, PickerState
from waymeet.interfaces.cli.ask.picker.view import screen_lines, status_line
from waymeet.interfaces.render.text import Line
from waymeet.types import Answer, Degraded, Hit, Section

JAPANESE = "在庫の数え方を決める。" * 20


def make_hit(number: int, text: str = "leaves") -> Hit:
    id_ = f"docs/文書/a-long-name-of-a-page-{number}.md#L{number + 1}-L{number + 40}"
    section = Section(
        id_, number + 1, number + 40, ("在庫", "Counting \x1b[31mleaves"), text, ((0, min(6, len(text))),)
    )
    return Hit(
        id_,
        id_.partition("#")[0],
        "Stock",
        "docs",
        "",
        number + 1,
        number + 40,
        1.0,
        "lexical #1",
        (),
        (section,),
        relevance=0.5,
    )


def make_state(hits: int = 20, text: str = "leaves\tand \x1b]0;evil\x07\n" * 30 + JAPANESE) -> PickerState:
    shown = tuple(make_hit(number, text) for number in range(hits))
    degraded = (Degraded("vector", "no_model", "no model"),)
    answer = Answer("leaves", "auto", "", "lexical", shown, total_found=hits, degraded=degraded, seconds=0.012)
    state = PickerState()
    state.show(Found(answer, {hit.id: text for hit in shown}))
    return state


def plain(line: Line) -> str:
    return "".join(text for text, _ in line)


@pytest.mark.parametrize("columns", [1, 8, 20, 39, 40, 80, 99, 100, 101, 200])
@pytest.mark.parametrize("rows", [0, 1, 3, 8, 13, 14, 24, 60])
def test_every_line_fits(columns: int, rows: int) -> None:
    state = make_state()
    for selected in (0, 7, 19):
        state.selected, state.scroll = selected, None
        lines = screen_lines(state, columns, rows, get_cwidth)
        assert len(lines) <= rows
        for line in (*lines, status_line(state, columns, get_cwidth)):
            assert get_cwidth(plain(line)) <= columns
            assert not re.search(r"[\x00-\x1f\x7f-\x9f]", plain(line))


def test_the_selected_hit_is_always_visible() -> None:
    state = make_state()
    for rows in (1, 2, 5, 14, 30):
        for columns in (40, 120):
            for selected in range(20):
                state.selected = selected
                marked = [plain(line) for line in screen_lines(state, columns, rows, get_cwidth) if "▌" in plain(line)]
                assert any(f"-L{selected + 40}" in line for line in marked)


def test_the_preview_is_beside_below_or_hidden() -> None:
    state = make_state()
    assert any(" │ " in plain(line) for line in screen_lines(state, 120, 20, get_cwidth))
    below = [plain(line) for line in screen_lines(state, 60, 30, get_cwidth)]
    assert "─" * 60 in below
    assert any("Stock › 在庫 › Counting �[31mleaves" in line for line in below)
    state.shows_preview = False
    assert not any("│" in plain(line) or "─" in plain(line) for line in screen_lines(state, 120, 30, get_cwidth))
    state.shows_preview = True
    assert not any("─" in plain(line) for line in screen_lines(state, 60, 10, get_cwidth))


def test_the_preview_shows_the_first_match_and_scrolls_to_its_end() -> None:
    text = "\n".join(
        [*(f"row {number}" for number in range(100)), "the leaves", *(f"row {n}" for n in range(101, 200))]
    )
    state = make_state(1, "leaves")
    assert state.found
    state.found = Found(state.found.answer, {state.hits[0].id: text})
    shown = [plain(line) for line in screen_lines(state, 120, 20, get_cwidth)]
    assert any("101 the leaves" in line for line in shown)
    state.scroll_preview(1000)
    assert any("200 row 199" in plain(line) for line in screen_lines(state, 120, 20, get_cwidth))
    state.scroll_preview(-1000)
    lines = screen_lines(state, 120, 20, get_cwidth)
    assert any("  1 row 0" in plain(line) for line in lines)


def test_matches_are_highlighted_as_whole_words() -> None:
    state = make_state(1, "leaves and cleaves")
    styled = [segment for line in screen_lines(state, 120, 20, get_cwidth) for segment in line]
    assert ("leaves", "bold yellow") in styled
    assert ("leaves and cleaves", "") not in styled
    assert (" and cleaves", "") in styled


def test_the_status_has_recipe_time_and_degradations() -> None:
    state = make_state()
    assert plain(status_line(state, 160, get_cwidth)).startswith(
        "1 of 20 · auto · lexical · 12 ms · degraded: no_model"
    )
    assert "Enter open" in plain(status_line(state, 160, get_cwidth))
    assert "Enter open" not in plain(status_line(state, 60, get_cwidth))
    state.message = "copied"
    assert plain(status_line(state, 60, get_cwidth)).startswith("copied")
    state.fail("The query only excludes words.")
    assert "only excludes" in plain(screen_lines(state, 60, 5, get_cwidth)[0])
    narrow = " ".join(plain(line).strip() for line in screen_lines(state, 12, 5, get_cwidth))
    assert narrow == "The query only excludes words."
