"""The default: words (titles, headings and what links say included), meaning where there is a model, one light hop."""

from waymeet.search.acronyms import expand_acronyms
from waymeet.search.blend import blend, diversify, gather
from waymeet.search.corrections import correct
from waymeet.search.exact import exact
from waymeet.search.hop import kindred, spread
from waymeet.search.repair import repair
from waymeet.search.retrieve import lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.suit import suit
from waymeet.search.symbols import definitions
from waymeet.search.twins import twins
from waymeet.search.understand import relax, understand

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
