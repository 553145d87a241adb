"""The recipe `auto`: words and links without a model, exact names, one light hop, diversity."""

from math import log
from typing import Any

import pytest
from support.corpus import FixedEmbedder, Page, store_of
from support.projects import indexed

from waymeet.formulas.explanation import evaluate
from waymeet.recipes.auto import AUTO
from waymeet.search.fuse.weighted_sum import weighted_sum
from waymeet.search.pipeline import answer_query
from waymeet.search.rank.memory import walk_links
from waymeet.search.retrieve.first_stage import lexical
from waymeet.search.state import Recipe, Tools
from waymeet.search.understand.query import understand
from waymeet.settings import Auto, Bm25, FieldNorms, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Filters, Query

SETTINGS = Settings(auto=Auto(vector_weight=0.6))
"""The vector weight is the same for all texts, so that examples can be worked out by hand."""


def ask(store: MemoryStore, query: Query | str, embedder: FixedEmbedder | None = None) -> Answer:
    asked = Query(query, explain=True) if isinstance(query, str) else query
    return answer_query(AUTO, asked, Tools(store, (embedder,) if embedder else ()), SETTINGS)


def test_it_works_from_words_and_links_and_says_so() -> None:
    found = ask(store_of({"a.md": "keys are rotated monthly", "b.md": "nothing of the kind"}), "how are keys rotated")
    assert [hit.document for hit in found.hits] == ["a.md"]
    assert [each.code for each in found.degraded] == ["no_model"]
    assert found.search_type == "lexical"


def test_a_question_of_ten_words_with_an_unknown_one_still_answers() -> None:
    store = store_of({"a.md": "the service rotates its signing keys every month"})
    assert ask(store, "tell me please when does the flurbozzle service rotate keys").hits


def test_a_camel_case_query_finds_a_snake_case_name_but_the_exact_symbol_wins() -> None:
    store = store_of({"a.py": "def get_user_by_id(): ...", "b.py": "function getUserById() {}", "c.py": "by id"})
    found = ask(store, "getUserById")
    assert [hit.document for hit in found.hits][:2] == ["b.py", "a.py"]


def test_a_japanese_substring_of_two_characters_finds_its_section() -> None:
    store = store_of({"ja.md": Page(("全文検索のスコアを正規化する。", "別の話題。")), "en.md": "scores"})
    found = ask(store, "正規")
    assert [hit.id for hit in found.hits] == ["ja.md#L1-L1"]
    section = found.hits[0].sections[0]
    assert [section.snippet[start:end] for start, end in section.highlights] == ["正規"]


def test_a_page_is_found_by_what_links_say_of_it() -> None:
    pages = {
        "guide.md": Page(("see the other page",), title="Zanzibar travel", links=("x.md",)),
        "x.md": Page(("mentions nothing",), title="X"),
        "y.md": Page(("mentions nothing",), title="Y"),
    }
    documents = [hit.document for hit in ask(store_of(pages), "zanzibar").hits]
    assert "x.md" in documents
    assert "y.md" not in documents


def test_golden_run_of_one_hop() -> None:
    """a.md alone has the word: 1.0. It has two neighbours, so each gets 1 / (1 + ln 2) of the link's weight.

    Texts are remarks, so links count half: b.md is linked from a.md: 0.45 / 2 / (1 + ln 2) = 0.13289, and c.md links to
    a.md: 0.15 / 2 / (1 + ln 2) = 0.0443.
    """
    pages = {
        "a.md": Page(("needle",), links=("b.md",)),
        "b.md": Page(("hay",)),
        "c.md": Page(("straw",), links=("a.md",)),
    }
    scores = {hit.document: hit.score for hit in ask(store_of(pages), "needle").hits}
    assert scores["a.md"] == pytest.approx(1.0)
    assert scores["b.md"] == pytest.approx(0.225 / (1 + log(2)))
    assert scores["c.md"] == pytest.approx(0.075 / (1 + log(2)))


