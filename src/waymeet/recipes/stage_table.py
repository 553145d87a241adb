"""Table of all stages: requirements, results, settings read, and ranking signals."""

from collections.abc import Mapping
from typing import NamedTuple

from waymeet.search.fuse.deep import blend_reranker, fuse_variants, strong_signal
from waymeet.search.fuse.fusion import apply_type_filter, fuse, fuse_three_way
from waymeet.search.fuse.weighted_sum import aggregate_sections, limit_per_document, weighted_sum
from waymeet.search.pipeline import stage_name
from waymeet.search.rank.copies import collapse_copies
from waymeet.search.rank.exact_names import raise_definitions
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
    collapse_to_files,
    cut_off,
    fuse_normalised,
    group_by_file,
    only_skills,
    order_ties,
    select_seeds,
    spread_activation,
)
from waymeet.search.rank.rerank import rerank, sort_by_reranker
from waymeet.search.rank.roles import weigh_roles
from waymeet.search.rank.speakers import boost_speakers
from waymeet.search.rank.translations import collapse_translations
from waymeet.search.rank.word_runs import boost_word_runs
from waymeet.search.retrieve.expansion import expand, retrieve_variants
from waymeet.search.retrieve.first_stage import (
    adapt_length_norm,
    defer_type_filter,
    file_vector,
    graph_proximity,
    lexical,
    trim_lexical,
    trim_vector,
    vector,
)
from waymeet.search.retrieve.sentence_similarity import compare_sentences
from waymeet.search.state import Stage
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.function_words import weigh_function_words
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling
from waymeet.search.understand.transliteration import transliterate
from waymeet.search.understand.unknown_names import find_unknown_names

WORDS, LIST, CANDIDATES, RERANKED = "words", "a ranked list", "candidates", "reranker scores"

_POOL = ("pool.factor", "pool.min", "pool.share", "pool.share_max")
_STUDENT = ("student.weight",)
_VECTOR = (*_POOL, "student.", "embedding.on_demand_seconds")
_AUTO = ("auto.",)


class StageRow(NamedTuple):
    """A stage with its requirements and its settings."""

    stage: Stage
    needs: str = ""
    """Part of the search state that an earlier stage must have made."""
    gives: str = ""
    """Part of the search state that this stage makes."""
    reads: tuple[str, ...] = ()
    """Settings that its result depends on: dotted keys, or sections as prefixes that end in a dot."""
    signals: tuple[str, ...] = ()
    """Settings that ablation sets to neutral values one at a time, written the same way."""


