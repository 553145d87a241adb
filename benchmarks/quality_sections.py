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
    "Questions that were written and judged before any search and run when the ranking was finished, in four groups; "
    "a project's figure is the mean over all its questions. No weight was tuned with them. Most were run with earlier "
    "versions of the ranking, too; those about Django were run once (benchmarks/README.md says when). The judgements "
    "of the older groups list fewer of the places that answer; the figures of each group are in "
    "benchmarks/results/ranking-lists-2026-11-18.md."
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
        yield _rank_table("Held-out questions", _ABOUT_HELD_OUT, reports.held_out, columns, excluded)


def parts_table(report: Report) -> Table:
    """Make the table of the effect of each part on the questions about projects."""
    return ablation_table(report)._replace(title="Effect of each part on questions about projects", about=_ABOUT_PARTS)


def _rank_table(
    title: str, about: str, reports: Sequence[Report], columns: Sequence[tuple[str, str]], excluded: str
) -> Table:
    ranks = _read_ranks(reports)
    rows = []
    for name, values in ranks.items():
        questions = max(rank.questions for rank in values.values())
        figures = (f"{values[column].mean:.3f}" if column in values else "–" for column in columns)
        rows.append([Cell(name), Cell(str(questions)), *map(Cell, figures)])
    counted = [values for name, values in ranks.items() if name != excluded]
    if counted and all(column in values for values in counted for column in columns):
        means = (sum(values[column].mean for values in counted) / len(counted) for column in columns)
        rows.append([Cell("mean"), Cell(""), *(Cell(f"{mean:.3f}") for mean in means)])
    header = ["collection", "questions", *(f"{recipe}, {level}" for recipe, level in columns)]
    return Table(title, about, header, rows)


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
