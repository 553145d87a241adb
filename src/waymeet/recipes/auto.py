"""The default: words (titles, headings and what links say included), meaning where there is a model, one light hop."""

from waymeet.search.fuse.weighted_sum import blend, diversify, gather
from waymeet.search.rank.feedback import correct
from waymeet.search.rank.graph_boost import kindred, spread
from waymeet.search.rank.name_match import definitions, exact
from waymeet.search.rank.translations import twins
from waymeet.search.retrieve.first_stage import lexical, suit, vector
from waymeet.search.state import Recipe
from waymeet.search.understand.acronyms import expand_acronyms
from waymeet.search.understand.query import relax, understand
from waymeet.search.understand.spelling import repair

AUTO = Recipe(
    name="auto",
    description="Words, meaning and links by score; what is called by its name gets a bonus. The default.",
    stages=(
        understand,
        repair,
        expand_acronyms,
        relax,
        suit,
        lexical,
        vector,
        blend,
        gather,
        exact,
        definitions,
        kindred,
        spread,
        twins,
        correct,
        diversify,
    ),
    overrides={"pool": {"least": 100}, "bm25": {"fields": {"inbound": 0.3}}},
)
