"""The recipes `neighbours`, `files` and `skills_recall`: rank fusion, spread along links."""

from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.rank.neighbours import (
    collapse_to_files,
    cut_off,
    fuse_normalised,
    group_by_file,
    only_skills,
    select_seeds,
    spread_activation,
)
from waymeet.search.retrieve.first_stage import file_vector, lexical, trim_lexical, trim_vector, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling

_MODES = ("hybrid", "vector", "keyword")

NEIGHBOURS = Recipe(
    name="neighbours",
    description="Sections and symbols by rank fusion, and those linked to the best, with a decay per link.",
    stages=(
        understand,
        correct_spelling,
        expand_acronyms,
        relax_phrases,
        lexical,
        vector,
        trim_vector,
        trim_lexical,
        fuse_normalised,
        select_seeds,
        spread_activation,
        apply_feedback,
        cut_off,
    ),
    modes=_MODES,
)

FILES = Recipe(
    name="files",
    description="Whole files by path, title, headings and symbol names, and by meaning.",
    stages=(
        understand,
        correct_spelling,
        expand_acronyms,
        relax_phrases,
        lexical,
        file_vector,
        collapse_to_files,
        fuse_normalised,
        select_seeds,
        apply_feedback,
        cut_off,
    ),
    overrides={
        "neighbours": {"top_k": 10, "max_results": 10, "min_score": 0.3},
        "bm25": {"fields": {"body": 0.0, "inbound": 0.0, "path": 3.0}},
    },
    modes=_MODES,
)

SKILLS_RECALL = Recipe(
    name="skills_recall",
    description="Skills whose title, description or trigger phrases match the task.",
    stages=(
        only_skills,
        understand,
        correct_spelling,
        expand_acronyms,
        relax_phrases,
        lexical,
        vector,
        fuse_normalised,
        group_by_file,
        select_seeds,
        spread_activation,
        group_by_file,
        apply_feedback,
        cut_off,
    ),
    overrides={"neighbours": {"min_score": 0.3}},
    modes=_MODES,
)
