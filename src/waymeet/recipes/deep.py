"""The recipe `deep`: query expansion, rank fusion of all wordings, reranking."""

from waymeet.recipes.classic import CLASSIC
from waymeet.search.fuse.deep import blend_reranker, fuse_variants, strong_signal
from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.rank.rerank import rerank
from waymeet.search.retrieve.expansion import expand, retrieve_variants
from waymeet.search.retrieve.first_stage import lexical
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling

DEEP = Recipe(
    name="deep",
    description="BM25 and vectors for the query and alternative wordings, fused by rank, the best reranked by a model.",
    stages=(
        understand,
        correct_spelling,
        expand_acronyms,
        relax_phrases,
        lexical,
        strong_signal,
        expand,
        retrieve_variants,
        fuse_variants,
        rerank,
        blend_reranker,
        apply_feedback,
    ),
    overrides={**CLASSIC.overrides, "shape": {"snippet_chars": 200, "whole_text": True}},
    modes=("deep",),
)
