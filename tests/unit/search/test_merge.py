"""Answers of several projects become one."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from waymeet.formulas.explanation import evaluate
from waymeet.formulas.merging import merge_scores
from waymeet.project.registered.registry import add_project_name
from waymeet.search.merge import merge_answers
from waymeet.types import (
    LOW_RELEVANCE_NOTE,
    Answer,
    Degraded,
    Explanation,
    Facet,
    FacetValue,
    Hit,
    Section,
    Translation,
)


def make_hit(path: str, relevance: float | None, score: float = 1.0) -> Hit:
    section = Section(f"{path}#L1-L2", 1, 2, (), "text")
    return Hit(f"{path}#L1-L2", path, path, "docs", "other", 1, 2, score, "", (), (section,), relevance=relevance)


def make_answer(*hits: Hit, **fields: object) -> Answer:
    answer = Answer("q", "auto", "", "hybrid", hits, len(hits), generation=3)
    return replace(answer, **fields)


@given(st.lists(st.one_of(st.none(), st.floats(0.0, 1.0)), max_size=30))
def test_scores_never_rise_and_are_what_their_explanation_says(relevances: list[float | None]) -> None:
    scores = merge_scores(relevances)
    values = [score.value for score in scores]
    assert len(values) == len(relevances)
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(values))
    assert all(abs(evaluate(score) - score.value) < 1e-12 for score in scores)
    assert all(0.0 <= value <= 1.0 for value in values)


def test_projects_keep_their_order_and_every_id_has_a_name() -> None:
    first = make_answer(make_hit("a.md", 0.2, 9.0), make_hit("b.md", 0.6, 8.0))
    translated = replace(
        make_hit("c.md", 0.5), translations=(Translation("d.md#L1", "d.md", "", "ja"),), copies=("e.md#L1",)
    )
    merged = merge_answers({"tea": first, "api": make_answer(translated)}, 10, add_project_name)
    assert [hit.id for hit in merged.hits] == ["api::c.md#L1-L2", "tea::a.md#L1-L2", "tea::b.md#L1-L2"]
    assert [hit.score for hit in merged.hits] == [0.5, 0.4, 0.4]
    assert merged.hits[0].translations[0].document == "api::d.md"
    assert merged.hits[0].copies == ("api::e.md#L1",)
    assert merged.hits[0].sections[0].id == "api::c.md#L1-L2"
    assert (merged.total_found, merged.generation) == (3, 6)
    assert len(merge_answers({"tea": first}, 1, add_project_name).hits) == 1


def test_what_limits_the_answers_is_listed_once_with_the_projects() -> None:
    no_model, behind = Degraded("vector", "no_model", "none"), Degraded("freshness", "behind", "2 files")
    merged = merge_answers(
        {
            "tea": make_answer(make_hit("a.md", 0.5), degraded=(no_model, behind), notes=("spelling",)),
            "api": make_answer(degraded=(no_model,), notes=("unseen", LOW_RELEVANCE_NOTE), low_relevance=True),
        },
        10,
        add_project_name,
    )
    assert [each.detail for each in merged.degraded] == ["all projects: none", "tea: 2 files"]
    assert (merged.notes, merged.low_relevance) == (("tea: spelling",), False)
    low = make_answer(make_hit("a.md", 0.1), low_relevance=True, notes=(LOW_RELEVANCE_NOTE,))
    assert merge_answers({"tea": low, "api": make_answer()}, 10, add_project_name).notes == (LOW_RELEVANCE_NOTE,)


def test_facets_are_added_up_and_explanations_are_kept() -> None:
    facets = (Facet("kind", (FacetValue("docs", 2), FacetValue("code", 1))),)
    explained = replace(make_hit("a.md", 0.3, 7.0), explanation=Explanation(7.0, "its own score"))
    merged = merge_answers(
        {"tea": make_answer(explained, facets=facets), "api": make_answer(facets=facets)}, 10, add_project_name
    )
    assert merged.facets == (Facet("kind", (FacetValue("docs", 4), FacetValue("code", 2))),)
    tree = merged.hits[0].explanation
    assert tree
    assert evaluate(tree) == tree.value == merged.hits[0].score == 0.3
    assert "its own score" in str(tree)
