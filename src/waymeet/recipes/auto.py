"""The default: words (titles, headings and what links say included), meaning where there is a model, one light hop."""

from waymeet.search.acronyms import expand_acronyms
from waymeet.search.blend import blend, diversify, exact, spread
from waymeet.search.corrections import correct
from waymeet.search.repair import repair
from waymeet.search.retrieve import lexical, vector
from waymeet.search.state import Recipe
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
        lexical,
        vector,
        blend,
        exact,
        definitions,
        spread,
        twins,
        correct,
        diversify,
    ),
    overrides={"pool": {"least": 100}, "bm25": {"k1": 1.6, "fields": {"inbound": 0.3}}},
)
