"""Several embedding models: which are used, and one scale for their scores."""

from collections.abc import Sequence

import pytest
from support.corpus import FixedEmbedder, Page, chunk_id, store_of, unit

from waymeet.analysis.embedded.space_names import part_space
from waymeet.formulas.bm25 import idf
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query
from waymeet.search.retrieve.dense import rank_by_vector
from waymeet.search.state import Tools
from waymeet.settings import Auto, Pool, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Filters, Query


class English(FixedEmbedder):
    """A model for English only, whose cosines are all high."""

    space = "english"

    def supports_language(self, language: str) -> bool:
        """Take English."""
        return not language


class Every(FixedEmbedder):
    """A model that knows every language."""

    space = "every"


class Wide(Every):
    """The same with vectors long enough for parts of sections."""

    space = "wide"


PAGES = {
    "en-1.md": Page(("the first page",)),
    "en-2.md": Page(("the second page",)),
    "en-3.md": Page(("the third page",)),
    "ja-1.md": Page(("最初のページ",)),
    "ja-2.md": Page(("次のページ",)),
    "ja-3.md": Page(("最後のページ",)),
}
ENGLISH = {"en-1.md": (0.9, 0.436), "en-2.md": (0.85, 0.527), "en-3.md": (0.8, 0.6)}
JAPANESE = {"ja-1.md": (0.7, 0.714), "ja-2.md": (0.1, 0.995), "ja-3.md": (0.1, 0.995)}


def mixed() -> MemoryStore:
    store = store_of(PAGES)
    for space, vectors in ((English.space, ENGLISH), (Every.space, JAPANESE)):
        store.put_vectors(space, {chunk_id(path, 0): unit(vector) for path, vector in vectors.items()})
    return store


def found(question: str, store: MemoryStore | None = None) -> Sequence[tuple[str, float]]:
    tools = Tools(store or mixed(), (English((1.0, 0.0)), Every((1.0, 0.0))))
    return [(each.document, each.score) for each in rank_by_vector(tools, question, 10, Filters()).ranking]


def test_scores_of_spaces_meet_on_the_scale_of_the_first() -> None:
    """English: mean .85, deviation .0408. Japanese: mean .3, deviation .2828, so that .7 stands out by 1.414.

    On the English scale that is .85 + 1.414·.0408 = .9077, better than the best English page, .9.
    """
    ranked = found("which page comes first")
    assert ranked[0][0] == "ja-1.md"
    assert ranked[0][1] == pytest.approx(0.9077, abs=1e-3)
    assert ranked[1][0] == "en-1.md"
    assert ranked[1][1] == pytest.approx(0.9, abs=1e-3)


def test_a_model_is_not_asked_in_a_language_it_does_not_know() -> None:
    ranked = found("最初のページはどれ")
    assert [document for document, _ in ranked] == ["ja-1.md", "ja-2.md", "ja-3.md"]
    assert ranked[0][1] == pytest.approx(0.7, abs=1e-3)  # one space alone keeps its own scale


def test_a_space_that_holds_nothing_is_not_asked() -> None:
    store = store_of(PAGES)
    store.put_vectors(Every.space, {chunk_id("ja-1.md", 0): unit((0.7, 0.714))})
    assert [document for document, _ in found("which page comes first", store)] == ["ja-1.md"]


def test_words_count_the_less_the_more_is_in_another_language() -> None:
    """Half of the similar pages are in another language.

    The vector weight of the English ones is .6 + (.98 − .6)·.5² = .695. Of the others similarity counts fully.
    """
    tools = Tools(mixed(), (English((1.0, 0.0)), Every((1.0, 0.0))))
    given: Answer = answer_query(
        AUTO, Query("comes first", explain=True), tools, Settings(auto=Auto(vector_weight=0.6))
    )
    scores = {hit.document: hit.score for hit in given.hits}
    assert scores["ja-1.md"] == pytest.approx(1.0)  # the nearest of all, and no word of the question
    english = next(hit for hit in given.hits if hit.document == "en-1.md")
    assert "w = 0.695" in str(english.explanation)


def test_words_count_less_if_the_best_hit_has_few_of_a_query_in_another_language() -> None:
    """The page has one pair of many, and its lexical score is the best all the same."""
    pages = {"a.md": Page(("設定",)), "b.md": Page(("値",)), "c.md": Page(("名前",))}
    store = store_of(pages)
    vectors = {"a.md": (0.1, 0.995), "b.md": (0.7, 0.714), "c.md": (0.1, 0.995)}
    store.put_vectors(Every.space, {chunk_id(path, 0): unit(vector) for path, vector in vectors.items()})
    tools = Tools(store, (English((1.0, 0.0)), Every((1.0, 0.0))))

    def first(coverage: float) -> str:
        settings = Settings(auto=Auto(vector_weight=0.45, min_word_coverage=coverage))
        return answer_query(AUTO, Query("設定を変える方法"), tools, settings).hits[0].document

    assert (first(0.0), first(0.5)) == ("a.md", "b.md")


