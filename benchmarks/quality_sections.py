"""The table of docs/quality.md that counts results by file and by section."""

from collections.abc import Mapping, Sequence

from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.tables import Cell, Table

FIRST_RANK = "MRR@10"
LEVELS = ("file", "section")
_ABOUT = (
    "Questions about whole projects (benchmarks/README.md describes how they were written) and about the vault, by the "
    "rank of the first right file and of the first right section (MRR@10). Only the half of the "
    "questions that may be looked at during development is in this table; vault counts in no mean."
)


def is_by_level(report: Report) -> bool:
    """Check whether a report counts results by file and by section."""
    return {result.level for result in report.results} >= set(LEVELS)


def section_table(reports: Sequence[Report], recipes: Sequence[str], excluded: str) -> Table:
    """Make the table from reports by level. The collection `excluded` counts in no mean."""
    ranks = _read_ranks(reports)
    columns = [(recipe, level) for recipe in recipes for level in LEVELS]
    counted = [values for name, values in ranks.items() if name != excluded]
    rows = [
        [Cell(name), *(Cell(f"{values[column]:.3f}" if column in values else "–") for column in columns)]
        for name, values in ranks.items()
    ]
    if counted and all(column in values for values in counted for column in columns):
        means = (sum(values[column] for values in counted) / len(counted) for column in columns)
        rows.append([Cell("mean"), *(Cell(f"{mean:.3f}") for mean in means)])
    header = ["collection", *(f"{recipe}, {level}" for recipe, level in columns)]
    return Table("Right file and right section first", _ABOUT, header, rows)


def _read_ranks(reports: Sequence[Report]) -> Mapping[str, Mapping[tuple[str, str], float]]:
    ranks: dict[str, dict[tuple[str, str], float]] = {}
    for report in reports:
        for result in report.results:
            ranks.setdefault(result.collection, {})[result.recipe, result.level] = result.metrics[FIRST_RANK]
    return ranks
