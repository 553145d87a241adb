"""Write docs/quality.md from the reports of `make quality` and from published figures."""

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from quality_picture import DotRow, draw_dots
from quality_sections import NO_PROJECTS, ProjectReports, is_by_level, parts_table, rank_tables
from quality_texts import BEYOND, COLUMNS, INPUT_LISTS, INTRO, TRIED
from run import machine

from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, Overall, summarise_comparisons
from waymeet.interfaces.quality.markdown_report import escape_markdown as plain
from waymeet.interfaces.quality.markdown_report import table_section as section
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.rows import list_remarks
from waymeet.interfaces.quality.tables import Cell, Table, summary_tables

DOCS = Path(__file__).parent.parent / "docs"
PLAIN, WORDS, STUDENT, AUTO = "plain", "auto:words", "auto:student", "auto"
OWN, OWN_NAME = "vault", "vault (our own)"
"""The collection in this repository, and its name on the page. It counts in no mean."""
_HELD_OUT, _PROJECT_PARTS = "held-out", "project-parts"
"""How the names of reports about held-out questions begin, and that of the report about each part on projects."""
_NO_MODELS = " (no models)"
"""Suffix of a collection that was run without models. It counts in no mean."""
_ROUNDING = 0.0005
_MIN_GAIN = 0.02
"""Gain of true vectors from which on it is said which share of it approximate vectors have."""


class Aim(Struct, frozen=True, forbid_unknown_fields=True):
    """The target for a collection, set before development."""

    collection: str
    elsewhere: float
    """The figure of another BM25 implementation."""
    models: float
    """The target with models."""
    words: float | None = None
    """The target without models."""
    measure: str = MAIN_METRIC


class Published(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures that other systems publish for a collection."""

    collection: str
    measure: str
    on: str
    """What they were measured on."""
    systems: tuple[tuple[str, float], ...]


class Known(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of published.toml."""

    published: tuple[Published, ...]
    aim: tuple[Aim, ...]


def known() -> Known:
    """Read published.toml."""
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Known)


def joined(reports: Sequence[Report]) -> Report:
    """Merge reports: results of the one that compares recipes, ablations and folds of all."""
    main_report = next((report for report in reports if report.comparisons and not _is_special(report)), reports[0])
    ablations = [
        replace(ablation, collection=_collection_name(ablation), against=AUTO)
        for report in reports
        for ablation in report.ablations
    ]
    excluded = dict.fromkeys(each.collection for each in ablations if each.collection.endswith((OWN_NAME, _NO_MODELS)))
    return replace(
        main_report,
        ablations=tuple(ablations),
        excluded_from_mean=tuple(sorted(excluded, key=lambda name: name != OWN_NAME)),
        required_stages=tuple(dict.fromkeys(stage for report in reports for stage in report.required_stages)),
        folds=tuple(fold for report in reports for fold in report.folds),
    )


def _is_special(report: Report) -> bool:
    """Check whether a report has a table of its own."""
    return _has_student(report) or is_by_level(report)


def _has_student(report: Report) -> bool:
    """Check whether a report compares approximate vectors."""
    return any(result.recipe == STUDENT for result in report.results)


def _collection_name(ablation: Comparison) -> str:
    """Name the collection of an ablation, distinct for runs with and without models."""
    name = OWN_NAME if ablation.collection == OWN else ablation.collection
    return f"{name}{_NO_MODELS}" if ablation.against == WORDS else name


def page(
    report: Report,
    known_figures: Known,
    measured_on: str,
    students: Sequence[Report] = (),
    projects: ProjectReports = NO_PROJECTS,
) -> str:
    """Write the page, with tables of approximate vectors and of questions about projects if they were measured."""
    return "\n".join(_lines(report, known_figures, measured_on, students, projects)) + "\n"


def _lines(
    report: Report, known_figures: Known, measured_on: str, students: Sequence[Report], projects: ProjectReports
) -> Iterator[str]:
    main, *rest = summary_tables(report)
    yield from ("# Ranking quality", "", INTRO, "", f"{plain(measured_on)}, Waymeet {plain(report.version)}.", "")
    yield from (f"![{MAIN_METRIC} on every collection](quality.svg)", "", "## At a glance", "")
    yield from (f"- {line}" for line in summarise(report))
    yield from ("", *section(main), "", COLUMNS, "")
    targets, published = target_table(report, known_figures.aim), published_table(report, known_figures.published)
    yield from (*section(targets), "", *section(published))
    for table in (*map(student_table, students), *rank_tables(projects, (AUTO, WORDS), OWN), *rest):
        yield from ("", *section(table))
    if projects.parts:
        yield from ("", *section(parts_table(projects.parts)))
    yield from ("", INPUT_LISTS, "", TRIED, "", BEYOND)
    remarks = list(list_remarks(report))
    if remarks:
        yield from ("", "## Remarks", "", *(f"- {plain(remark)}" for remark in remarks))


