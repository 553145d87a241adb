"""`waymeet eval`."""

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from waymeet.interfaces.cli import ROOT
from waymeet.interfaces.cli.common import bars, json_option, print_json, print_lines, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.slow_notice import terminal_settings
from waymeet.ports import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waymeet.interfaces.quality.bench import Bench
    from waymeet.interfaces.quality.evaluation import Evaluation, EvaluationPlan
    from waymeet.interfaces.quality.report import Report
    from waymeet.search.state import Recipe

_MIN_FOLDS = 3
"""With fewer collections, leaving one out shows nothing."""
_EPILOG = manual(
    """
    waymeet eval --mine                                 how good is it for this project?
    waymeet eval my-collection
    waymeet eval my-queries --runs results.jsonl        corpus/ is your folder, the queries are yours
    waymeet eval sets/* --recipe auto,classic:bm25_only --report q.html
    waymeet eval sets/* --plain --recipe auto,auto:words    compare with plain BM25, and without models
    waymeet eval my-collection --level both             the right file, and the right section of it
    waymeet eval my-collection --ablate                 the effect of each stage and signal
    waymeet eval sets/* --sample 60 --leave-one-out     are the weights fitted to one collection?
    waymeet eval sets/* --keep build/indexes            index and embed once for several calls
    waymeet eval my-collection --beside theirs.trec     a run of another program
    waymeet eval --qrels qrels.txt --beside a.trec --beside b.trec
    waymeet eval my-collection --save-baseline good.json
    waymeet eval my-collection --fail-below good.json   for continuous integration
    waymeet eval my-collection --runs results.jsonl     {"id", "text", "right": [ids], "hits": [ids]}
    """,
    exits={0: "measured", 1: "below --fail-below", 3: "a model or the index cannot be used"},
    see="waymeet tune, waymeet recipes",
)


class EvalOptions(NamedTuple):
    """The options of `waymeet eval`, by the names of its click parameters."""

    folders: tuple[Path, ...]
    mine: bool
    most: int
    recipes: str
    mode: str
    plain: bool
    sample: int
    misspell: bool
    ablate: bool
    leave_one_out: bool
    beside: tuple[Path, ...]
    qrels: Path | None
    split: str
    limit: int
    level: str | None
    whole: bool
    keep: Path | None
    reports: tuple[Path, ...]
    save_baseline: Path | None
    fail_below: str
    runs: Path | None
    trec: Path | None
    root: Path | None
    flags: tuple[str, ...]
    as_json: bool

    @property
    def project(self) -> Path | None:
        """The project for --mine and for recipes of the user's own, or None for the current one."""
        if self.mine and self.folders:
            return self.folders[0]
        return self.root or click.get_current_context().meta.get(ROOT)


class _Bars(NamedTuple):
    """The progress bars of an evaluation."""

    indexing: Progress | None
    embedding: Progress | None
    querying: Progress | None
    ablating: Progress | None
    tuning: Progress | None


