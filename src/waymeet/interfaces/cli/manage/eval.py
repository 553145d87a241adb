"""`waymeet eval`."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from waymeet.interfaces.cli import ROOT
from waymeet.interfaces.cli.common import bars, json_option, print_json, print_lines, say
from waymeet.interfaces.cli.help import manual

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from waymeet.evaluate.collection import Collection
    from waymeet.evaluate.run import Run
    from waymeet.interfaces.quality.bench import Bench, Taken
    from waymeet.interfaces.quality.evaluation import Evaluation
    from waymeet.interfaces.quality.report import Report
    from waymeet.ports import Progress
    from waymeet.search.state import Recipe

_FEWEST = 3
"""Collections without which leaving one out says nothing."""
_EPILOG = manual(
    """
    waymeet eval --mine                                 how good is it for this project?
    waymeet eval my-collection
    waymeet eval my-questions --runs answers.jsonl      corpus/ is your folder, the questions are yours
    waymeet eval sets/* --recipe auto,classic:bm25_only --report q.html
    waymeet eval sets/* --plain --recipe auto,auto:words    beside plain BM25, and without models
    waymeet eval my-collection --ablate                 what is each part worth?
    waymeet eval sets/* --sample 60 --leave-one-out     are the weights fitted to one of them?
    waymeet eval my-collection --beside theirs.trec     a run of another program
    waymeet eval --qrels qrels.txt --beside a.trec --beside b.trec
    waymeet eval my-collection --save-baseline good.json
    waymeet eval my-collection --fail-below good.json   for continuous integration
    waymeet eval my-collection --runs answers.jsonl     {"id", "text", "right": [ids], "hits": [ids]}
    """,
    exits={0: "measured", 1: "below what --fail-below wants", 3: "a model or the index cannot be used"},
    see="waymeet tune, waymeet recipes",
)


@click.command(short_help="Measure recipes on test collections, or on your own project.", epilog=_EPILOG)
@click.argument("folders", nargs=-1, metavar="[COLLECTION…]", type=click.Path(path_type=Path))
@click.option("--mine", is_flag=True, help="Ask what your project says of itself; COLLECTION is its folder then.")
@click.option(
    "--most", default=100, show_default=True, type=click.IntRange(5, 5000), help="Questions of each kind for --mine."
)
@click.option(
    "--recipe",
    "recipes",
    default="auto",
    show_default=True,
    metavar="A,B:MODE",
    help="What to compare; every recipe has the mode words, without models.",
)
@click.option("--mode", default="", help="The mode of all recipes that are named without one.")
@click.option("--plain", is_flag=True, help="Compare with plain BM25 over whole documents.")
@click.option(
    "--sample",
    default=0,
    metavar="N",
    type=click.IntRange(0),
    help="Ask at most N questions of each collection, always the same.",
)
@click.option("--misspell", is_flag=True, help="Make one slip in the longest word of every question.")
@click.option("--ablate", is_flag=True, help="Leave out each stage and signal of a recipe in turn.")
@click.option(
    "--leave-one-out", is_flag=True, help="Tune weights of auto without each collection, and judge them on it."
)
@click.option(
    "--beside",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Measure a TREC run, too. Repeatable.",
)
@click.option("--qrels", type=click.Path(path_type=Path, dir_okay=False), help="Judgements alone, for --beside.")
@click.option("--split", default="", help="Which of qrels/*.tsv [default: test, dev, train, the first that is there].")
@click.option(
    "--limit",
    default=10,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Results asked for; more make R@100 fairer and answers slower.",
)
@click.option("--whole", is_flag=True, help="Leave documents whole instead of cutting them into sections.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a report; the ending says which: .html, .md or .json. Repeatable.",
)
@click.option("--save-baseline", type=click.Path(path_type=Path, dir_okay=False), help="Keep the figures in a file.")
@click.option(
    "--fail-below",
    metavar="FILE|NUMBER",
    default="",
    help="End with 1 if nDCG@10 is below a number, or below kept figures beyond noise.",
)
@click.option("--runs", type=click.Path(path_type=Path, dir_okay=False), help="Write the answers as JSON lines.")
@click.option("--trec", type=click.Path(path_type=Path, dir_okay=False), help="Write the answers as a TREC run.")
@click.option(
    "-C",
    "--project",
    "root",
    type=click.Path(path_type=Path, readable=False),
    help="The project whose own recipes can be named [default: this one].",
)
@click.option("--set", "flags", multiple=True, metavar="KEY=VALUE", help="Change a setting for this call.")
@json_option
def command(
    folders: tuple[Path, ...],
    mine: bool,
    most: int,
    recipes: str,
    mode: str,
    plain: bool,
    sample: int,
    misspell: bool,
    ablate: bool,
    leave_one_out: bool,
    beside: tuple[Path, ...],
    qrels: Path | None,
    split: str,
    limit: int,
    whole: bool,
    reports: tuple[Path, ...],
    save_baseline: Path | None,
    fail_below: str,
    runs: Path | None,
    trec: Path | None,
    root: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Measure how good recipes are, and how fast: on test collections, or on your own project with --mine.

    A collection is a folder with corpus.jsonl ({id, title, text, [path], [links]}), queries.jsonl ({id, text,
    [scope]}) and qrels.tsv (query, document, score); BEIR's folders and TREC's qrels.txt will do, too. It is indexed in
    a temporary place, with your settings, not a project's. Recipes of your own are those of the project.

    In place of corpus.jsonl there may be a folder corpus/ with files as they are, or a link to one: they are read as a
    project's files are. Judged is then a path below it, or a place in a file: docs/setup.md#keys, src/a.py#rotate.
    feedback.jsonl ({query, right: [ids], wrong: [ids]}) says what was told before the questions are asked.

    --mine asks what a project says of its own parts: the texts of links, headings, first sentences of docstrings and
    subjects of commits. These texts are withheld from the temporary index that is asked. Names of files and symbols are
    asked for as well, just as they are.

    nDCG@10 looks at the first ten documents and their order, R@n at which part of the right ones is among the first n,
    all-gold@5 at whether all of them are among five, MRR@10 at the place of the first. Intervals hold 95 of 100 means
    over such queries; recipes are compared with the first one query by query (paired bootstrap).

    --leave-one-out moves each weight of auto where that gains on the other collections, and compares the result with
    the weights that are set on the collection that had no part in it: within noise, these are not fitted to it.
    """
    from waymeet.interfaces.quality.bench import Taken
    from waymeet.interfaces.quality.evaluation import Evaluation, Wanted
    from waymeet.interfaces.quality.report import form

    for path in reports:
        form(path)  # better said now than after an hour
    root = folders[0] if mine and folders else root or click.get_current_context().meta.get(ROOT)
    limits = _bound(fail_below)
    if (mine or qrels) and (plain or sample or misspell or leave_one_out):
        raise click.UsageError("--plain, --sample, --misspell and --leave-one-out need collections.")
    wanted = Wanted([] if qrels else _chosen(recipes, mode, root), beside, limit, ablate, plain)
    with bars("Indexing", "Embedding", "Asking", "Leaving out", "Tuning") as shown:
        reading, embedding, asking, leaving, tuning = shown
        if qrels:
            benches, names = _judgements(qrels, folders, beside)
        elif mine:
            benches, names = _own(root, folders, flags, most, reading, embedding)
        else:
            kept = _kept(folders, fewest=_FEWEST if leave_one_out else 1)
            benches = _benches(kept, flags, reading, embedding, Taken(split, whole, sample, plain, slips=misspell))
            names = list(kept)
        # Row by row: many collections take a while.
        evaluation = Evaluation(wanted, names, asking, leaving, None if as_json else print_lines)
        several = len(names) * (len(wanted.recipes) + plain) > 1

        def write(collection: "Collection", run: "Run") -> None:
            _write(runs, trec, collection, run, several=several)

        if leave_one_out:
            _asked_together(evaluation, benches, write, tuning)
        else:
            for each in benches:
                with each as bench:
                    for found in evaluation.carried_out(bench):
                        write(*found)
    report = evaluation.report(limits)
    if save_baseline:
        from waymeet.evaluate import baseline as baselines

        baselines.save_baseline(save_baseline, evaluation.found)
    _tell(report, reports, as_json=as_json)
    return 1 if report.failures else 0


def _asked_together(
    evaluation: "Evaluation",
    benches: "Iterable[AbstractContextManager[Bench]]",
    write: "Callable[[Collection, Run], None]",
    tuning: "Progress | None",
) -> None:
    """Ask all collections, then leave out one after the other, for which all must stay open."""
    with ExitStack() as opened:
        every: list[Bench] = []
        for each in benches:
            bench = opened.enter_context(each)
            every.append(bench.sharing(every[0]) if every else bench)  # one pair of models in memory is enough
            for found in evaluation.carried_out(every[-1]):
                write(*found)
        evaluation.leave_out(every, tuning)


def _judgements(
    qrels: Path, folders: tuple[Path, ...], beside: tuple[Path, ...]
) -> "tuple[Iterator[AbstractContextManager[Bench]], list[str]]":
    """Take judgements alone, by which runs of others are measured."""
    _no_folders(folders, "--qrels")
    if not beside:
        raise click.UsageError("--qrels are judgements: name the runs to be judged with --beside.")
    return iter([_judged(qrels)]), [qrels.stem]


def _own(
    root: Path | None,
    folders: tuple[Path, ...],
    flags: tuple[str, ...],
    most: int,
    reading: "Progress | None",
    embedding: "Progress | None",
) -> "tuple[Iterator[AbstractContextManager[Bench]], list[str]]":
    """Take what the user's own project says of itself."""
    from waymeet.evaluate.mining import KINDS
    from waymeet.interfaces.quality.bench import project_bench

    _no_folders(folders[1:], "--mine")
    return iter([project_bench(root, flags, most, reading, embedding)]), list(KINDS)


def _chosen(written: str, mode: str, root: Path | None) -> "list[tuple[Recipe, str]]":
    """Look up recipes by name; only one of the user's own needs the project that describes it."""
    from waymeet.project import Project
    from waymeet.recipes import RECIPES, find_recipe

    found = []
    for each in filter(None, map(str.strip, written.split(","))):
        name, _, own_mode = each.partition(":")
        recipe = RECIPES[name] if name in RECIPES else find_recipe(name, Project.open(root).settings.recipes)
        found.append((recipe, own_mode or mode))
    if not found:
        raise click.UsageError("--recipe names no recipe.")
    return found


def _bound(written: str) -> "float | Path | None":
    """Read what answers must not fall below: a number, or the file of kept figures, which must be one."""
    if not written:
        return None
    try:
        return float(written)
    except ValueError:
        from waymeet.evaluate.baseline import load_baseline

        load_baseline(Path(written))  # better said now than after an hour
        return Path(written)


def _benches(
    folders: "Mapping[str, Path]",
    flags: tuple[str, ...],
    reading: "Progress | None",
    embedding: "Progress | None",
    taken: "Taken",
) -> "Iterator[AbstractContextManager[Bench]]":
    from waymeet.interfaces.quality.bench import collection_bench

    return (
        collection_bench(each, flags, reading, embedding, taken._replace(name=name)) for name, each in folders.items()
    )


def _kept(folders: tuple[Path, ...], fewest: int) -> dict[str, Path]:
    """Give the folders among what was named, each by a name that no other has."""
    if not folders:
        raise click.UsageError("Name a collection, or add --mine to measure on this project.")
    kept = [folder for folder in folders if not folder.is_file()]
    if len(kept) < len(folders):
        say(f"Passed over: {', '.join(folder.name for folder in folders if folder.is_file())}", err=True)
    if not kept:
        raise click.UsageError("None of these is a folder.")
    found: dict[str, Path] = {}
    for folder in dict.fromkeys(each.resolve() for each in kept):
        longer = ("/".join(folder.parts[-length:]) for length in range(1, len(folder.parts) + 1))
        found[next((name for name in longer if name not in found), str(folder))] = folder
    if len(found) < fewest:
        raise click.UsageError(f"--leave-one-out needs {fewest} collections or more.")
    return found


def _no_folders(folders: tuple[Path, ...], option: str) -> None:
    if folders:
        raise click.UsageError(f"{option} leaves no room for {folders[0]}.")


def _judged(qrels: Path) -> "AbstractContextManager[Bench]":
    """Give judgements that are to be held against runs of others alone."""
    from contextlib import nullcontext

    from waymeet.evaluate.collection import load_judgements
    from waymeet.interfaces.quality.bench import Bench
    from waymeet.search.state import Tools
    from waymeet.stores.memory.store import MemoryStore

    return nullcontext(Bench((load_judgements(qrels),), Tools(MemoryStore()), ()))


def _write(runs: Path | None, trec: Path | None, collection: "Collection", run: "Run", *, several: bool) -> None:
    from waymeet.evaluate.trec import format_run

    def place(path: Path) -> Path:
        return path.with_stem(f"{path.stem}.{collection.name}.{run.name.replace(':', '-')}") if several else path

    if runs:
        rows = (
            {
                "id": query.id,
                "text": query.text,
                "right": [document for document, score in collection.qrels[query.id].items() if score > 0],
                "hits": [document for document, _ in run.ranked.get(query.id, ())],
            }
            for query in collection.queries
        )
        place(runs).write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    if trec:
        place(trec).write_text("".join(f"{row}\n" for row in format_run(run)), encoding="utf-8")


def _tell(report: "Report", reports: tuple[Path, ...], *, as_json: bool) -> None:
    from waymeet.interfaces.quality.report import write
    from waymeet.interfaces.quality.text_report import all_differences, remarks

    for path in reports:
        write(path, report)
    if as_json:
        print_json(report)
    else:
        print_lines([*all_differences(report), *remarks(report)])