def test_words_of_an_english_query_keep_their_weight_however_few_match() -> None:
    tools = Tools(mixed(), (English((1.0, 0.0)),))
    settings = Settings(auto=Auto(vector_weight=0.4))
    answer = answer_query(AUTO, Query("the first of many unknown things", explain=True), tools, settings)
    assert "w = 0.4" in str(answer.hits[0].explanation)


def test_a_few_words_of_an_english_query_count_little_in_pages_of_another_language() -> None:
    """The Japanese page has one of three words."""
    pages = {**PAGES, "ja-1.md": Page(("最初のページ server",))}
    store = store_of(pages)
    store.put_vectors(Every.space, {chunk_id(path, 0): unit(vector) for path, vector in JAPANESE.items()})
    tools = Tools(store, (English((1.0, 0.0)), Every((1.0, 0.0))))
    given = answer_query(AUTO, Query("server certificate renewal", explain=True), tools, Settings())
    assert given.hits[0].document == "ja-1.md"
    known, unknown = (idf(len(pages), containing) for containing in (1, 0))
    weight = 0.4 * known / (known + 2 * unknown)
    assert f"+ {weight:.4g}·lexical" in str(given.hits[0].explanation)


def test_a_page_in_another_language_that_only_words_found_is_weighed_as_such() -> None:
    """All content words of the query are in the Japanese page whose vector is the least similar of twelve."""
    pages = {f"ja-{number:02}.md": Page((f"ページの{number}番目の説明です",)) for number in range(11)}
    store = store_of({**pages, "ja-11.md": Page(("ezmlm と qmail の説明です",))})
    vectors = {chunk_id(f"ja-{number:02}.md", 0): unit((12.0 - number, 3.0, *[0.0] * 62)) for number in range(12)}
    for space in (Wide.space, part_space(Wide.space, "ja")):
        store.put_vectors(space, vectors)
    tools = Tools(store, (English((1.0, 0.0)), Wide((1.0, *[0.0] * 63))))
    settings = Settings(pool=Pool(factor=1, min=1))
    given = answer_query(AUTO, Query("where is ezmlm or qmail?", explain=True), tools, settings)
    hit = next(hit for hit in given.hits if hit.document == "ja-11.md")
    assert [source.source for source in hit.sources] == ["lexical"]
    assert "not in the query's language" in str(hit.explanation)
    assert hit.score > 0.7  # it was 0.02 as a page in the language of the query


def test_code_counts_less_for_a_query_in_another_language() -> None:
    """Both are equally similar to the Japanese query and have none of its words."""
    store = store_of({"a.py": Page(("the first page of all",), kind="code"), "b.md": Page(("the first page of all",))})
    parts = part_space(Wide.space, "")
    store.put_vectors(parts, {chunk_id(path, 0): unit((1.0, *[0.0] * 63)) for path in ("a.py", "b.md")})
    tools = Tools(store, (English((1.0, 0.0)), Wide((1.0, *[0.0] * 63))))
    given = answer_query(AUTO, Query("最初のページはどれ", explain=True), tools, Settings())
    scores = {hit.document: hit.score for hit in given.hits}
    assert scores["a.py"] == pytest.approx(0.85 * scores["b.md"])
    code = next(hit for hit in given.hits if hit.document == "a.py")
    assert "source code, query in another language" in str(code.explanation)
    neutral = Settings(auto=Auto(code_factor_cross_lingual=1.0))
    equal = answer_query(AUTO, Query("最初のページはどれ"), tools, neutral)
    assert len({round(hit.score, 6) for hit in equal.hits}) == 1


def test_meaning_counts_as_much_as_has_a_vector() -> None:
    """Of two pages one has a vector: .6 halved is .3 for vectors, .7 for words; the page without has all the words."""
    store = store_of({"a.md": "the needle", "b.md": "hay and straw"})
    store.put_vectors(Every.space, {chunk_id("b.md", 0): unit((0.9, 0.436))})
    given = answer_query(
        AUTO, Query("needle"), Tools(store, (Every((1.0, 0.0)),)), Settings(auto=Auto(vector_weight=0.6))
    )
    scores = {hit.document: hit.score for hit in given.hits}
    assert scores == {"a.md": pytest.approx(0.7), "b.md": pytest.approx(0.3)}
    assert [each.code for each in given.degraded] == ["partial_vectors"]