@click.command(short_help="Measure recipes on test collections, or on your own project.", epilog=_EPILOG)
@click.argument("folders", nargs=-1, metavar="[COLLECTION…]", type=click.Path(path_type=Path))
@click.option("--mine", is_flag=True, help="Build test queries from the project itself (COLLECTION is its folder).")
@click.option(
    "--most", default=100, show_default=True, type=click.IntRange(5, 5000), help="Queries of each kind for --mine."
)
@click.option(
    "--recipe",
    "recipes",
    default="auto",
    show_default=True,
    metavar="A,B:MODE",
    help="Recipes to compare; every recipe has the modes words, without models, and student, with the approximate "
    "vectors that an index has at first.",
)
@click.option("--mode", default="", help="Mode of all recipes that are named without one.")
@click.option("--plain", is_flag=True, help="Compare with plain BM25 over whole documents.")
@click.option(
    "--sample",
    default=0,
    metavar="N",
    type=click.IntRange(0),
    help="Run at most N queries of each collection, always the same ones.",
)
@click.option("--misspell", is_flag=True, help="Add one typo to the longest word of each query.")
@click.option("--ablate", is_flag=True, help="Leave out each stage and signal of a recipe in turn.")
@click.option(
    "--leave-one-out", is_flag=True, help="Tune the weights of auto without each collection, and measure them on it."
)
@click.option(
    "--beside",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Measure a TREC run, too. Repeatable.",
)
@click.option("--qrels", type=click.Path(path_type=Path, dir_okay=False), help="Only judgements, for --beside.")
@click.option("--split", default="", help="Which of qrels/*.tsv to use [default: test, dev or train, else the first].")
@click.option(
    "--limit",
    default=10,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Results for each query; more make R@100 fairer and queries slower.",
)
@click.option(
    "--level",
    type=click.Choice(["file", "section", "both"]),
    help="Count results by file or by section, or by both [default: by section where judgements name sections, else by "
    "file].",
)
@click.option("--whole", is_flag=True, help="Index each document as one section.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the index of each collection in this folder, and use it again while its documents and the settings of "
    "indexing are the same.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a report to a file that ends with .html, .md or .json. Repeatable.",
)
@click.option("--save-baseline", type=click.Path(path_type=Path, dir_okay=False), help="Save the results to a file.")
@click.option(
    "--fail-below",
    metavar="FILE|NUMBER",
    default="",
    help="Exit with 1 if nDCG@10 is below a number, or below a saved baseline beyond noise.",
)
@click.option("--runs", type=click.Path(path_type=Path, dir_okay=False), help="Write the runs as JSON lines.")
@click.option("--trec", type=click.Path(path_type=Path, dir_okay=False), help="Write the runs as TREC runs.")
@click.option(
    "-C",
    "--project",
    "root",
    type=click.Path(path_type=Path, readable=False),
    help="The project whose own recipes can be named [default: this one].",
)
@click.option("--set", "flags", multiple=True, metavar="KEY=VALUE", help="Change a setting for this call.")
@json_option
def command(**values: Any) -> int:  # noqa: ANN401 - the options by name, as click gives them
    """Measure the quality and speed of recipes on test collections or your own project.

    A collection is a folder with corpus.jsonl ({id, title, text, [path], [links]}), queries.jsonl ({id, text,
    [scope]}) and qrels.tsv (query, document, score). BEIR's folders and TREC's qrels.txt can be read, too. It is
    indexed in a temporary folder, or with --keep in that one, with your settings, not a project's. Recipes of your own
    are those of the project.

    Instead of corpus.jsonl there may be a folder corpus/ with files, or a link to one: they are read like the files
    of a project. Judgements then name a path below it, or a place in a file: docs/setup.md#keys, src/a.py#rotate.
    feedback.jsonl ({query, right: [ids], wrong: [ids]}) is feedback given before the queries are run.

    --mine builds queries from your own project: texts of links, headings, first sentences of docstrings and subjects of
    commits. These texts are withheld from the temporary index. Names of files and symbols are queries as well, and
    are not withheld.

    nDCG@10 measures the order of the first ten documents, R@n the share of relevant documents among the first n,
    all-gold@5 whether all of them are among the first five, MRR@10 the rank of the first. Intervals are 95 % intervals
    of the mean over queries; recipes are compared with the first one query by query (paired bootstrap).

    --level section counts every section: one that shares a line with a relevant place is that place, one of a relevant
    document is that document, and both count once; any other section is a wrong result by itself. --level file counts
    documents, each at the rank of its best section; a judgement of a place counts for its document.

    --leave-one-out tunes the weights of auto on the other collections, and compares them with the current weights on
    the collection that was left out: a difference within noise shows that the weights are not fitted to it.
    """
    return _evaluate(EvalOptions(**values))


def _evaluate(options: EvalOptions) -> int:
    """Measure what the options name, and return the exit code."""
    _check_options(options)
    fail_below = _parse_fail_below(options.fail_below)
    with _progress_bars(options.flags) as shown:
        if options.qrels:
            evaluation = _evaluate_runs(options, options.qrels)
        elif options.mine:
            evaluation = _evaluate_project(options, shown)
        else:
            evaluation = _evaluate_collections(options, shown)
    report = evaluation.report(fail_below)
    if options.save_baseline:
        from waymeet.evaluate.baseline import save_baseline

        save_baseline(options.save_baseline, evaluation.measured_runs)
    _output_report(report, options)
    return 1 if report.failures else 0


