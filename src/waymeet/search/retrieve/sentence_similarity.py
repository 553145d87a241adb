"""Stage that compares documentation with an English query by its sentences."""

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.analysis.embedded.space_names import part_spaces
from waymeet.errors import EmbeddingError
from waymeet.ports import choose_embedder, multilingual_embedder
from waymeet.search.retrieve.dense import describe_error
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings

_LEADING = 100
"""Sections of the vector list that are compared."""


def compare_sentences(search: Search, tools: Tools, settings: Settings) -> Search:
    """Compare documentation in the vector list with an English query by its sentences, too.

    The main model has one vector of a section, which says what the section is about. The multilingual model also has
    vectors of its parts, so it finds what a single sentence says. Source code has no such parts.
    """
    if not settings.auto.sentence_weight:
        return search.skip("setting auto.sentence_weight is 0")
    text, ranking = search.vector_text or search.text, search.ranking("vector")[:_LEADING]
    multilingual = multilingual_embedder(tools.embedders)
    if multilingual is None or not ranking:
        return search.skip("no vector list" if multilingual else "no multilingual model")
    if choose_embedder(tools.embedders, detect_language(text)) is multilingual:
        return search.skip("the vector list is that of the multilingual model")
    spaces = [
        space for space, language in part_spaces(multilingual.space, tools.store.spaces()).items() if not language
    ]
    if not spaces:
        return search.skip("no section in English was embedded by the multilingual model")
    documents = tools.store.documents({row.document for row in ranking})
    code = {id_ for id_, document in documents.items() if document.kind == "code"}
    chunks = [row.chunk for row in ranking if row.document not in code and row.chunk not in search.other_language]
    try:
        similarities = tools.store.part_similarities(spaces, multilingual.embed_query(text), chunks)
    except EmbeddingError as error:
        return search.miss("compare_sentences", "embedding_failed", describe_error(error))
    return replace(search, sentence_similarities=similarities)
