"""The stage that suits the lexical score to the kind of texts there are."""

from msgspec.structs import replace

from waymeet.search.state import Search, Tools
from waymeet.settings import Settings


def suit(search: Search, tools: Tools, settings: Settings) -> Search:
    """Let length count less where texts are remarks of a few words: the longer ones just say more."""
    told = tools.store.texture().telling
    usual = settings.bm25.b.body
    norm = round(settings.auto.remark_norm + (usual - settings.auto.remark_norm) * told, 2)
    if told >= 1.0 or norm >= usual:
        return search.skip("texts say enough about themselves")
    return replace(search, bm25=replace(settings.bm25, b=replace(settings.bm25.b, body=norm)))