_ROWS = (
    StageRow(only_skills),
    StageRow(understand, gives=WORDS, reads=("bm25.", "pool.query_words")),
    StageRow(correct_spelling, WORDS, reads=("understand.fuzzy", "understand.repaired", "bm25.")),
    StageRow(transliterate, WORDS, reads=("understand.transliterated",), signals=("understand.transliterated",)),
    StageRow(
        expand_acronyms,
        WORDS,
        reads=("understand.expand_acronyms", "understand.acronym", "understand.acronyms"),
    ),
    StageRow(weigh_function_words, WORDS, reads=("understand.function_word",), signals=("understand.function_word",)),
    StageRow(relax_phrases, WORDS, reads=("bm25.",)),
    StageRow(find_unknown_names, WORDS, reads=("bm25.",)),
    StageRow(classify_intent),
    StageRow(defer_type_filter),
    StageRow(adapt_length_norm, reads=("bm25.", "auto.short_text_b"), signals=_AUTO),
    StageRow(lexical, WORDS, LIST, reads=("bm25.", *_POOL), signals=("bm25.fields.", "pool.share")),
    StageRow(vector, gives=LIST, reads=_VECTOR, signals=_STUDENT),
    StageRow(file_vector, gives=LIST, reads=_VECTOR, signals=_STUDENT),
    StageRow(
        compare_sentences,
        LIST,
        reads=("auto.sentence_weight", "auto.sentence_sections", "embedding.cross_lingual"),
        signals=_AUTO,
    ),
    StageRow(trim_vector, LIST, reads=("rrf.clear_lexical",)),
    StageRow(trim_lexical, LIST, reads=("rrf.min_lexical",)),
    StageRow(strong_signal, LIST, reads=("bm25.", "deep.clear_score", "deep.clear_gap")),
    StageRow(expand, WORDS, reads=("expand.variants",)),
    StageRow(
        retrieve_variants,
        WORDS,
        LIST,
        reads=("bm25.", *_VECTOR, "pool.query_words", "deep.lists"),
        signals=("bm25.fields.", *_STUDENT),
    ),
    StageRow(apply_settings_switches, LIST, reads=("memory.lexical", "memory.rrf")),
    StageRow(collapse_to_documents, LIST),
    StageRow(collapse_to_files, LIST),
    StageRow(boost_triggers, LIST, reads=("memory.lexical", "memory.rrf")),
    StageRow(graph_proximity, LIST, reads=("graph.", "pool.seeds")),
    StageRow(walk_links, LIST, reads=("memory.", "graph.", "pool.seeds", "rrf.k"), signals=("memory.hop",)),
    StageRow(fuse, LIST, CANDIDATES, reads=("rrf.", "classic."), signals=("rrf.lexical", "rrf.vector")),
    StageRow(fuse_three_way, LIST, CANDIDATES, reads=("threeway.", "aggregate."), signals=("threeway.",)),
    StageRow(
        fuse_memory,
        LIST,
        CANDIDATES,
        reads=("memory.graph", "memory.convergence", "memory.rrf", "rrf."),
        signals=("memory.graph", "memory.convergence"),
    ),
    StageRow(fuse_normalised, LIST, CANDIDATES, reads=("rrf.",)),
    StageRow(
        fuse_variants,
        LIST,
        CANDIDATES,
        reads=("deep.original", "deep.alternative", "deep.bonus", "deep.keep", "rrf.k"),
        signals=("deep.original", "deep.alternative", "deep.bonus"),
    ),
    StageRow(
        weighted_sum,
        LIST,
        CANDIDATES,
        reads=(
            "auto.vector_weight",
            "auto.vector_weight_prose",
            "auto.vector_weight_short_text",
            "auto.vector_weight_single_function",
            "auto.vector_weight_non_english",
            "auto.lexical_weight_cross_lingual",
            "auto.lexical_weight_english",
            "auto.code_factor_cross_lingual",
            "auto.vector_weight_mixed",
            "auto.sentence_weight",
            "auto.usual_sentence_similarity",
            "auto.min_similarity_steps",
            "auto.min_word_coverage",
        ),
        signals=_AUTO,
    ),
    StageRow(
        aggregate_sections,
        CANDIDATES,
        reads=("auto.document_share", "auto.document_sections"),
        signals=_AUTO,
    ),
    StageRow(boost_speakers, CANDIDATES, reads=("auto.speaker_factor",), signals=_AUTO),
    StageRow(
        boost_name_match,
        CANDIDATES,
        reads=("auto.name_bonus", "auto.shared_name_max_documents"),
        signals=_AUTO,
    ),
    StageRow(weigh_roles, CANDIDATES, reads=("auto.roles.",), signals=_AUTO),
    StageRow(boost_definitions, CANDIDATES, reads=("auto.definition_bonus",), signals=_AUTO),
    StageRow(
        boost_shared_names,
        CANDIDATES,
        reads=("auto.shared_name_weight", "auto.shared_name_cap", "auto.shared_name_max_documents", "pool.seeds"),
        signals=_AUTO,
    ),
    StageRow(boost_word_runs, CANDIDATES, reads=("auto.word_run_bonus",), signals=_AUTO),
    StageRow(
        boost_linked,
        CANDIDATES,
        reads=("auto.outlink_weight", "auto.inlink_weight", "auto.links.", "graph.fan_out", "pool.seeds"),
        signals=_AUTO,
    ),
    StageRow(
        raise_definitions,
        CANDIDATES,
        reads=("auto.raised_definitions", "auto.raised_min_share", "auto.raised_lead"),
        signals=_AUTO,
    ),
    StageRow(collapse_translations, CANDIDATES, signals=_AUTO),
    StageRow(order_ties, CANDIDATES),
    StageRow(select_seeds, CANDIDATES, reads=("neighbours.min_score", "neighbours.top_k", "neighbours.per_document")),
    StageRow(
        spread_activation,
        CANDIDATES,
        reads=("neighbours.",),
        signals=("neighbours.contains", "neighbours.extends", "neighbours.implements", "neighbours.imports"),
    ),
    StageRow(group_by_file, CANDIDATES),
    StageRow(
        weigh_by_intent,
        CANDIDATES,
        reads=("memory.",),
        signals=(
            "memory.preferred",
            "memory.constitutional",
            "memory.spec",
            "memory.decision_record",
            "memory.plan",
        ),
    ),
    StageRow(apply_type_filter, CANDIDATES),
    StageRow(rerank, CANDIDATES, RERANKED, reads=("rerank.candidates", "rerank.text_chars")),
    StageRow(sort_by_reranker, RERANKED, reads=("rerank.full_trust_chars", "rerank.min_trust")),
    StageRow(
        blend_reranker,
        RERANKED,
        reads=("deep.first", "deep.first_trust", "deep.middle", "deep.middle_trust", "deep.tail_trust"),
    ),
    StageRow(apply_feedback, CANDIDATES, reads=("feedback.",)),
    StageRow(
        collapse_copies,
        CANDIDATES,
        reads=("copies.", "auto.per_document", "feedback.min_similarity"),
        signals=("copies.",),
    ),
    StageRow(cut_off, CANDIDATES, reads=("neighbours.max_results",)),
    StageRow(group_contradictions, CANDIDATES),
    StageRow(limit_per_document, CANDIDATES, reads=("auto.per_document",), signals=_AUTO),
)

STAGES: Mapping[str, StageRow] = {stage_name(row.stage): row for row in _ROWS}
"""Every stage by its name."""
READS: Mapping[str, tuple[str, ...]] = {name: row.reads for name, row in STAGES.items()}
"""The settings that each stage reads, by its name."""
SIGNALS: Mapping[str, tuple[str, ...]] = {name: row.signals for name, row in STAGES.items()}
"""The settings that are ranking signals of each stage, by its name."""