def summarise(report: Report) -> Iterator[str]:
    """Summarise the tables in sentences."""
    against_plain = {overall.name: overall for overall in summarise_comparisons(report.comparisons)}
    for name in (AUTO, WORDS):
        if name in against_plain:
            yield f"`{name}` against plain BM25: {_describe_difference(against_plain[name])}."
    rivals = {overall.against: overall for overall in summarise_comparisons(report.against_others)}
    if WORDS in rivals:
        worst = rivals[WORDS].worst
        lowest = f"lowest on {plain(worst.collection)} ({worst.difference:+.3f})"
        yield f"`auto` against `{WORDS}`, the effect of models: {_describe_difference(rivals[WORDS])}; {lowest}."
    for name, overall in rivals.items():
        if name != WORDS:
            yield f"`auto` against `{plain(name)}`: {_describe_difference(overall)}."
    yield from _summarise_first_rank(report)
    for overall in summarise_comparisons(report.ablations, report.excluded_from_mean):
        if overall.name == "without boost_linked":
            best = overall.best
            gain = f"{best.difference:+.3f} on {plain(best.collection)}" if best.difference > 0 else "none"
            yield f"`auto` without `boost_linked`: {_describe_difference(overall)}; largest gain without it: {gain}."
    if report.folds:
        (overall,) = summarise_comparisons([fold.comparison for fold in report.folds])
        difference = _describe_difference(overall)
        yield f"Weights tuned without a collection and measured on it, against the current weights: {difference}."


def _summarise_first_rank(report: Report) -> Iterator[str]:
    """Compare the rank of the first relevant result with plain BM25."""
    figures = _figures(report)
    if figures and all({PLAIN, AUTO} <= by_recipe.keys() for by_recipe in figures.values()):
        gains = {name: each[AUTO]["MRR@10"] - each[PLAIN]["MRR@10"] for name, each in figures.items()}
        lowest = min(gains, key=lambda name: gains[name])
        mean = sum(gains.values()) / len(gains)
        worst = f"lowest on {plain(lowest)} ({gains[lowest]:+.3f})"
        yield f"Rank of the first relevant result (MRR@10), `auto` against plain BM25: {mean:+.3f} on average; {worst}."


def _describe_difference(overall: Overall) -> str:
    """Describe a difference over all collections."""
    worse = f" ({', '.join(map(plain, overall.worse))})" if overall.worse else ""
    return (
        f"{overall.mean:+.3f} {MAIN_METRIC} on average ({overall.low:+.3f} … {overall.high:+.3f}), "
        f"beyond noise better on {len(overall.better)} and worse on {len(overall.worse)} collections{worse}"
    )


def target_table(report: Report, targets: Sequence[Aim]) -> Table:
    """Make the table of targets and results."""
    figures = _figures(report)
    rows = []
    for target in targets:
        if target.collection not in figures:
            continue
        by_recipe = figures[target.collection]
        cells = [
            target.collection,
            target.measure,
            f"{target.elsewhere:.3f}",
            _format_figure(by_recipe, PLAIN, target.measure),
        ]
        for name, figure in ((WORDS, target.words), (AUTO, target.models)):
            cells += [
                f"{figure:.3f}" if figure is not None else "–",
                _compare_with_target(by_recipe, name, target.measure, figure),
            ]
        rows.append(list(map(Cell, cells)))
    header = [
        "collection",
        "measure",
        "BM25 elsewhere",
        PLAIN,
        "target without models",
        WORDS,
        "target with models",
        AUTO,
    ]
    about = (
        "Targets were set before the work that should reach them. If one is missed, the difference is in parentheses. "
        "BM25 elsewhere is another implementation, over whole documents."
    )
    return Table("What was aimed at", about, header, rows)