def test_depth_0_switches_links_off() -> None:
    pages = {"a.md": Page(("needle",), links=("b.md",)), "b.md": Page(("hay",))}
    assert [hit.document for hit in ask(store_of(pages), Query("needle", depth=0)).hits] == ["a.md"]


def test_an_exact_title_is_not_buried() -> None:
    pages = {f"{n}.md": Page(("release notes release notes",), title=f"Log {n}") for n in range(5)}
    pages["z.md"] = Page(("what changed and when",), title="Release notes")
    assert ask(store_of(pages), "release notes").hits[0].document == "z.md"


def test_an_exact_file_name_is_not_buried() -> None:
    pages = {"src/embedder.ts": Page(("x",)), "a.md": Page(("embedder ts embedder ts embedder",))}
    assert ask(store_of(pages), "embedder.ts").hits[0].document == "src/embedder.ts"


CODE = {
    "src/big.py": "\n\n".join(f"def fn_{n}(a):\n    return gamma_delta(a) * {n}\n" for n in range(20)),
    "src/small.py": "def alpha_beta():\n    return 1\n\n\ndef gamma_delta(x):\n    return x\n",
    "docs/a.md": "# A\n\ngamma_delta and gamma_delta and gamma_delta, all of gamma_delta\n",
}


@pytest.mark.parametrize("query", ["gamma_delta", "gamma_delta()", "where is `gamma_delta` defined"])
def test_what_defines_a_symbol_is_not_buried_even_among_others_in_one_section(query: str) -> None:
    found = ask(indexed(CODE), query)
    assert found.hits[0].document == "src/small.py"
    assert "symbol" in [each.source for each in found.hits[0].sources]
    assert found.hits[0].sections[0].headings == ("gamma_delta",)
    for hit in found.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)


def test_a_definition_gets_a_bonus_in_a_question_that_names_the_symbol_in_passing() -> None:
    """There `raise_definitions` does nothing: the name is too small a part of the query."""
    found = ask(indexed(CODE), "why does gamma_delta return the wrong value when called twice in a row")
    skipped = {step.stage: step.skipped for step in found.steps}
    assert skipped["raise_definitions"] == "the symbol is a small part of the query"
    (defining,) = [hit for hit in found.hits if hit.document == "src/small.py"]
    assert defining.explanation is not None
    assert any("defines gamma_delta" in part.description for part in defining.explanation.parts)


def test_golden_run_of_a_symbol() -> None:
    """The whole query is the symbol, so its definition gets .3·1 beside its share of the words."""
    before, after = (ask(indexed(CODE), text).hits for text in ("gamma delta", "gamma_delta"))
    (defining,) = [hit for hit in after if hit.document == "src/small.py"]
    assert defining.explanation is not None
    assert [round(part.value, 4) for part in defining.explanation.parts if "defines" in part.description] == [0.3]
    assert not any(each.source == "symbol" for hit in before for each in hit.sources)


def test_a_definition_that_filters_leave_out_is_not_brought_in() -> None:
    found = ask(indexed(CODE), Query("gamma_delta", filters=Filters(paths=("docs",))))
    assert {hit.document for hit in found.hits} == {"docs/a.md"}
    found = ask(indexed(CODE), "gamma_delta -alpha_beta")
    assert "src/small.py" not in {hit.document for hit in found.hits}


def test_a_name_that_everything_defines_lifts_nothing() -> None:
    pages = {f"{n:02}.py": "def set_up():\n    return 1\n" for n in range(30)}
    found = ask(indexed(pages), "set_up")
    assert not any(each.source == "symbol" for hit in found.hits for each in hit.sources)


