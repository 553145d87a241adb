"""The stages that a recipe can be made of: what each needs before it, and what it provides."""

from collections.abc import Mapping
from typing import NamedTuple

from waymeet.search.fuse.deep import blend_reranker, fuse_variants, strong_signal
from waymeet.search.fuse.fusion import apply_type_filter, fuse, fuse_three_way
from waymeet.search.fuse.weighted_sum import aggregate_sections, limit_per_document, weighted_sum
from waymeet.search.pipeline import stage_name
from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.rank.graph_boost import boost_linked, boost_shared_names
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
from waymeet.search.rank.name_match import boost_definitions, boost_name_match
from waymeet.search.rank.neighbours import (
    cut_off,
    fuse_normalised,
    group_by_file,
    only_skills,
    select_seeds,
    spread_activation,
)
from waymeet.search.rank.rerank import rerank, sort_by_reranker
from waymeet.search.rank.translations import collapse_translations
from waymeet.search.retrieve.expansion import expand, retrieve_variants
from waymeet.search.retrieve.first_stage import adapt_length_norm, defer_type_filter, graph_proximity, lexical, vector
from waymeet.search.state import Stage
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling

WORDS, LIST, CANDIDATES, JUDGED = "words", "a ranked list", "candidates", "a reranker's judgement"


class StageRow(NamedTuple):
    """A stage with what it needs and what it provides."""

    stage: Stage
    needs: str = ""
    gives: str = ""


_PARTS = (
    StageRow(only_skills),
    StageRow(understand, gives=WORDS),
    StageRow(correct_spelling, WORDS),
    StageRow(expand_acronyms, WORDS),
    StageRow(relax_phrases, WORDS),
    StageRow(classify_intent),
    StageRow(defer_type_filter),
    StageRow(adapt_length_norm),
    StageRow(lexical, WORDS, LIST),
    StageRow(vector, gives=LIST),
    StageRow(strong_signal, LIST),
    StageRow(expand, WORDS),
    StageRow(retrieve_variants, WORDS, LIST),
    StageRow(apply_settings_switches, LIST),
    StageRow(collapse_to_documents, LIST),
    StageRow(boost_triggers, LIST),
    StageRow(graph_proximity, LIST),
    StageRow(walk_links, LIST),
    StageRow(fuse, LIST, CANDIDATES),
    StageRow(fuse_three_way, LIST, CANDIDATES),
    StageRow(fuse_memory, LIST, CANDIDATES),
    StageRow(fuse_normalised, LIST, CANDIDATES),
    StageRow(fuse_variants, LIST, CANDIDATES),
    StageRow(weighted_sum, LIST, CANDIDATES),
    StageRow(aggregate_sections, CANDIDATES),
    StageRow(boost_name_match, CANDIDATES),
    StageRow(boost_definitions, CANDIDATES),
    StageRow(boost_shared_names, CANDIDATES),
    StageRow(boost_linked, CANDIDATES),
    StageRow(collapse_translations, CANDIDATES),
    StageRow(select_seeds, CANDIDATES),
    StageRow(spread_activation, CANDIDATES),
    StageRow(group_by_file, CANDIDATES),
    StageRow(weigh_by_intent, CANDIDATES),
    StageRow(apply_type_filter, CANDIDATES),
    StageRow(rerank, CANDIDATES, JUDGED),
    StageRow(sort_by_reranker, JUDGED),
    StageRow(blend_reranker, JUDGED),
    StageRow(apply_feedback, CANDIDATES),
    StageRow(cut_off, CANDIDATES),
    StageRow(group_contradictions, CANDIDATES),
    StageRow(limit_per_document, CANDIDATES),
)

STAGES: Mapping[str, StageRow] = {stage_name(part.stage): part for part in _PARTS}
"""Every stage by its name."""
