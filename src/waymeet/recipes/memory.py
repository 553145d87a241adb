"""What a project remembers: three lists fused by rank, weighed by intent, recency, importance and kind."""

from waymeet.search.rank.feedback import correct
from waymeet.search.rank.memory import (
    follow,
    fuse_lists,
    intend,
    keep_wanted,
    side_by_side,
    trigger,
    weigh,
    whole_entries,
)
from waymeet.search.rank.rerank import order_by_judgement, rerank
from waymeet.search.retrieve.first_stage import lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax, understand
from waymeet.search.understand.spelling import repair

MEMORY = Recipe(
    name="memory",
    description="Entries by words, meaning and links; what is asked for decides between new, important and near.",
    stages=(
        understand,
        repair,
        expand_acronyms,
        relax,
        intend,
        lexical,
        vector,
        keep_wanted,
        whole_entries,
        trigger,
        follow,
        fuse_lists,
        weigh,
        rerank,
        order_by_judgement,
        correct,
        side_by_side,
    ),
)