def test_further_sections_of_a_document_come_behind_the_other_documents() -> None:
    pages = {
        "a.md": Page(tuple(f"needle number{n}" for n in range(6))),
        "b.md": "needle in a longer text",
        "c.md": "a word of a much longer text about hay and straw and, at its end, one needle " + "and hay " * 50,
    }
    hits = ask(store_of(pages), "needle").hits
    assert [hit.document for hit in hits].index("b.md") <= 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.id for hit in hits if hit.document == "a.md"}) == 6
    alone = ask(store_of(pages), Query("needle", filters=Filters(paths=("a.md",)))).hits
    assert len(alone) == 6


def test_meaning_and_words_are_mixed_by_score() -> None:
    """Words: a.md alone, 1.0 · vectors: b.md 1.0, a.md the list's last 0.0 → a .4, b .6."""
    store = store_of({"a.md": "needle", "b.md": "hay"}, {"a.md": [(0.0, 1.0)], "b.md": [(1.0, 0.0)]})
    found = ask(store, "needle", FixedEmbedder((1.0, 0.0)))
    assert {hit.document: round(hit.score, 4) for hit in found.hits} == {"b.md": 0.6, "a.md": 0.4}
    assert found.search_type == "hybrid"
    assert found.degraded == ()


def test_golden_run_with_all_stages() -> None:
    """Words: a alone, 1. Vectors: b 1, a the list's last, 0. So a .4·1 + .6·0 = .4 and b .6·1 = .6.

    a's title occurs in the query and covers all of it: + .6 = 1.
    b links to a and hands on .45/2·.6² = .081; a, linked from b, hands back .15/2·1² = .075; both have one neighbour,
    ln 1 = 0, and texts are remarks, for which links count half. a: .4 + .6 + .081 = 1.081 · b: .6 + .075 = .675
    """
    pages = {"a.md": Page(("needle",), title="Needle"), "b.md": Page(("hay",), links=("a.md",))}
    store = store_of(pages, {"a.md": [(0.0, 1.0)], "b.md": [(1.0, 0.0)]})
    found = ask(store, "needle", FixedEmbedder((1.0, 0.0)))
    assert [(hit.document, round(hit.score, 5)) for hit in found.hits] == [("a.md", 1.081), ("b.md", 0.675)]
    assert [each.source for each in found.hits[0].sources] == ["lexical", "vector", "name", "graph"]


def test_every_explanation_evaluates_to_its_score() -> None:
    pages = {
        "a.md": Page(("needle in hay",), title="Needle", links=("b.md",)),
        "b.md": Page(("hay", "needle needle")),
        "needle.md": "nothing",
    }
    store = store_of(pages, {"a.md": [(1.0, 0.0)], "b.md": [(0.6, 0.8), (0.0, 1.0)], "needle.md": [(0.5, 0.5)]})
    for embedder in (None, FixedEmbedder((1.0, 0.0))):
        for hit in ask(store, "needle hay", embedder).hits:
            assert hit.explanation is not None
            assert evaluate(hit.explanation) == pytest.approx(hit.score, rel=1e-9)


def test_filters_hold_for_what_links_and_names_bring_in() -> None:
    pages = {"docs/a.md": Page(("needle",), links=("src/b.md",)), "src/b.md": "hay", "src/needle.md": "straw"}
    found = ask(store_of(pages), Query("needle", filters=Filters(paths=("docs",))))
    assert [hit.document for hit in found.hits] == ["docs/a.md"]


def test_a_phrase_must_occur_and_is_relaxed_only_if_nothing_has_it() -> None:
    store = store_of({"a.md": "rank fusion works", "b.md": "fusion of rank"})
    found = ask(store, '"rank fusion"')
    assert [hit.document for hit in found.hits] == ["a.md"]
    found = ask(store, '"works fusion"')
    assert {hit.document for hit in found.hits} == {"a.md", "b.md"}
    assert "phrase_relaxed" in [each.code for each in found.degraded]


def test_exclusions_and_prefixes() -> None:
    store = store_of({"a.md": "configure the server", "b.md": "configuration of clients", "c.md": "other"})
    assert {hit.document for hit in ask(store, "config*").hits} == {"a.md", "b.md"}
    assert {hit.document for hit in ask(store, "config* -server").hits} == {"b.md"}


