"""All there is to ask: words first, other wordings unless words are clear, lists fused, the best read again."""

from waymeet.recipes.classic import CLASSIC
from waymeet.search.fuse.deep import blend_positions, fuse_all, strong_signal
from waymeet.search.rank.feedback import correct
from waymeet.search.rank.rerank import rerank
from waymeet.search.retrieve.expansion import ask_all, expand
from waymeet.search.retrieve.first_stage import lexical
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax, understand
from waymeet.search.understand.spelling import repair

DEEP = Recipe(
    name="deep",
    description="BM25 and vectors for the question and other wordings of it, fused by rank, the best read by a model.",
    stages=(
        understand,
        repair,
        expand_acronyms,
        relax,
        lexical,
        strong_signal,
        expand,
        ask_all,
        fuse_all,
        rerank,
        blend_positions,
        correct,
    ),
    overrides={**CLASSIC.overrides, "shape": {"snippet_chars": 200, "whole_text": True}},
    modes=("deep",),
)
