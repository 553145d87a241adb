"""The stages that a recipe can be made of: what each needs before it, and what it provides."""

from collections.abc import Mapping
from typing import NamedTuple

from waymeet.search.fuse.deep import blend_positions, fuse_all, strong_signal
from waymeet.search.fuse.fusion import fuse, fuse_three_ways, keep_types
from waymeet.search.fuse.weighted_sum import blend, diversify, gather
from waymeet.search.rank.feedback import correct
from waymeet.search.rank.graph_boost import kindred, spread
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
from waymeet.search.rank.name_match import definitions, exact
from waymeet.search.rank.neighbours import best_few, fuse_to_parts, hand_on, only_skills, seed, whole_files
from waymeet.search.rank.rerank import order_by_judgement, rerank
from waymeet.search.rank.translations import twins
from waymeet.search.retrieve.expansion import ask_all, expand
from waymeet.search.retrieve.first_stage import lexical, neighbourhood, postpone_types, suit, vector
from waymeet.search.state import Stage, stage_name
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax, understand
from waymeet.search.understand.spelling import repair

WORDS, LIST, CANDIDATES, JUDGED = "words", "a ranked list", "candidates", "a reranker's judgement"


class Part(NamedTuple):
    """A stage with what it needs and what it provides."""

    stage: Stage
    needs: str = ""
    gives: str = ""


_PARTS = (
    Part(only_skills),
    Part(understand, gives=WORDS),
    Part(repair, WORDS),
    Part(expand_acronyms, WORDS),
    Part(relax, WORDS),
    Part(intend),
    Part(postpone_types),
    Part(suit),
    Part(lexical, WORDS, LIST),
    Part(vector, gives=LIST),
    Part(strong_signal, LIST),
    Part(expand, WORDS),
    Part(ask_all, WORDS, LIST),
    Part(keep_wanted, LIST),
    Part(whole_entries, LIST),
    Part(trigger, LIST),
    Part(neighbourhood, LIST),
    Part(follow, LIST),
    Part(fuse, LIST, CANDIDATES),
    Part(fuse_three_ways, LIST, CANDIDATES),
    Part(fuse_lists, LIST, CANDIDATES),
    Part(fuse_to_parts, LIST, CANDIDATES),
    Part(fuse_all, LIST, CANDIDATES),
    Part(blend, LIST, CANDIDATES),
    Part(gather, CANDIDATES),
    Part(exact, CANDIDATES),
    Part(definitions, CANDIDATES),
    Part(kindred, CANDIDATES),
    Part(spread, CANDIDATES),
    Part(twins, CANDIDATES),
    Part(seed, CANDIDATES),
    Part(hand_on, CANDIDATES),
    Part(whole_files, CANDIDATES),
    Part(weigh, CANDIDATES),
    Part(keep_types, CANDIDATES),
    Part(rerank, CANDIDATES, JUDGED),
    Part(order_by_judgement, JUDGED),
    Part(blend_positions, JUDGED),
    Part(correct, CANDIDATES),
    Part(best_few, CANDIDATES),
    Part(side_by_side, CANDIDATES),
    Part(diversify, CANDIDATES),
)

STAGES: Mapping[str, Part] = {stage_name(part.stage): part for part in _PARTS}
"""Every stage by its name."""