_LONG = {"one long word": "a" * 100_000, "a long dotted name": "a." * 50_000, "a long path": "a::" * 30_000}


@pytest.mark.parametrize(
    "query",
    ["", "   ", "the of", '"', "🦄", "-", "* ( ) AND OR NOT", "\x00\x1b"]
    + [pytest.param(text, id=name) for name, text in _LONG.items()],
)
def test_odd_queries_have_an_answer(query: str) -> None:
    found = ask(store_of({"a.md": "some text"}), query)
    assert found.hits == ()


def test_a_query_of_ten_thousand_words_has_an_answer() -> None:
    store = store_of({"a.md": "needle in a haystack"})
    found = ask(store, "needle " + " ".join(f"word{n}" for n in range(10_000)))
    assert [hit.document for hit in found.hits] == ["a.md"]
    assert any("only the first" in note for note in found.notes)


def test_what_is_excluded_is_not_shown_through_a_link_either() -> None:
    pages = {
        "a.md": Page(("needle",), links=("b.md", "c.md")),
        "b.md": Page(("forbidden word", "another")),
        "c.md": "forbidden",
    }
    found = ask(store_of(pages), "needle -forbidden")
    assert {hit.id for hit in found.hits} == {"a.md#L1-L1", "b.md#L2-L2"}


def test_a_phrase_can_be_excluded_and_so_can_a_prefix() -> None:
    store = store_of({"a.md": "rank fusion", "b.md": "fusion of scores", "c.md": "fusion config"})
    assert {hit.document for hit in ask(store, 'fusion -"rank fusion"').hits} == {"b.md", "c.md"}
    assert {hit.document for hit in ask(store, "fusion -conf*").hits} == {"a.md", "b.md"}


@pytest.mark.parametrize("query", ["rotation*", "rota*", "ＲＯＴＡＴ*", "正規化*"])
def test_a_prefix_finds_what_the_word_finds(query: str) -> None:
    assert ask(store_of({"a.md": "rotation of keys 正規化", "b.md": "other"}), query).hits[0].document == "a.md"


def test_the_only_near_text_is_as_near_as_can_be() -> None:
    store = store_of({"a.md": "hay"}, {"a.md": [(1.0, 0.0)]})
    assert [hit.score for hit in ask(store, "needle", FixedEmbedder((1.0, 0.0))).hits] == [1.0]


def test_a_hub_hands_on_to_a_bounded_number_of_neighbours_and_says_so() -> None:
    pages = {"hub.md": Page(("needle",), links=tuple(f"{n}.md" for n in range(300)))}
    pages |= {f"{n}.md": Page(("hay",)) for n in range(300)}
    found = ask(store_of(pages), "needle")
    assert found.total_found == 21
    assert "fan_out" in [each.code for each in found.degraded]


def test_the_model_is_asked_without_operators() -> None:
    asked = []

    class Listening(FixedEmbedder):
        def embed_query(self, text: str) -> Any:
            asked.append(text)
            return super().embed_query(text)

    store = store_of({"a.md": "rank fusion search"}, {"a.md": [(1.0, 0.0)]})
    ask(store, 'search -legacy conf* "rank fusion"', Listening((1.0, 0.0)))
    assert asked == ["search rank fusion"]


def test_meaning_counts_by_what_kind_of_texts_there_are() -> None:
    """Vector weights: short texts .2, pages of forty terms or more .55, functions .9, half of each the mean."""
    page = " ".join(f"word{number}" for number in range(70))
    weights: dict[str, float] = {}
    kinds: dict[str, dict[str, object]] = {
        "remarks": {"a.md": "needle", "b.md": "hay"},
        "prose": {"a.md": f"needle {page}", "b.md": f"hay {page}"},
        "functions": {"a.py": Page(("needle",), kind="code"), "b.py": Page(("hay",), kind="code")},
        "both": {"a.md": f"needle {page}", "b.py": Page((f"hay {page}",), kind="code")},
    }
    for name, pages in kinds.items():
        first, second = pages
        store = store_of(pages, {first: [(0.0, 1.0)], second: [(1.0, 0.0)]})
        found = answer_query(AUTO, Query("needle"), Tools(store, (FixedEmbedder((1.0, 0.0)),)), Settings())
        weights[name] = next(round(hit.score, 4) for hit in found.hits if hit.document == second)
    assert weights == {"remarks": 0.2, "prose": 0.55, "functions": 0.9, "both": 0.725}


