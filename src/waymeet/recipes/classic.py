"""The recipe `classic`: lexical and vector lists fused by rank or by score."""

from waymeet.search.fuse.fusion import fuse
from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.retrieve.first_stage import lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling

CLASSIC = Recipe(
    name="classic",
    description="BM25 and vectors fused by reciprocal rank (or linearly); no links.",
    stages=(understand, correct_spelling, expand_acronyms, relax_phrases, lexical, vector, fuse, apply_feedback),
    overrides={
        "pool": {"factor": 5},
        "bm25": {
            "fields": {
                "title": 8.0,
                "headings": 4.0,
                "properties": 3.0,
                "tags": 2.0,
                "body": 1.0,
                "path": 0.0,
                "inbound": 0.0,
                "triggers": 0.0,
            }
        },
    },
    modes=("hybrid", "bm25_only", "vec_only"),
)
