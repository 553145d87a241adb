"""The recipe `threeway`: documents by a fixed sum of vector, graph and full-text scores."""

from waymeet.search.fuse.fusion import apply_type_filter, fuse_three_way
from waymeet.search.rank.feedback import apply_feedback
from waymeet.search.retrieve.first_stage import defer_type_filter, graph_proximity, lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax_phrases, understand
from waymeet.search.understand.spelling import correct_spelling

THREEWAY = Recipe(
    name="threeway",
    description="Documents by 0.7·vector + 0.21·graph + 0.09·full text; by full text alone if there are no vectors.",
    stages=(
        understand,
        correct_spelling,
        expand_acronyms,
        relax_phrases,
        defer_type_filter,
        vector,
        lexical,
        graph_proximity,
        fuse_three_way,
        apply_feedback,
        apply_type_filter,
    ),
)