def test_a_document_with_more_to_say_is_a_better_source() -> None:
    """Both have a section that is as good as the other's; one has a second one on it.

    a's first section counts both: .7 + .3·(1 + 1)/2 = 1. b's first stands alone: .7 + .3·1/2 = .85, as does a's second.
    """
    pages = {"b.md": Page(("needle", "hay")), "a.md": Page(("needle", "needle"))}
    found = ask(store_of(pages), Query("needle", explain=True)).hits
    assert [(hit.document, round(hit.score, 5)) for hit in found] == [("a.md", 1.0), ("a.md", 0.85), ("b.md", 0.85)]
    assert all(hit.explanation and evaluate(hit.explanation) == pytest.approx(hit.score) for hit in found)


def test_documents_of_one_section_are_left_alone_by_their_own_mean() -> None:
    found = ask(store_of({"a.md": "needle", "b.md": "needle and more of it"}), "needle")
    assert (
        next(step.skipped for step in found.steps if step.stage == "aggregate_sections")
        == "no document has several sections"
    )


def test_words_and_links_can_be_blended_without_meaning() -> None:
    pages = {"a.md": Page(("needle",), links=("b.md",)), "b.md": Page(("hay",))}
    recipe = Recipe("mine", "Mine", (understand, lexical, walk_links, weighted_sum))
    hits = answer_query(recipe, Query("needle"), Tools(store_of(pages)), SETTINGS).hits
    assert hits[0].document == "a.md"


def test_length_counts_less_among_remarks() -> None:
    """Of two remarks with the word, the longer one is hardly worse; among pages it is much worse."""
    filling = " ".join(f"word{number}" for number in range(100))
    remarks = {"a.md": "needle", "b.md": "needle in all of this hay", "c.md": "straw"}
    pages = {"a.md": f"needle {filling}", "b.md": f"needle {filling} {filling} {filling}", "c.md": filling}
    short, long = ({hit.document: hit.score for hit in ask(store_of(each), "needle").hits} for each in (remarks, pages))
    assert long["b.md"] < short["b.md"] < 1.0
    skipped = {step.stage: step.skipped for step in ask(store_of(pages), "needle").steps}
    assert skipped["adapt_length_norm"] == "texts are long; length normalisation unchanged"


def test_where_texts_say_enough_the_number_that_is_set_holds_as_it_is() -> None:
    pages = store_of({"a.md": "needle " + " ".join(f"word{number}" for number in range(100))})
    settings = Settings(bm25=Bm25(b=FieldNorms(body=0.333)))
    steps = answer_query(AUTO, Query("needle"), Tools(pages), settings).steps
    assert (
        next(step.skipped for step in steps if step.stage == "adapt_length_norm")
        == "texts are long; length normalisation unchanged"
    )


def test_an_answer_is_marked_while_vectors_are_missing() -> None:
    """Words show that it is not relevant; that it is partial is said, too."""
    pages = {"a.md": "the keys of a piano", "b.md": "boats and harbours", "c.md": "tea from the mountains"}
    noise = "which keys did pilots of ancient carthage wear"
    assert ask(store_of(pages), noise).low_relevance
    partial = ask(store_of(pages, {"a.md": [(1.0, 0.0)]}), noise, FixedEmbedder((1.0, 0.0)))
    assert [each.code for each in partial.degraded] == ["partial_vectors"]
    assert partial.hits
    assert partial.low_relevance
