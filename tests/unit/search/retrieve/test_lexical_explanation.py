"""Explanations of lexical scores name the inputs of every formula."""

import re
from collections.abc import Iterator
from math import log

import pytest
from support.corpus import Page, store_of

from waymeet.recipes import RECIPES
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Bm25, Settings
from waymeet.types import Explanation, Query

PAGES = {
    "a.md": Page(("rank fusion", "rank rank rank"), title="Rank", tags=("fusion",)),
    "b.md": Page(("a list of lists and of ranks",), title="Lists", links=("a.md",)),
    "c.md": Page(("something else",), triggers=("rank it",)),
}


def leaves(tree: Explanation) -> Iterator[Explanation]:
    if not tree.parts:
        yield tree
    for part in tree.parts:
        yield from leaves(part)


def inputs(description: str) -> dict[str, float]:
    """Read the inputs that follow a formula, such as `N = 4, n = 2`."""
    return {name: float(number) for name, number in re.findall(r"\b(\w+) = ([0-9.]+)", description)}


@pytest.mark.parametrize("k1", [0.0, 0.8, 1.2])
@pytest.mark.parametrize("text", ["rank", "fusion lists", "ran* list", "rnak fusion"])
def test_idf_and_tf_can_be_recomputed_from_what_is_shown(text: str, k1: float) -> None:
    settings = Settings(bm25=Bm25(k1=k1))
    answer = answer_query(
        RECIPES["classic"], Query(text, mode="bm25_only", explain=True), Tools(store_of(PAGES)), settings
    )
    shown = [leaf for hit in answer.hits if hit.explanation for leaf in leaves(hit.explanation)]
    idfs = [leaf for leaf in shown if leaf.description.startswith("idf = ")]
    tfs = [leaf for leaf in shown if leaf.description.startswith("tf = ")]
    assert len(idfs) == len(tfs) > 0
    for leaf in idfs:
        known = inputs(leaf.description)
        assert known["N"] == 4
        assert leaf.value == pytest.approx(log(1 + (known["N"] - known["n"] + 0.5) / (known["n"] + 0.5)))
    for leaf in tfs:
        known = inputs(leaf.description)
        assert known["k1"] == k1
        frequency = known.get("f", 1.0)  # with k1 = 0 the frequency has no effect
        assert leaf.value == pytest.approx(frequency * (k1 + 1) / (frequency + k1), rel=1e-3)
