"""The tables of docs/quality.md about questions on whole projects, by file and by section."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import Cell, Table, ablation_table

FIRST_RANK = "MRR@10"
LEVELS = ("file", "section")
_ABOUT_OPEN = (
    "Questions about whole projects (benchmarks/README.md describes how they were written) and about the vault, by the "
    "rank of the first right file and of the first right section (MRR@10). These questions were used in development; "
    "vault counts in no mean."
)
_ABOUT_HELD_OUT = (
    "Questions that were written and judged before any search, in five groups, each later than the one before; a "
    "project's figure is the mean over all its questions. Groups 1 to 4 were used for the last two changes: "
    "compare_sentences was developed with their means, and two questions of groups 3 and 4 led to the rule for names "
    "of options, by which they gain. Group 5 was used for nothing; it was run when it was new and with later versions. "
    "All groups were run with several versions of the ranking (benchmarks/README.md says when). Groups 1 and 2 list "
    "fewer of the places that answer; those of group 5 were checked (benchmarks/results/held-out-2026-11-19.md)."
)
_ABOUT_PARTS = (
    "Like *Effect of each part of auto*, for the questions about projects that were used in development, by section. "
    "Projects have equal weight. Six to twenty questions of a project are few: only large differences of one project "
    "are beyond noise."
)


class ProjectReports(NamedTuple):
    """The reports about questions on projects."""

    open: Sequence[Report] = ()
    """By file and by section, of questions used in development."""
    held_out: Sequence[Report] = ()
    """By file and by section, of the other questions."""
    parts: Report | None = None
    """With each part of `auto` left out, by section."""


NO_PROJECTS = ProjectReports()


class _Rank(NamedTuple):
    """The mean rank of a collection's questions."""

    mean: float
    questions: int


Ranks = Mapping[str, Mapping[tuple[str, str], _Rank]]
"""For each collection, the rank by recipe and level."""


def is_by_level(report: Report) -> bool:
    """Check whether a report counts results by file and by section."""
    return {result.level for result in report.results} >= set(LEVELS)


def rank_tables(reports: ProjectReports, recipes: Sequence[str], excluded: str) -> Iterator[Table]:
    """Yield the tables of ranks. The collection `excluded` counts in no mean."""
    columns = [(recipe, level) for recipe in recipes for level in LEVELS]
    if reports.open:
        yield _rank_table("Right file and right section first", _ABOUT_OPEN, reports.open, columns, excluded)
    if reports.held_out:
        table = _rank_table("Held-out questions", _ABOUT_HELD_OUT, reports.held_out, columns, excluded)
        groups = (
            row
            for number, report in enumerate(reports.held_out, start=1)
            for row in _mean_rows(f"mean of group {number}", _read_ranks([report]), columns)
        )
        yield table._replace(rows=[*table.rows, *groups])


def parts_table(report: Report) -> Table:
    """Make the table of the effect of each part on the questions about projects."""
    return ablation_table(report)._replace(title="Effect of each part on questions about projects", about=_ABOUT_PARTS)


def _rank_table(
    title: str, about: str, reports: Sequence[Report], columns: Sequence[tuple[str, str]], excluded: str
) -> Table:
    ranks = _read_ranks(reports)
    rows = []
    for name, values in ranks.items():
        figures = (f"{values[column].mean:.3f}" if column in values else "–" for column in columns)
        rows.append([Cell(name), Cell(str(_count_questions(values))), *map(Cell, figures)])
    rows += _mean_rows("mean", {name: values for name, values in ranks.items() if name != excluded}, columns)
    header = ["collection", "questions", *(f"{recipe}, {level}" for recipe, level in columns)]
    return Table(title, about, header, rows)


def _count_questions(values: Mapping[tuple[str, str], _Rank]) -> int:
    return max(rank.questions for rank in values.values())


def _mean_rows(label: str, ranks: Ranks, columns: Sequence[tuple[str, str]]) -> Iterator[list[Cell]]:
    """Yield the row with the means over collections, if all have every figure."""
    if ranks and all(column in values for values in ranks.values() for column in columns):
        means = (sum(values[column].mean for values in ranks.values()) / len(ranks) for column in columns)
        questions = sum(map(_count_questions, ranks.values()))
        yield [Cell(label), Cell(str(questions)), *(Cell(f"{mean:.3f}") for mean in means)]


def _read_ranks(reports: Sequence[Report]) -> Ranks:
    """Read ranks by collection, recipe and level. Those of a collection in several reports become one mean."""
    ranks: dict[str, dict[tuple[str, str], _Rank]] = {}
    for result in (result for report in reports for result in report.results):
        of_collection = ranks.setdefault(result.collection, {})
        mean, questions = of_collection.get((result.recipe, result.level), _Rank(0.0, 0))
        total = questions + result.queries
        mean = (mean * questions + result.metrics[FIRST_RANK] * result.queries) / total
        of_collection[result.recipe, result.level] = _Rank(mean, total)
    return ranks
