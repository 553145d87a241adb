"""`waymeet eval`."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from waymeet.interfaces.cli.common import bars, json_option, print_json, print_lines, say
from waymeet.interfaces.present import Line

if TYPE_CHECKING:
    from waymeet.evaluate.collection import Collection
    from waymeet.evaluate.measures import Worth
    from waymeet.evaluate.running import Run
    from waymeet.search.state import Recipe


_EPILOG = """\b
Examples:
  waymeet eval my-collection
  waymeet eval a b --recipe auto,classic:bm25_only,threeway
  waymeet eval my-collection --runs answers.jsonl     {"id": query, "hits": [document ids]}
"""


@click.command(short_help="Measure recipes on test collections.", epilog=_EPILOG)
@click.argument("folders", nargs=-1, required=True, metavar="COLLECTION…", type=click.Path(path_type=Path))
@click.option("--recipe", "recipes", default="auto", show_default=True, metavar="A,B:MODE", help="What to compare.")
@click.option("--runs", type=click.Path(path_type=Path, dir_okay=False), help="Write the answers as JSON lines.")
@click.option("--trec", type=click.Path(path_type=Path, dir_okay=False), help="Write the answers as a TREC run.")
@click.option("--set", "flags", multiple=True, metavar="KEY=VALUE", help="Change a setting for this call.")
@json_option
def command(
    folders: tuple[Path, ...], recipes: str, runs: Path | None, trec: Path | None, flags: tuple[str, ...], as_json: bool
) -> int:
    """Measure how good recipes are on test collections, and how fast.

    A collection is a folder with corpus.jsonl ({id, title, text, [path], [links]}), queries.jsonl ({id, text,
    [scope]}) and qrels.tsv (query, document, score). It is indexed in a temporary place. Measured are nDCG@10, R@5,
    R@10 and RR@10 (the mean reciprocal rank of the first right document), which need `pip install 'waymeet[eval]'`.
    """
    chosen = [_chosen(each) for each in recipes.split(",") if each.strip()]
    several = len(folders) * len(chosen) > 1
    worth: list[Worth] = []
    for folder in folders:
        for collection, run in _runs(folder, chosen, flags):
            _write(runs, trec, collection, run, several=several)
            worth += _worth(collection, run, needed=not (runs or trec))
    if as_json:
        print_json(worth)
    else:
        print_lines(_table(worth))
    return 0


def _chosen(text: str) -> "tuple[Recipe, str]":
    from waymeet.recipes import recipe_named

    name, _, mode = text.strip().partition(":")
    return recipe_named(name), mode


def _runs(
    folder: Path, chosen: "Sequence[tuple[Recipe, str]]", flags: tuple[str, ...]
) -> "Iterator[tuple[Collection, Run]]":
    from waymeet.evaluate.collection import load
    from waymeet.evaluate.filling import fill
    from waymeet.evaluate.running import answered
    from waymeet.project import Project

    collection = load(folder)
    with (
        tempfile.TemporaryDirectory(prefix="waymeet-eval-") as place,
        bars("Indexing", "Embedding", "Asking") as (reading, embedding, asking),
        Project.open(_made(Path(place, "project")), index=Path(place, "index.db"), flags=flags) as project,
    ):
        chunking = project.settings.chunking
        tools = project.filled(lambda store: fill(store, collection, chunking, reading), embedding)
        for recipe, mode in chosen:
            yield (
                collection,
                answered(recipe, collection, tools, project.settings_for(recipe.name), mode=mode, progress=asking),
            )


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _worth(collection: "Collection", run: "Run", *, needed: bool) -> "list[Worth]":
    from waymeet.errors import CollectionError
    from waymeet.evaluate.measures import measured

    try:
        return [measured(collection, run)]
    except CollectionError as error:
        if needed:
            raise
        say(f"Not measured: {error}", err=True)
        return []


def _write(runs: Path | None, trec: Path | None, collection: "Collection", run: "Run", *, several: bool) -> None:
    from waymeet.evaluate.measures import trec as as_trec

    def place(path: Path) -> Path:
        return path.with_stem(f"{path.stem}.{collection.name}.{run.name.replace(':', '-')}") if several else path

    if runs:
        rows = ({"id": query, "hits": [document for document, _ in hits]} for query, hits in run.ranked.items())
        place(runs).write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    if trec:
        place(trec).write_text("".join(f"{row}\n" for row in as_trec(run)), encoding="utf-8")


def _table(worth: "Sequence[Worth]") -> Iterator[Line]:
    from waymeet.evaluate.measures import NAMES

    if not worth:
        return
    first = max(len(each.collection) for each in worth)
    second = max(len("recipe"), *(len(each.recipe) for each in worth))
    head = "".join(f"{name:>9}" for name in NAMES)
    yield [(f"{'collection':{first}}  {'recipe':{second}}  queries{head}   p50 ms   p95 ms", "bold")]
    for each in worth:
        values = "".join(f"{each.measures[name]:9.4f}" for name in NAMES)
        yield [
            (f"{each.collection:{first}}  ", ""),
            (f"{each.recipe:{second}}", "cyan"),
            (f"  {each.queries:7}{values}{each.p50_ms:9.2f}{each.p95_ms:9.2f}", ""),
        ]