def published_table(report: Report, publications: Sequence[Published]) -> Table:
    """Make the table of published figures beside ours."""
    figures = _figures(report)
    rows = []
    for published in publications:
        by_recipe = figures.get(published.collection)
        if by_recipe is None:
            continue
        theirs = ", ".join(f"{name} {value:.3f}" for name, value in published.systems)
        ours = [_format_figure(by_recipe, name, published.measure) for name in (PLAIN, WORDS, AUTO)]
        rows.append(list(map(Cell, (published.collection, published.measure, *ours, theirs, published.on))))
    header = ["collection", "measure", PLAIN, WORDS, AUTO, "published by others", "measured on"]
    about = "Most of these tests differ from ours (last column), so the figures are only a rough comparison."
    return Table("Published figures", about, header, rows)


def student_table(report: Report) -> Table:
    """Make the table of words, approximate and true vectors."""
    rows, gains = [], []
    for collection, by_recipe in _figures(report).items():
        words, student, auto = (by_recipe[name][MAIN_METRIC] for name in (WORDS, STUDENT, AUTO))
        share = ""
        if auto - words > _MIN_GAIN:
            gains.append((student - words, auto - words))
            share = f"{(student - words) / (auto - words):.0%}"
        rows.append(list(map(Cell, (collection, f"{words:.3f}", f"{student:.3f}", f"{auto:.3f}", share))))
    own, best = (sum(each) for each in zip(*gains, strict=True)) if gains else (0.0, 1.0)
    about = (
        f"{STUDENT} is {AUTO} in the first minutes of an index of English texts: 300 sections are embedded, the "
        "others have approximate vectors. A search also embeds a few of its best candidates, which is not measured "
        "here. The last column is the share of the gain of true vectors over words, where that exceeds "
        f"{_MIN_GAIN:g}; over all of these collections it is {own / best:.0%}."
    )
    header = ["collection", WORDS, STUDENT, AUTO, "share of the gain"]
    return Table("Approximate vectors", about, header, rows)


Figures = Mapping[str, Mapping[str, Mapping[str, float]]]


def _figures(report: Report) -> Figures:
    """Map collections to recipes to metrics."""
    figures: dict[str, dict[str, Mapping[str, float]]] = {}
    for result in report.results:
        figures.setdefault(result.collection, {})[result.recipe] = result.metrics
    return figures


def _format_figure(by_recipe: Mapping[str, Mapping[str, float]], name: str, measure: str) -> str:
    return f"{by_recipe[name][measure]:.3f}" if name in by_recipe else "–"


def _compare_with_target(
    by_recipe: Mapping[str, Mapping[str, float]], name: str, measure: str, target: float | None
) -> str:
    """Format a figure, with a check mark or its difference to the target."""
    if name not in by_recipe or target is None:
        return _format_figure(by_recipe, name, measure)
    difference = by_recipe[name][measure] - target
    return f"{by_recipe[name][measure]:.3f} {'✓' if difference > -_ROUNDING else f'({difference:+.3f})'}"


def picture(report: Report) -> str:
    """Draw the main figures."""
    rows = [
        DotRow(collection, [(name, by_recipe[name][MAIN_METRIC]) for name in (PLAIN, WORDS, AUTO) if name in by_recipe])
        for collection, by_recipe in _figures(report).items()
    ]
    return draw_dots(rows, f"{MAIN_METRIC} of plain BM25, of auto without models, and of auto")


def main() -> int:
    """Write the page and its picture."""
    reports = {Path(name).stem: msgspec.json.decode(Path(name).read_bytes(), type=Report) for name in sys.argv[1:]}
    if not reports:
        print("Usage: quality.py REPORT.json …, written by `waymeet eval … --report REPORT.json`", file=sys.stderr)
        return 2
    parts = reports.pop(_PROJECT_PARTS, None)
    report = joined(list(reports.values()))
    computer = machine()
    measured_on = f"Measured on {datetime.now(UTC).date().isoformat()}: {computer['cores']} cores of {computer['cpu']}"
    (DOCS / "quality.svg").write_text(picture(report), encoding="utf-8")
    held_out = [each for name, each in sorted(reports.items()) if name.startswith(_HELD_OUT)]
    by_level = [each for each in reports.values() if is_by_level(each) and each not in held_out]
    students = list(filter(_has_student, reports.values()))
    text = page(report, known(), measured_on, students, ProjectReports(by_level, held_out, parts))
    (DOCS / "quality.md").write_text(text, encoding="utf-8")
    print("written: docs/quality.md, docs/quality.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
