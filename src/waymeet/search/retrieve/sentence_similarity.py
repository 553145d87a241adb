"""Stage that compares documentation with an English query by its sentences."""

from collections.abc import Sequence

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.analysis.embedded.space_names import part_spaces
from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, Store, choose_embedder, multilingual_embedder
from waymeet.search.retrieve.dense import describe_error
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings


def compare_sentences(search: Search, tools: Tools, settings: Settings) -> Search:
    """Compare documentation in the vector list with an English query by its sentences, too.

    The main model has one vector of a section, which says what the section is about. The multilingual model also has
    vectors of its parts, so it finds what a single sentence says. Source code has no such parts.
    """
    if not settings.auto.sentence_weight or not settings.embedding.cross_lingual:
        return search.skip("setting auto.sentence_weight is 0, or embedding.cross_lingual is off")
    text, ranking = search.vector_text or search.text, search.ranking("vector")[: settings.auto.sentence_sections]
    multilingual = multilingual_embedder(tools.embedders)
    if multilingual is None or not ranking:
        return search.skip("no vector list" if multilingual else "no multilingual model")
    if choose_embedder(tools.embedders, detect_language(text)) is multilingual:
        return search.skip("the vector list is that of the multilingual model")
    if search.is_cross_lingual:
        return search.skip("most of the similar sections are in other languages")
    documents = tools.store.documents({row.document for row in ranking})
    code = {id_ for id_, document in documents.items() if document.kind == "code"}
    chunks = [row.chunk for row in ranking if row.document not in code and row.chunk not in search.other_language]
    return _compare(search, tools.store, multilingual, text, chunks)


def _compare(search: Search, store: Store, model: Embedder, text: str, chunks: Sequence[str]) -> Search:
    """Compare sections of documentation with a text by the multilingual model."""
    languages = part_spaces(model.space, store.spaces())
    spaces = [space for space, language in languages.items() if not language]
    if not spaces or not chunks:
        return search.skip("no documentation in English in the vector list, or it has no vectors of its sentences")
    missing = len(chunks) - len(store.chunks_with_vector(languages, chunks))
    if missing:
        return _report_missing(search, missing, len(chunks))
    try:
        vector = model.embed_query(text)
    except EmbeddingError as error:
        return search.miss("compare_sentences", "embedding_failed", describe_error(error))
    return replace(search, sentence_similarities=store.part_similarities(spaces, vector, chunks))


def _report_missing(search: Search, missing: int, compared: int) -> Search:
    """Report that sections are not compared.

    Those without vectors of their sentences would come last.
    """
    detail = f"{missing} of {compared} sections have no vectors of their sentences so far"
    if any(entry.code == "partial_vectors" for entry in search.degraded):
        return search.skip(detail)  # the answer says already that embedding is not finished
    return search.miss("compare_sentences", "partial_sentences", detail)
