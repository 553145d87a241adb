"""Whole documents by similarity, nearness in the graph and full text, added up with fixed weights."""

from waymeet.search.fuse.fusion import fuse_three_ways, keep_types
from waymeet.search.rank.feedback import correct
from waymeet.search.retrieve.first_stage import lexical, neighbourhood, postpone_types, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax, understand
from waymeet.search.understand.spelling import repair

THREEWAY = Recipe(
    name="threeway",
    description="Documents by 0.7·vector + 0.21·graph + 0.09·full text; full text alone where there are no vectors.",
    stages=(
        understand,
        repair,
        expand_acronyms,
        relax,
        postpone_types,
        vector,
        lexical,
        neighbourhood,
        fuse_three_ways,
        correct,
        keep_types,
    ),
)