def _parse_fail_below(value: str) -> "float | Path | None":
    """Parse the value of --fail-below: a number, or the file of a baseline, which is checked."""
    if not value:
        return None
    try:
        return float(value)
    except ValueError:
        from waymeet.evaluate.baseline import load_baseline

        load_baseline(Path(value))  # a damaged file is an error now, not after an hour
        return Path(value)


def _check_options(options: EvalOptions) -> None:
    """Check endings of reports and combinations of options before anything is indexed."""
    from waymeet.interfaces.quality.report_writer import report_format

    for path in options.reports:
        report_format(path)
    needs_collections = options.plain or options.sample or options.misspell or options.leave_one_out or options.keep
    if (options.mine or options.qrels) and needs_collections:
        raise click.UsageError("--plain, --sample, --misspell, --leave-one-out and --keep need collections.")
    if options.level and options.qrels:
        raise click.UsageError("--level needs files: judgements and runs alone name only ids.")
    if options.level == "both" and options.leave_one_out:
        raise click.UsageError("--leave-one-out needs one level: add --level file or --level section.")


@contextmanager
def _progress_bars(flags: tuple[str, ...]) -> "Iterator[_Bars]":
    with bars(terminal_settings(flags), "Indexing", "Embedding", "Querying", "Ablating", "Tuning") as shown:
        yield _Bars(*shown)


def _evaluate_runs(options: EvalOptions, qrels: Path) -> "Evaluation":
    """Measure TREC runs by judgements alone (--qrels with --beside)."""
    from waymeet.evaluate.collection import load_judgements
    from waymeet.interfaces.quality.bench import Bench
    from waymeet.interfaces.quality.evaluation import Evaluation, EvaluationPlan
    from waymeet.search.state import Tools
    from waymeet.stores.memory.store import MemoryStore

    _refuse_folders(options.folders, "--qrels")
    if not options.beside:
        raise click.UsageError("--qrels needs runs to measure: name them with --beside.")
    plan = EvaluationPlan([], options.beside, options.limit, options.ablate)
    evaluation = Evaluation(plan, [qrels.stem], show=None if options.as_json else print_lines)
    _run_bench(evaluation, Bench((load_judgements(qrels),), Tools(MemoryStore()), ()), options, several=False)
    return evaluation


def _evaluate_project(options: EvalOptions, shown: _Bars) -> "Evaluation":
    """Measure recipes by queries built from the user's own project (--mine)."""
    from waymeet.evaluate.mining import KINDS
    from waymeet.evaluate.run import STUDENT
    from waymeet.interfaces.quality.bench import project_bench

    plan = _make_plan(options)
    if any(mode == STUDENT for _, mode in plan.recipes):
        raise click.UsageError("The mode student is measured on collections, not with --mine.")
    _refuse_folders(options.folders[1:], "--mine")
    evaluation = _make_evaluation(plan, list(KINDS), options, shown)
    with project_bench(options.project, options.flags, options.most, shown.indexing, shown.embedding) as bench:
        _run_bench(evaluation, bench, options, several=True)
    return evaluation


def _evaluate_collections(options: EvalOptions, shown: _Bars) -> "Evaluation":
    """Measure recipes on test collections."""
    from waymeet.evaluate.run import STUDENT
    from waymeet.interfaces.quality.bench import CollectionOptions, collection_bench

    plan = _make_plan(options)
    folders = _name_folders(options.folders, at_least=_MIN_FOLDS if options.leave_one_out else 1)
    evaluation = _make_evaluation(plan, list(folders), options, shown)
    several = len(folders) * len(plan.all_recipes) > 1
    how = CollectionOptions(options.split, options.whole, options.sample, options.plain, misspell=options.misspell)
    how = how._replace(student=any(mode == STUDENT for _, mode in plan.recipes), keep=options.keep)
    with ExitStack() as open_benches:
        benches: list[Bench] = []
        for name, folder in folders.items():
            opened = collection_bench(folder, options.flags, shown.indexing, shown.embedding, how._replace(name=name))
            if not options.leave_one_out:
                with opened as bench:
                    _run_bench(evaluation, bench, options, several=several)
                continue
            # All indexes stay open for tuning; one pair of models in memory is enough.
            bench = open_benches.enter_context(opened)
            benches.append(bench.with_models_of(benches[0]) if benches else bench)
            _run_bench(evaluation, benches[-1], options, several=several)
        if options.leave_one_out:
            evaluation.leave_one_out(benches, shown.tuning)
    return evaluation


