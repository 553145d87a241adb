"""The default: words (titles, headings and what links say included), meaning where there is a model, one light hop."""

from waymeet.search.blend import blend, diversify, exact, spread
from waymeet.search.retrieve import lexical, vector
from waymeet.search.state import Recipe
from waymeet.search.understand import relax, understand

AUTO = Recipe(
    name="auto",
    description="Words, meaning and links by score; what is called by its name gets a bonus. The default.",
    stages=(understand, relax, lexical, vector, blend, exact, spread, diversify),
    overrides={"pool": {"least": 100}},
)
