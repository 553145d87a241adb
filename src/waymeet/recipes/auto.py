"""The default recipe: weighted sum of lexical and vector scores, boosts by names and links."""

from waymeet.search.fuse.weighted_sum import aggregate_sections, limit_per_document, weighted_sum
from waymeet.search.rank.copies import collapse_copies
from waymeet.search.rank.exact_names import raise_definitions
from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.rank.graph_boost import boost_linked, boost_shared_names
from waymeet.search.rank.name_match import boost_definitions, boost_name_match
from waymeet.search.rank.roles import weigh_roles
from waymeet.search.rank.speakers import boost_speakers
from waymeet.search.rank.translations import collapse_translations
from waymeet.search.rank.word_runs import boost_word_runs
from waymeet.search.retrieve.first_stage import adapt_length_norm, lexical, vector
from waymeet.search.retrieve.sentence_similarity import compare_sentences
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.function_words import weigh_function_words
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling
from waymeet.search.understand.transliteration import transliterate
from waymeet.search.understand.unknown_names import find_unknown_names

AUTO = Recipe(
    name="auto",
    description="Weighted sum of lexical and vector scores, with bonuses for names and links. The default.",
    stages=(
        understand,
        correct_spelling,
        transliterate,
        expand_acronyms,
        weigh_function_words,
        relax_phrases,
        find_unknown_names,
        adapt_length_norm,
        lexical,
        vector,
        compare_sentences,
        weighted_sum,
        aggregate_sections,
        boost_speakers,
        boost_name_match,
        weigh_roles,
        boost_definitions,
        boost_shared_names,
        boost_word_runs,
        boost_linked,
        raise_definitions,
        collapse_translations,
        apply_feedback,
        collapse_copies,
        limit_per_document,
    ),
    overrides={"pool": {"min": 100, "share": 0.02}, "bm25": {"fields": {"inbound": 0.3}, "b": {"inbound": 1.0}}},
    pool_limit=10,
)