def _make_plan(options: EvalOptions) -> "EvaluationPlan":
    from waymeet.evaluate.levels import list_levels
    from waymeet.interfaces.quality.evaluation import EvaluationPlan

    recipes = _find_recipes(options.recipes, options.mode, options.project)
    levels = list_levels(options.level or "")
    return EvaluationPlan(recipes, options.beside, options.limit, options.ablate, options.plain, levels)


def _make_evaluation(
    plan: "EvaluationPlan", collections: list[str], options: EvalOptions, shown: _Bars
) -> "Evaluation":
    from waymeet.interfaces.quality.evaluation import Evaluation

    # Each result is printed when it is ready, because many collections take a while.
    show = None if options.as_json else print_lines
    return Evaluation(plan, collections, shown.querying, shown.ablating, show)


def _find_recipes(names: str, mode: str, project: Path | None) -> "list[tuple[Recipe, str]]":
    """Find recipes by name, and open the project only for a recipe of the user's own."""
    from waymeet.project import Project
    from waymeet.recipes import RECIPES, find_recipe

    recipes = []
    for part in filter(None, map(str.strip, names.split(","))):
        name, _, own_mode = part.partition(":")
        recipe = RECIPES[name] if name in RECIPES else find_recipe(name, Project.open(project).settings.recipes)
        recipes.append((recipe, own_mode or mode))
    if not recipes:
        raise click.UsageError("--recipe names no recipe.")
    return recipes


def _name_folders(folders: tuple[Path, ...], at_least: int) -> dict[str, Path]:
    """Give each folder among the arguments a unique name, and skip files."""
    if not folders:
        raise click.UsageError("Name a collection, or add --mine to measure on this project.")
    collections = [folder for folder in folders if not folder.is_file()]
    if len(collections) < len(folders):
        say(f"Skipped, because they are files: {', '.join(each.name for each in folders if each.is_file())}", err=True)
    if not collections:
        raise click.UsageError("None of these is a folder.")
    named: dict[str, Path] = {}
    for folder in dict.fromkeys(collection.resolve() for collection in collections):
        longer_names = ("/".join(folder.parts[-length:]) for length in range(1, len(folder.parts) + 1))
        named[next((name for name in longer_names if name not in named), str(folder))] = folder
    if len(named) < at_least:
        raise click.UsageError(f"--leave-one-out needs {at_least} collections or more.")
    return named


def _refuse_folders(folders: tuple[Path, ...], option: str) -> None:
    if folders:
        raise click.UsageError(f"{option} takes no collection: remove {folders[0]}.")


def _run_bench(evaluation: "Evaluation", bench: "Bench", options: EvalOptions, *, several: bool) -> None:
    """Run all recipes on a bench, and write each run to the files that the options name."""
    from waymeet.evaluate.levels import BOTH
    from waymeet.interfaces.quality.run_writer import RunFiles

    files = RunFiles(options.runs, options.trec, several, several_levels=options.level == BOTH)
    for collection, run in evaluation.run_bench(bench):
        files.write(collection, run)


def _output_report(report: "Report", options: EvalOptions) -> None:
    """Write the report to the files that the options name, and print it."""
    from waymeet.interfaces.quality.report_writer import write_report
    from waymeet.interfaces.quality.text_report import remark_lines, summary_lines

    for path in options.reports:
        write_report(path, report)
    if options.as_json:
        print_json(report)
    else:
        print_lines([*summary_lines(report), *remark_lines(report)])
