"""The recipe `auto`: documentation is compared with an English query by its sentences, too."""

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace
from support.corpus import FixedEmbedder, Page, chunk_id, store_of, unit

from waymeet.analysis.embedded.space_names import SHORT, part_space
from waymeet.errors import EmbeddingError
from waymeet.formulas.explanation import evaluate
from waymeet.recipes.auto import AUTO
from waymeet.search.fuse.weighted_sum import weighted_sum
from waymeet.search.pipeline import answer_query
from waymeet.search.retrieve.sentence_similarity import compare_sentences
from waymeet.search.state import Search, Tools
from waymeet.settings import Auto, Embedding, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Query, ScoredChunk

AXES = np.eye(64, dtype=np.float32)
CODE = "src/keys.py"
PAGES = {"a.md": Page(("one",)), "b.md": Page(("two",)), CODE: Page(("three",), kind="code")}
COSINES = {"a.md": 0.9, "b.md": 0.85, CODE: 0.7}
PARTS = part_space("wide", "")


class English(FixedEmbedder):
    space = "english"

    def supports_language(self, language: str) -> bool:
        return not language


class Wide(FixedEmbedder):
    """Knows every language, with vectors long enough for parts of sections."""

    space = "wide"


class Failing(Wide):
    def embed_query(self, text: str) -> np.ndarray:
        raise EmbeddingError(f"No vector for {text}.", "Try again.")


def filled(space: str = PARTS, without: str = "") -> MemoryStore:
    """Index two pages and a source file: a sentence of the second page and the source file are near the query.

    The parts of one file can be left out.
    """
    store = store_of(PAGES)
    vectors = {chunk_id(path, 0): unit((cosine, (1.0 - cosine**2) ** 0.5)) for path, cosine in COSINES.items()}
    store.put_vectors(English.space, vectors)
    near, far = np.stack([AXES[0] + AXES[1], AXES[0]]), AXES[2:3]
    parts = {"a.md": far, "b.md": near, CODE: AXES[:1]}
    store.put_vectors(space, {chunk_id(path, 0): each for path, each in parts.items() if path != without})
    return store


def models(multilingual: type[Wide] = Wide) -> tuple[FixedEmbedder, ...]:
    return English((1.0, 0.0)), multilingual(AXES[0])


def searched(text: str = "how is it done", paths: Sequence[str] = tuple(COSINES)) -> Search:
    rows = tuple(ScoredChunk(chunk_id(path, 0), path, COSINES[path]) for path in paths)
    return Search(Query(text), text=text, lists={"vector": rows} if rows else {})


def test_documentation_in_the_vector_list_is_compared_and_code_is_not() -> None:
    store = filled()
    compared = compare_sentences(searched(), Tools(store, models()), Settings()).sentence_similarities
    pages = [chunk_id("a.md", 0), chunk_id("b.md", 0)]
    assert compared == store.part_similarities([PARTS], AXES[0], pages)
    assert compared[pages[0]] < 0.2
    assert compared[pages[1]] > 0.7


def test_a_section_in_another_language_is_not_compared_again() -> None:
    search = replace(searched(), other_language=frozenset({chunk_id("b.md", 0)}))
    compared = compare_sentences(search, Tools(filled(), models()), Settings()).sentence_similarities
    assert list(compared) == [chunk_id("a.md", 0)]


IN_OTHER_LANGUAGES = replace(searched(), other_language=frozenset(map(chunk_id, ("a.md", "b.md"), (0, 0))))


@pytest.mark.parametrize(
    ("search", "tools", "weight", "reason"),
    [
        (searched(), Tools(filled(), models()), 0.0, "setting auto.sentence_weight is 0"),
        (searched(), Tools(filled(), models()[:1]), 0.75, "no multilingual model"),
        (searched(paths=()), Tools(filled(), models()), 0.75, "no vector list"),
        (IN_OTHER_LANGUAGES, Tools(filled(), models()), 0.75, "most of the similar sections are in other languages"),
        (searched("鍵を変える"), Tools(filled(), models()), 0.75, "the vector list is that of the multilingual model"),
        (searched(), Tools(filled(part_space("wide", "ja")), models()), 0.75, "no documentation in English"),
        (searched(), Tools(filled(part_space("wide", SHORT)), models()), 0.75, "no documentation in English"),
        (searched(paths=(CODE,)), Tools(filled(), models(Failing)), 0.75, "no documentation in English"),
    ],
)
def test_it_is_skipped_with_a_reason(search: Search, tools: Tools, weight: float, reason: str) -> None:
    after = compare_sentences(search, tools, Settings(auto=Auto(sentence_weight=weight)))
    assert (after.skipped or "").startswith(reason)
    assert not after.sentence_similarities
    assert not after.degraded


