"""Levels: places and documents are counted once, and everything else counts by itself."""

from pathlib import Path

import pytest

from waymeet.evaluate.collection import Collection, CollectionQuery, Place
from waymeet.evaluate.levels import (
    FILE,
    SECTION,
    RankedSection,
    at_level,
    list_levels,
    list_sections,
    parse_section,
    rank_items,
)
from waymeet.evaluate.metrics import METRICS, MetricSummary, average_results
from waymeet.evaluate.trec import read_run
from waymeet.formulas.explanation import value
from waymeet.types import Candidate

PLACES = {"a.md#keys": Place("a.md", 10, 40), "b.py#turn": Place("b.py", 5, 9)}


def _collection(level: str, judgements: dict[str, int]) -> Collection:
    whole = Collection("x", (), (CollectionQuery("q", "keys"),), {"q": judgements}, PLACES, files="corpus")
    return at_level(whole, level)


def _rank(level: str, judgements: dict[str, int], *sections: str) -> list[str]:
    collection = _collection(level, judgements)
    rows = (RankedSection(section.partition("#")[0], section, 1.0) for section in sections)
    return list(rank_items(rows, collection, collection.qrels["q"]))


LONG = ("c.md#L1-L9", "a.md#L21-L30", "a.md#L10-L20", "a.md#L31-L40", "a.md#L41-L50", "b.py#L1-L20")


def test_further_sections_of_a_found_place_are_skipped() -> None:
    ranked = _rank(SECTION, {"a.md#keys": 1, "b.py#turn": 1}, *LONG)
    assert ranked == ["c.md#L1-L9", "a.md#keys", "a.md#L41-L50", "b.py#turn"]
    assert METRICS["MRR@10"](ranked, {"a.md#keys": 1, "b.py#turn": 1}) == 0.5
    assert METRICS["R@10"](ranked, {"a.md#keys": 1, "b.py#turn": 1}) == 1.0
    assert _rank("", {"a.md#keys": 1, "b.py#turn": 1}, *LONG) == ranked, "so it is where judgements name places"


def test_sections_outside_of_relevant_places_count_by_themselves() -> None:
    ranked = _rank(SECTION, {"b.py#turn": 1, "a.md#keys": 0, "c.md": 0}, *LONG, "c.md#L10-L12")
    assert ranked == [*LONG[:5], "b.py#turn", "c.md#L10-L12"], "also those that are judged not relevant"


def test_one_section_counts_for_every_place_in_it() -> None:
    places = {"a.md#keys": 1, "b.py#turn": 1}
    assert _rank(SECTION, places, "a.md#L1-L100", "b.py#L1-L2") == ["a.md#keys", "b.py#L1-L2"]
    both = {**PLACES, "a.md#locks": Place("a.md", 30, 60)}
    collection = Collection("x", (), (), {"q": {"a.md#keys": 1, "a.md#locks": 1}}, both)
    ranked = rank_items([RankedSection("a.md", "a.md#L1-L99", 1.0)], collection, collection.qrels["q"])
    assert list(ranked) == ["a.md#keys", "a.md#locks"]


def test_a_relevant_document_is_found_by_any_of_its_sections_once() -> None:
    ranked = _rank(SECTION, {"a.md": 1}, *LONG)
    assert ranked == ["c.md#L1-L9", "a.md", "b.py#L1-L20"]
    assert _rank("", {"a.md": 1}, *LONG) == ["c.md", "a.md", "b.py"], "by default, such queries count documents"
    assert _rank(FILE, {"a.md": 1}, *LONG) == ["c.md", "a.md", "b.py"]


def test_by_file_a_document_has_the_highest_judgement_of_its_places() -> None:
    judged = _collection(FILE, {"a.md#keys": 2, "a.md": 1, "b.py#turn": 0, "c.md": 1}).qrels["q"]
    assert judged == {"a.md": 2, "b.py": 0, "c.md": 1}
    assert _rank(FILE, {"a.md#keys": 1}, *LONG) == ["c.md", "a.md", "b.py"]
    assert list_levels("both") == ("file", "section")
    assert list_levels("") == ("",)


def test_every_section_of_a_candidate_has_a_rank() -> None:
    score = value(2.0, "score")
    candidates = [Candidate("a.md", ("a.md#L1-L9", "a.md#L10-L40"), score), Candidate("docs/", (), score)]
    sections = list(list_sections(candidates))
    assert [each.section for each in sections] == ["a.md#L1-L9", "a.md#L10-L40", ""]
    collection = _collection(SECTION, {"a.md#keys": 1})
    assert list(rank_items(sections, collection, collection.qrels["q"])) == ["a.md#L1-L9", "a.md#keys", "docs/"]


@pytest.mark.parametrize(
    ("item", "document", "section"),
    [
        ("a.md#keys", "a.md", "a.md#L10-L40"),
        ("c.md#L1-L9", "c.md", "c.md#L1-L9"),
        ("c.md#L1-L1~2", "c.md", "c.md#L1-L1~2"),
        ("c.md", "c.md", ""),
        ("c.md#unknown", "c.md#unknown", ""),
    ],
)
def test_items_of_other_programs_are_documents_places_or_lines(item: str, document: str, section: str) -> None:
    assert parse_section(item, _collection("", {"a.md": 1}), 1.0) == RankedSection(document, section, 1.0)


def test_an_id_that_looks_like_lines_is_a_document_where_documents_are_listed() -> None:
    listed = Collection("x", (), (), {"q": {"c.md#L1-L9": 1}})
    assert parse_section("c.md#L1-L9", listed, 1.0) == RankedSection("c.md#L1-L9", "", 1.0)


def test_a_run_of_another_program_is_measured_at_both_levels(tmp_path: Path) -> None:
    path = tmp_path / "theirs.trec"
    lines = ["a.md#L1-L5", "a.md#L15-L18", "my_notes.md#L1-L2", "a.md#L20-L22", "b.py"]
    rows = (f"q Q0 {line} {rank} {10 - rank} theirs" for rank, line in enumerate(lines, start=1))
    path.write_text("\n".join(rows), encoding="utf-8")
    judgements = {"a.md#keys": 1, "my notes.md": 1}

    def ranked(level: str) -> list[str]:
        return [item for item, _ in read_run(path, _collection(level, judgements)).ranked["q"]]

    assert ranked(SECTION) == ["a.md#L1-L5", "a.md#keys", "my notes.md", "b.py"]
    assert ranked(FILE) == ["a.md", "my notes.md", "b.py"]


def test_means_are_over_collections_of_one_recipe_and_level() -> None:
    def result(collection: str, level: str, figure: float) -> MetricSummary:
        return MetricSummary(collection, "auto", 3, dict.fromkeys(METRICS, figure), {}, level=level)

    file, section = average_results(
        [result("a", FILE, 0.5), result("a", SECTION, 0.25), result("b", FILE, 1.0), result("b", SECTION, 0.75)]
    )
    assert (file.level, file.collections, file.metrics["MRR@10"]) == (FILE, 2, 0.75)
    assert (section.level, section.metrics["nDCG@10"]) == (SECTION, 0.5)
    assert average_results([result("a", FILE, 0.5), result("a", SECTION, 0.5)]) == ()
