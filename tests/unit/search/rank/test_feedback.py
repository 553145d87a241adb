"""Feedback: bounded, shown, reversible, and kept when the index is rebuilt."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.errors import UsageError
from waymeet.formulas.explanation import evaluate
from waymeet.recipes import RECIPES
from waymeet.recipes.auto import AUTO
from waymeet.recipes.memory import MEMORY
from waymeet.search.feedback import storage
from waymeet.search.feedback.votes import Feedback, Pair, Vote, add_read_pairs, add_votes, remove_votes
from waymeet.search.pipeline import run_stages
from waymeet.search.state import Search, Tools
from waymeet.settings import Layer, Settings, resolve
from waymeet.types import Document, Filters, Query

STORE = store_of({"a.md": "rotate keys keys", "b.md": "rotate keys and more", "c.md": "unrelated prose"})


def votes_of(*votes: tuple[str, str, bool]) -> Feedback:
    return Feedback(tuple(Vote(*vote) for vote in votes))


def ask(feedback: Feedback, text: str = "rotate keys", filters: Filters | None = None) -> Search:
    tools = Tools(STORE, feedback=feedback)
    return run_stages(AUTO, Query(text, filters=filters or Filters()), tools, Settings())[0]


def scores(search: Search) -> dict[str, float]:
    return {each.document: each.score.value for each in search.candidates}


def test_ex_one_vote_moves_by_a_known_amount() -> None:
    """One vote of three that make three quarters: 1 − .25^(1/3) = .37004; × .15 × the best score."""
    before, after = scores(ask(Feedback())), scores(ask(votes_of(("rotate keys", "b.md", True))))
    assert after["b.md"] - before["b.md"] == pytest.approx(0.37004 * 0.15 * before["a.md"], rel=1e-4)
    assert after["a.md"] == before["a.md"]


def test_many_votes_reverse_the_order_but_stay_within_the_bound() -> None:
    before = scores(ask(Feedback()))
    many = votes_of(*[("rotate keys", "a.md", False), ("rotate keys", "b.md", True)] * 500)
    after = scores(ask(many))
    assert before["a.md"] - after["a.md"] <= 0.15 * before["a.md"] + 1e-9
    assert after["b.md"] - before["b.md"] <= 0.15 * before["a.md"] + 1e-9


@given(st.lists(st.tuples(st.sampled_from(["rotate keys", "keys", "x"]), st.sampled_from("abc"), st.booleans())))
def test_bounded_explained_and_reversible(votes: list[tuple[str, str, bool]]) -> None:
    before, after = ask(Feedback()), ask(votes_of(*((query, f"{name}.md", right) for query, name, right in votes)))
    best = max(scores(before).values())
    for document, score in scores(after).items():
        assert abs(score - scores(before).get(document, 0.0)) <= 0.15 * best + 1e-9
    assert all(evaluate(each.score) == pytest.approx(each.score.value) for each in after.candidates)
    assert scores(ask(Feedback(tuple(remove_votes(votes_of(*votes).votes, "none", ()))[:0]))) == scores(before)


def test_it_is_shown_in_the_explanation_and_in_the_notes() -> None:
    search = ask(votes_of(("rotate keys", "b.md", True)))
    (moved,) = [each for each in search.candidates if each.document == "b.md"]
    assert moved.score.parts[-1].description == "feedback on a similar query: “rotate keys”"
    assert "ranking of b.md adjusted by feedback on a similar query" in search.notes


@pytest.mark.parametrize(
    ("query", "is_applied"), [("rotating the keys", True), ("rotate", False), ("rotate keys now please", False)]
)
def test_it_applies_to_similar_queries_only(query: str, is_applied: bool) -> None:
    notes = ask(votes_of(("rotate keys", "b.md", True)), query).notes
    assert any("feedback" in note for note in notes) == is_applied


def test_what_was_right_but_not_found_enters_unless_filters_leave_it_out() -> None:
    right = votes_of(("rotate keys", "c.md", True))
    assert "c.md" in scores(ask(right))
    assert "c.md" not in scores(ask(right, filters=Filters(paths=("a.md",))))
    assert "gone.md" not in scores(ask(votes_of(("rotate keys", "gone.md", True))))
    assert "c.md" not in scores(ask(votes_of(("rotate keys", "c.md", False))))


def test_changing_ones_mind_replaces_the_vote() -> None:
    first, second = Vote("q", "a.md", is_relevant=True), Vote("q", "a.md", is_relevant=False)
    assert add_votes([first], [second]) == (second,)
    assert add_votes([first], [first]) == (first, first)
    assert tuple(remove_votes([first, Vote("q", "b.md", is_relevant=True)], "q", ["a.md"])) == (
        Vote("q", "b.md", is_relevant=True),
    )
    assert tuple(remove_votes([first, second], "q", ())) == ()


def test_entries_that_were_right_together_lead_to_each_other_in_memory() -> None:
    """From a.md, the only one that words find, c.md is one hop away: .5 of its fused score, as along a link."""
    store = store_of({"a.md": Page(("needle",)), "c.md": Page(("hay",)), "d.md": Page(("straw",))})
    together = votes_of(("other question entirely", "a.md", True), ("other question entirely", "c.md", True))
    settings = resolve((Layer("recipe", MEMORY.overrides),))
    search, _ = run_stages(MEMORY, Query("needle"), Tools(store, feedback=together), settings)
    assert {each.document for each in search.candidates} == {"a.md", "c.md"}
    (reached,) = search.lists["graph"]
    assert reached.score == pytest.approx(0.5 / 61)
    only, _ = run_stages(MEMORY, Query("needle", link_types=("references",)), Tools(store, feedback=together), settings)
    assert [each.document for each in only.candidates] == ["a.md"]


def test_feedback_outlives_its_file_being_written_by_many(tmp_path: Path) -> None:
    index = tmp_path / "deep" / "index.db"
    for number in range(3):
        storage.change_votes(
            index,
            lambda votes, number=number: add_votes(votes, [Vote("q", f"{number}.md", is_relevant=True)]),  # type: ignore[misc]
        )
    assert [vote.document for vote in storage.read_feedback(index).votes] == ["0.md", "1.md", "2.md"]
    assert not [path for path in index.parent.iterdir() if path.suffix not in {".json", ".lock"}]


def test_a_damaged_file_is_an_error_for_the_command_and_announced_by_a_search(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    index.with_name("index.db.feedback.json").write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match=r"feedback\.json cannot be read"):
        storage.read_feedback(index)
    search = ask(storage.read_feedback_or_warn(index))
    assert [each.code for each in search.degraded if each.stage == "apply_feedback"] == ["feedback_unreadable"]


def test_reading_is_remembered_for_what_people_write_and_never_fails(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    note, code = Document("a.md", "notes", "A"), Document("a.py", "code", "A")
    assert storage.record_read(index, note, 10**18)
    assert not storage.record_read(index, note, 10**18 + 1)  # just read: not worth writing
    assert not storage.record_read(index, code, 10**18)
    assert storage.read_reviews(index)["a.md"].last_review_ns == 10**18
    index.with_name("index.db.read.json").write_text("[", encoding="utf-8")
    assert storage.read_reviews(index) == {}
    (tmp_path / "file").write_text("")
    assert not storage.record_read(tmp_path / "file" / "index.db", note, 10**18)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_applies_feedback_and_shows_it(name: str) -> None:
    """Three votes of three that make three quarters: .75 · .15 of the best score, up or down."""
    pages = {f"{each}.md": Page(("rotate keys",), title="rotate keys", kind="skills") for each in "ab"}
    recipe, store = RECIPES[name], store_of(pages)
    settings = resolve((Layer("recipe", recipe.overrides),))
    before, after = (
        run_stages(recipe, Query("rotate keys"), Tools(store, feedback=each, now=lambda: 0), settings)[0]
        for each in (Feedback(), votes_of(*[("rotate keys", "a.md", False)] * 3, *[("rotate keys", "b.md", True)] * 3))
    )
    assert [each.document for each in before.candidates] == ["a.md", "b.md"]
    if name != "deep":  # its bonus for a first rank is more than feedback may move
        assert [each.document for each in after.candidates] == ["b.md", "a.md"]
    best = max(scores(before).values())
    assert scores(after)["b.md"] - scores(before)["b.md"] == pytest.approx(0.75 * 0.15 * best)
    assert scores(before)["a.md"] - scores(after)["a.md"] == pytest.approx(0.75 * 0.15 * best)
    for each in after.candidates:
        assert each.score.parts[-1].description == "feedback on a similar query: “rotate keys”"
        assert evaluate(each.score) == pytest.approx(each.score.value)


def test_feedback_holds_where_nothing_is_similar() -> None:
    """Both cosines are negative: what was right still moves up."""
    store = store_of({"a.md": "x", "b.md": "y"}, {"a.md": [(-0.6, 0.8)], "b.md": [(-0.8, 0.6)]})
    tools = Tools(store, (FixedEmbedder((1.0, 0.0)),), feedback=votes_of(*[("z", "b.md", True)] * 9))
    search, _ = run_stages(RECIPES["classic"], Query("z", mode="vec_only"), tools, Settings())
    assert scores(search)["b.md"] > -0.8


def test_what_feedback_brings_in_keeps_to_the_filters_that_come_late() -> None:
    pages = {"a.md": Page(("rotate keys",), doc_type="spec"), "b.md": Page(("unrelated",)), "c.md": Page(("other",))}
    right = votes_of(("rotate keys", "b.md", True))
    query = Query("rotate keys", filters=Filters(doc_types=("spec",)))
    search, _ = run_stages(RECIPES["threeway"], query, Tools(store_of(pages), feedback=right), Settings())
    assert list(scores(search)) == ["a.md"]


SITTING = 1_800 * 10**9
DAY = 86_400 * 10**9


def test_what_is_read_together_in_two_sittings_counts_as_linked(tmp_path: Path) -> None:
    """From a.md, the only one that words find, c.md is one hop away: .5 of its fused score, as along a link."""
    index = tmp_path / "index.db"
    store = store_of({"a.md": Page(("needle",)), "c.md": Page(("hay",)), "d.md": Page(("straw",))})
    settings = resolve((Layer("recipe", MEMORY.overrides),))

    def ask_memory(**memory: object) -> Search:
        numbers = resolve((Layer("recipe", MEMORY.overrides), Layer("test", {"memory": memory})))
        return run_stages(
            MEMORY, Query("needle"), Tools(store, feedback=storage.read_feedback_or_warn(index)), numbers
        )[0]

    for day in (1, 2):
        assert [each.document for each in ask_memory().candidates] == ["a.md"]
        for minute, name in enumerate(("a.md", "c.md")):
            assert storage.record_read(index, Document(name, "notes", name), day * DAY + minute * 60 * 10**9)
        assert storage.record_read(index, Document("d.md", "notes", "D"), day * DAY + 2 * SITTING)
    search = ask_memory()
    (reached,) = search.lists["graph"]
    assert reached.document == "c.md"
    assert reached.score == pytest.approx(0.5 / 61)
    assert "c.md added because it is often read together with a.md" in search.notes
    assert [each.document for each in ask_memory(together=3).candidates] == ["a.md"]
    assert [each.document for each in ask_memory(together=0).candidates] == ["a.md"]
    assert settings.memory.together == 2


def test_one_long_sitting_is_one_however_often_things_are_read() -> None:
    pairs: tuple[Pair, ...] = ()
    moments: dict[str, int] = {}
    for number in range(40):
        now = DAY + number * SITTING // 2
        pairs = add_read_pairs(pairs, "ab"[number % 2], moments, now)
        moments["ab"[number % 2]] = now
    assert [(pair.one, pair.other, pair.sittings) for pair in pairs] == [("a", "b", 1)]


def test_a_day_of_reading_makes_no_more_pairs_than_it_has_to() -> None:
    pairs: tuple[Pair, ...] = ()
    moments: dict[str, int] = {}
    for number in range(100):
        pairs = add_read_pairs(pairs, f"{number:03}", moments, DAY + number)
        moments[f"{number:03}"] = DAY + number
    assert len(pairs) < 8 * 100


def test_companions_that_are_gone_or_left_out_do_no_harm() -> None:
    store = store_of({"a.md": Page(("needle",)), "c.md": Page(("hay",))})
    pairs = (Pair("a.md", "gone.md", 5, 1), Pair("a.md", "c.md", 5, 1))
    tools = Tools(store, feedback=Feedback(read_together=pairs))
    settings = resolve((Layer("recipe", MEMORY.overrides),))
    assert scores(run_stages(MEMORY, Query("needle"), tools, settings)[0]).keys() == {"a.md", "c.md"}
    query = Query("needle", filters=Filters(paths=("a.md",)))
    assert scores(run_stages(MEMORY, query, tools, settings)[0]).keys() == {"a.md"}


def test_a_feedback_file_of_the_first_format_is_read(tmp_path: Path) -> None:
    index = tmp_path / "index.db"
    storage.change_votes(index, lambda votes: add_votes(votes, [Vote("keys", "a.md", is_relevant=True)]))
    (file,) = tmp_path.glob("*feedback*.json")
    assert '"right":true' in file.read_text(encoding="utf-8").replace(" ", "")
    assert [vote.is_relevant for vote in storage.read_feedback(index).votes] == [True]
