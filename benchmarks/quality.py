"""How good answers are on labelled collections: `python benchmarks/quality.py FOLDER…`.

A collection is a folder with `corpus.jsonl` ({id, title, text, [path], [links]}), `queries.jsonl` ({id, text, [scope]})
and `qrels.tsv` (query, document, score, with a header). Documents are not split into sections. Prints nDCG@10 and the
part of relevant documents among the first five, for plain BM25 over title and text, for `auto` without and with links,
and for `classic` by words.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from waymeet.analysis import count, titled
from waymeet.recipes import RECIPES
from waymeet.search.state import Tools, run
from waymeet.settings import Layer, resolve
from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Chunk, Document, Entry, Filters, Link, Query

BATCH = 500
MOST_QUERIES = 300


class Variant(NamedTuple):
    """One way to answer."""

    recipe: str
    overrides: dict[str, Any]
    depth: int | None = None
    mode: str = ""


PLAIN = {"bm25": {"fields": dict.fromkeys(("headings", "path", "tags", "properties", "triggers", "inbound"), 0.0)}}
VARIANTS = {
    "plain": Variant("classic", {"bm25": {"fields": {**PLAIN["bm25"]["fields"], "title": 1.0}}}, mode="bm25_only"),
    "classic": Variant("classic", {}, mode="bm25_only"),
    "auto, no hop": Variant("auto", {}, depth=0),
    "auto": Variant("auto", {}),
}


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def sentence(text: str, title: str) -> str:
    """Find the sentence that mentions a title."""
    at = text.find(title) if title else -1
    if at < 0:
        return ""
    start, end = text.rfind(". ", 0, at) + 1, text.find(". ", at)
    return text[start : end if end > 0 else len(text)][:400]


def entries(corpus: list[dict[str, Any]]) -> Iterator[Entry]:
    """Turn documents into what a store takes, each as one chunk."""
    titles = {each["id"]: each.get("title") or "" for each in corpus}
    for each in corpus:
        id_, text, path = each["id"], each["text"], each.get("path") or ""
        links = tuple(
            Link(
                (f"p:{to}",), terms=count(f"{titles[id_]}\n{titles.get(to, '')}\n{sentence(text, titles.get(to, ''))}")
            )
            for to in each.get("links", ())
        )
        names = tuple(filter(None, (f"p:{id_}", titled(titles[id_]), f"n:{path.rpartition('/')[2].casefold()}")))
        yield Entry(
            Document(id_, "docs", titles[id_], names=names),
            (Chunk(f"{id_}#L1-L1", id_, 0, 1, 1, text),),
            {"title": count(titles[id_]), "path": count(path)},
            ({"body": count(text)},),
            links,
        )


def filled(folder: Path, index: Path) -> SqliteStore:
    """Put a collection into a store."""
    store = SqliteStore.open(index, create=True)
    made = list(entries(list(lines(folder / "corpus.jsonl"))))
    for start in range(0, len(made), BATCH):
        store.put(made[start : start + BATCH])
    return store


def relevant(folder: Path) -> dict[str, dict[str, float]]:
    """Read which documents answer which query, and how well."""
    found: dict[str, dict[str, float]] = {}
    for row in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = row.split("\t")
        if float(score) > 0:
            found.setdefault(query, {})[document] = float(score)
    return found


def measured(folder: Path, store: SqliteStore, variant: Variant) -> tuple[float, float]:
    """Give the mean nDCG@10 and R@5 of one way to answer."""
    recipe, judged = RECIPES[variant.recipe], relevant(folder)
    settings = resolve((Layer("recipe", recipe.overrides), Layer("variant", variant.overrides)))
    gains, recalls = [], []
    for query in [each for each in lines(folder / "queries.jsonl") if each["id"] in judged][:MOST_QUERIES]:
        scope = query.get("scope", "").rstrip("/")
        asked = Query(query["text"], depth=variant.depth, mode=variant.mode, filters=Filters((scope,) if scope else ()))
        search, _ = run(recipe, asked, Tools(store), settings)
        found = list(dict.fromkeys(each.document for each in search.candidates))[:10]
        right = judged[query["id"]]
        ideal = sorted(right.values(), reverse=True)[:10]
        gains.append(_gain([right.get(each, 0.0) for each in found]) / _gain(ideal))
        recalls.append(sum(each in right for each in found[:5]) / len(right))
    return sum(gains) / len(gains), sum(recalls) / len(recalls)


def _gain(scores: list[float]) -> float:
    return sum(score / log2(rank + 2) for rank, score in enumerate(scores))


def main(folders: list[str]) -> None:
    """Print one row for each collection."""
    print("| collection | " + " | ".join(VARIANTS) + " |\n|---|" + "---|" * len(VARIANTS))
    for folder in sorted(map(Path, folders)):
        if (folder / "corpus.jsonl").is_file():
            with tempfile.TemporaryDirectory() as place:
                store = filled(folder, Path(place) / "index.sqlite")
                row = [measured(folder, store, variant) for variant in VARIANTS.values()]
                store.close()
            print(
                f"| {folder.name} | " + " | ".join(f"{gain:.3f} · {recall:.3f}" for gain, recall in row) + " |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