def test_pages_are_not_compared_while_no_vectors_of_sentences_are_made() -> None:
    """Sections that were embedded before the setting was switched off have such vectors, later ones have none."""
    settings = Settings(embedding=Embedding(cross_lingual=False))
    after = compare_sentences(searched(), Tools(filled(without="a.md"), models()), settings)
    assert (after.skipped, after.degraded, after.sentence_similarities) == (
        "setting auto.sentence_weight is 0, or embedding.cross_lingual is off",
        (),
        {},
    )


def test_a_model_that_fails_is_reported_and_the_answer_is_made_without_it() -> None:
    answer = answer_query(AUTO, Query("how is it done"), Tools(filled(), models(Failing)), Settings())
    assert [each.code for each in answer.degraded] == ["embedding_failed"]
    assert [hit.document for hit in answer.hits] == list(COSINES)


def test_without_the_sentences_of_a_page_the_pages_are_not_compared_and_the_answer_says_so() -> None:
    answer = answer_query(AUTO, Query("how is it done"), Tools(filled(without="a.md"), models()), Settings())
    assert [each.code for each in answer.degraded] == ["partial_sentences"]
    assert answer.degraded[0].detail == "1 of 2 sections have no vectors of their sentences so far"
    assert [hit.document for hit in answer.hits] == list(COSINES)


def test_missing_sentences_are_reported_once_if_vectors_are_missing_too() -> None:
    search = searched().degrade("vector", "partial_vectors", "2 of 3")
    after = compare_sentences(search, Tools(filled(without="a.md"), models()), Settings())
    assert after.degraded == search.degraded
    assert after.skipped == "1 of 2 sections have no vectors of their sentences so far"


def test_a_section_of_a_few_words_is_no_missing_one() -> None:
    store = filled(without="a.md")
    store.put_vectors(part_space("wide", SHORT), {chunk_id("a.md", 0): AXES[2:3]})
    compared = compare_sentences(searched(), Tools(store, models()), Settings())
    assert list(compared.sentence_similarities) == [chunk_id("b.md", 0)]
    assert not compared.degraded


def test_equal_sums_are_all_1() -> None:
    search = replace(searched(paths=("a.md", "b.md")), sentence_similarities={chunk_id("b.md", 0): 0.75})
    found = weighted_sum(
        search, Tools(filled()), Settings(auto=Auto(sentence_weight=2.0, usual_sentence_similarity=0.25))
    )
    assert [candidate.score.value for candidate in found.candidates] == [1.0, 1.0]


def test_only_the_leading_sections_are_compared() -> None:
    settings = Settings(auto=Auto(sentence_sections=1))
    compared = compare_sentences(searched(), Tools(filled(), models()), settings)
    assert list(compared.sentence_similarities) == [chunk_id("a.md", 0)]


def test_similar_sentences_change_the_order_by_the_formula() -> None:
    """Normalised cosines are 1, .75 and 0. The sums 1, .75 + .75·(b − .15) and 0 are normalised again.

    The similarity of the first page is below the usual .15.
    """
    store = filled()
    search = compare_sentences(searched(), Tools(store, models()), Settings())
    found = {each.document: each.score for each in weighted_sum(search, Tools(store), Settings()).candidates}
    similarity = search.sentence_similarities[chunk_id("b.md", 0)]
    sums = {"a.md": 1.0, "b.md": 0.75 + 0.75 * (similarity - 0.15), CODE: 0.0}
    for document, score in found.items():
        assert score.value == pytest.approx(sums[document] / max(sums.values()))
        assert evaluate(score) == score.value
    assert "similarity of its sentences" in str(found["b.md"])


def test_without_sentences_the_normalised_cosine_is_the_score() -> None:
    found = weighted_sum(searched(), Tools(filled()), Settings()).candidates
    assert [round(each.score.value, 6) for each in found] == [1.0, 0.75, 0.0]


def test_a_search_by_vectors_finds_a_page_by_one_sentence() -> None:
    def ask(weight: float) -> str:
        settings = Settings(auto=Auto(sentence_weight=weight))
        return answer_query(AUTO, Query("how is it done"), Tools(filled(), models()), settings).hits[0].document

    assert (ask(0.0), ask(0.75)) == ("a.md", "b.md")
