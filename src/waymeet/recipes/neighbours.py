"""Words and meaning by rank, then handed on from the best nodes to those around them; and its two little sisters."""

from waymeet.search.rank.feedback import correct
from waymeet.search.rank.neighbours import best_few, fuse_to_parts, hand_on, only_skills, seed, whole_files
from waymeet.search.retrieve.first_stage import lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax, understand
from waymeet.search.understand.spelling import repair

_MODES = ("hybrid", "vector", "keyword")

NEIGHBOURS = Recipe(
    name="neighbours",
    description="The best sections and symbols by rank fusion, and what is linked to them, weaker at every step.",
    stages=(
        understand,
        repair,
        expand_acronyms,
        relax,
        lexical,
        vector,
        fuse_to_parts,
        seed,
        hand_on,
        correct,
        best_few,
    ),
    modes=_MODES,
)

FILES = Recipe(
    name="files",
    description="Whole files by path, title and the names of what is in them.",
    stages=(
        understand,
        repair,
        expand_acronyms,
        relax,
        lexical,
        vector,
        fuse_to_parts,
        whole_files,
        seed,
        correct,
        best_few,
    ),
    overrides={
        "neighbours": {"top_k": 10, "max_results": 10, "min_score": 0.3},
        "bm25": {"fields": {"body": 0.0, "inbound": 0.0, "path": 3.0}},
    },
    modes=("keyword", "hybrid", "vector"),
)

SKILLS_RECALL = Recipe(
    name="skills_recall",
    description="Skills whose title, description or triggers fit the task at hand.",
    stages=(
        only_skills,
        understand,
        repair,
        expand_acronyms,
        relax,
        lexical,
        vector,
        fuse_to_parts,
        whole_files,
        seed,
        hand_on,
        whole_files,
        correct,
        best_few,
    ),
    overrides={"neighbours": {"min_score": 0.3}},
    modes=_MODES,
)
