"""The stage table: the settings that each stage declares are all that it reads."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pytest
from msgspec import Struct, to_builtins
from msgspec.structs import replace
from support.corpus import FixedEmbedder, Page, store_of

from waymeet.analysis.embedded.space_names import part_space
from waymeet.evaluate.collection import load_collection
from waymeet.evaluate.indexing import collect_feedback, index_files
from waymeet.recipes import RECIPES
from waymeet.recipes.stage_table import READS, SIGNALS, STAGES
from waymeet.search.pipeline import run_stages, stage_name
from waymeet.search.state import Recipe, Search, Stage, Tools
from waymeet.settings import Bm25, Layer, Settings, resolve
from waymeet.settings.layers import list_keys
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Filters, Query

if TYPE_CHECKING:
    from waymeet.ports import Vector

pytestmark = pytest.mark.slow

VAULT = Path(__file__).parents[3] / "benchmarks" / "vault"


class LettersEmbedder:
    """Embed a text by its letters: similar words get similar vectors, without a model."""

    space, dimension = "letters", 26

    def supports_language(self, language: str) -> bool:
        del language
        return True

    def embed_query(self, text: str) -> "Vector":
        counts = np.array([1.0 + text.lower().count(chr(97 + place)) for place in range(26)], dtype=np.float32)
        return cast("Vector", counts / np.linalg.norm(counts))

    def embed_passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        return [self.embed_query(text) for text in texts]


class EnglishEmbedder(LettersEmbedder):
    """A main model for English only."""

    space = "english"

    def supports_language(self, language: str) -> bool:
        return not language


class WideEmbedder(LettersEmbedder):
    """A model for every language with vectors long enough for parts of sections."""

    space, dimension = "wide", 64

    def embed_query(self, text: str) -> "Vector":
        return np.resize(super().embed_query(text), 64)


class LengthReranker:
    name = "length"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        del query
        return [min(len(text), 1000) / 1000 for text in texts]


class FixedExpander:
    name = "fixed"

    def expand(self, query: str, number: int) -> Sequence[str]:
        return [f"{query} explained", "release checklist"][:number]


class RecordingSettings:
    """Settings, or a section of them, that record the keys that are read."""

    def __init__(self, values: Struct, keys: set[str], prefix: str = "") -> None:
        self._values, self._keys, self._prefix = values, keys, prefix

    def __getattr__(self, name: str) -> object:
        method = getattr(type(self._values), name, None)
        if callable(method):
            return partial(method, self)  # a method reads attributes of the section, too
        value = getattr(self._values, name)
        if isinstance(value, Struct) and not isinstance(value, Bm25):
            return RecordingSettings(value, self._keys, f"{self._prefix}{name}.")
        # Stores get BM25's settings as a whole, so all of them count as read.
        self._keys.add(f"{self._prefix}{name}" + "." * isinstance(value, Bm25))
        return value


class Case(NamedTuple):
    recipe: Recipe
    query: Query
    settings: Settings


def short_texts() -> Tools:
    """Index texts of a few words that contradict each other."""
    return Tools(
        store_of({"a.md": Page(("Ada: tea is hot",), links=("b.md|contradicts",)), "b.md": "Ada: tea is cold"})
    )


def copies() -> Tools:
    """Index a page in two formats."""
    return Tools(store_of({"a.md": "tea is weighed by the gram", "a.html": "tea is weighed by the gram"}))


def japanese() -> Tools:
    """Index pages in a language that only the second model supports."""
    pages = {"a.md": "鍵は引き出しにあります", "b.md": "お茶は熱いです"}
    return Tools(store_of(pages, {"b.md": [(1.0, 0.0)]}), (EnglishEmbedder(), FixedEmbedder((1.0, 0.0))))


def sentences() -> Tools:
    """Index pages that two models have compared, one of them by sentences."""
    first, second = EnglishEmbedder(), WideEmbedder()
    pages = {"a.md": "tea is hot", "b.md": "cold water"}
    store = store_of(pages)
    store.put_vectors(first.space, {f"{path}#L1-L1": first.embed_query(text) for path, text in pages.items()})
    parts = {f"{path}#L1-L1": second.embed_query(text) for path, text in pages.items()}
    store.put_vectors(part_space(second.space, ""), parts)
    return Tools(store, (first, second))


@pytest.fixture(scope="module")
def vault() -> Tools:
    collection = load_collection(VAULT, "")
    store, embedder = MemoryStore(), LettersEmbedder()
    index_files(store, collection, Settings())
    chunks = [chunk for each in store.chunks_of(store.fingerprints()).values() for chunk in each]
    vectors = embedder.embed_passages([chunk.text for chunk in chunks])
    store.put_vectors(embedder.space, dict(zip([chunk.id for chunk in chunks], vectors, strict=True)))
    feedback = collect_feedback(collection, store)
    return Tools(store, (embedder,), LengthReranker(), FixedExpander(), feedback=feedback, reranker_cache={})


def cases() -> Iterator[Case]:
    kinds = {each.id.partition("-")[0]: each.text for each in load_collection(VAULT, "").queries}
    texts = list(kinds.values())
    for recipe in RECIPES.values():
        settings = resolve((Layer(recipe.name, recipe.overrides),))
        for mode in recipe.modes or ("",):
            for text in texts:
                yield Case(recipe, Query(text, mode=mode, explain=True), settings)
    memory = RECIPES["memory"]
    for switch in ("rrf", "lexical"):
        yield Case(memory, Query(texts[0]), replace(Settings(), memory=replace(Settings().memory, **{switch: False})))
    classic = RECIPES["classic"]
    yield Case(classic, Query(texts[0]), replace(Settings(), classic=replace(Settings().classic, fusion="linear")))
    yield Case(RECIPES["auto"], Query("データベース"), Settings())
    typed = Query("release", filters=Filters(doc_types=("guide",)), depth=2)
    yield from (Case(recipe, typed, Settings()) for recipe in RECIPES.values())


def record(stage: Stage, read: defaultdict[str, set[str]], worked: set[str]) -> Stage:
    """Wrap a stage so that the settings it reads are recorded."""
    name = stage_name(stage)

    def run(search: Search, tools: Tools, settings: Settings) -> Search:
        after = stage(search, tools, cast("Any", RecordingSettings(settings, read[name])))
        if after.skipped is None:
            worked.add(name)
        return after

    return run


def test_a_stage_reads_no_setting_that_it_does_not_declare(vault: Tools) -> None:
    read: defaultdict[str, set[str]] = defaultdict(set)
    worked: set[str] = set()
    searches = [(case, vault) for case in cases()]
    searches += [(Case(RECIPES[name], Query("Ada: tea"), Settings()), short_texts()) for name in ("auto", "memory")]
    searches += [(Case(RECIPES["auto"], Query("open_no_such_thing()"), Settings()), vault)]
    searches.append((Case(RECIPES["auto"], Query("tea"), Settings()), copies()))
    searches.append((Case(RECIPES["auto"], Query("tea"), Settings()), sentences()))
    searches.append((Case(RECIPES["neighbours"], Query("鍵はどこですか"), Settings()), japanese()))
    for case, tools in searches:
        recipe = replace(case.recipe, stages=tuple(record(stage, read, worked) for stage in case.recipe.stages))
        run_stages(recipe, case.query, tools, case.settings)
    undeclared = {
        (name, key)
        for name, keys in read.items()
        for key in keys
        if not any(key == declared or (declared[-1] == "." and key.startswith(declared)) for declared in READS[name])
    }
    assert not undeclared
    assert worked == STAGES.keys(), "every stage did its work at least once"


def test_every_declared_setting_exists() -> None:
    known = [key for key, _ in list_keys(to_builtins(Settings()))]
    for declared in (*READS.values(), *SIGNALS.values()):
        for key in declared:
            assert any(other.startswith(key) if key.endswith(".") else other == key for other in known), key
