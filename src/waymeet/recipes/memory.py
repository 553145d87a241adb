"""The recipe `memory`: three lists fused by rank, weighted by recency and importance."""

from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.rank.memory import (
    apply_settings_switches,
    boost_triggers,
    classify_intent,
    collapse_to_documents,
    fuse_memory,
    group_contradictions,
    walk_links,
    weigh_by_intent,
)
from waymeet.search.rank.rerank import rerank, sort_by_reranker
from waymeet.search.retrieve.first_stage import lexical, trim_lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling

MEMORY = Recipe(
    name="memory",
    description="Documents by lexical, vector and link rank; the query's intent weighs recency and importance.",
    stages=(
        understand,
        correct_spelling,
        expand_acronyms,
        relax_phrases,
        classify_intent,
        lexical,
        vector,
        trim_lexical,
        apply_settings_switches,
        collapse_to_documents,
        boost_triggers,
        walk_links,
        fuse_memory,
        weigh_by_intent,
        rerank,
        sort_by_reranker,
        apply_feedback,
        group_contradictions,
    ),
)
