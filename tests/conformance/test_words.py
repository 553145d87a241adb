"""Lexical search: BM25F, its evidence, and the order of results."""

from math import log
from pathlib import Path

import pytest
from msgspec.structs import replace

from waymeet.ports import Store, word_idfs
from waymeet.settings import Bm25, FieldNorms, FieldWeights
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.segments.array_file import ArrayFile
from waymeet.stores.sqlite import SqliteStore
from waymeet.stores.sqlite.segments.maintenance import MaintenanceLimits
from waymeet.types import Filters, Word

from .make import entry, link, words

ALL = Filters()
WEIGHTS = FieldWeights(title=3.0, headings=2.0, path=0.0, tags=2.0, properties=1.0, triggers=3.0, inbound=1.0, body=1.0)
NORMS = FieldNorms(*[0.75] * 8)
NO_PATHS = Bm25(k1=1.2, b=NORMS, fields=WEIGHTS)
"""Numbers of the tests' own, so that better defaults do not break them."""


def found(store: Store, text: str, bm25: Bm25 = NO_PATHS, limit: int = 10) -> list[str]:
    return [hit.chunk for hit in store.rank_lexical(words(text), limit, ALL, bm25)]


def test_the_score_is_the_formula_in_numbers(store: Store) -> None:
    store.put(
        [
            entry("a.md", "alpha alpha gamma", title="alpha beta"),
            entry("b.md", "alpha delta epsilon zeta", title="beta"),
            entry("c.md", "gamma"),
        ]
    )
    # Three chunks, two with "alpha". Titles: lengths 2 and 1, mean 1.5. Bodies: 3, 4 and 1, mean 2.667, settled 2.7.
    rarity = log((3 - 2 + 0.5) / (2 + 0.5) + 1)
    title = 3.0 * 1 / (0.25 + 0.75 * 2 / 1.5)
    body = 1.0 * 2 / (0.25 + 0.75 * 3 / 2.7)
    a = rarity * (title + body) * 2.2 / (title + body + 1.2)
    body = 1.0 * 1 / (0.25 + 0.75 * 4 / 2.7)
    b = rarity * body * 2.2 / (body + 1.2)
    first, second = store.rank_lexical(words("alpha"), 10, ALL, NO_PATHS)
    assert (first.chunk, first.document) == ("a.md#L1-L1", "a.md")
    assert (second.chunk, second.document) == ("b.md#L1-L1", "b.md")
    assert first.score == pytest.approx(a, rel=1e-9) == pytest.approx(0.806176, abs=1e-6)
    assert second.score == pytest.approx(b, rel=1e-9) == pytest.approx(0.392662, abs=1e-6)


def test_link_text_counts_by_the_formula_too(store: Store) -> None:
    store.put(
        [
            entry("a.md", "x", links=[link("c", says="alpha beta"), link("c", says="alpha")]),
            entry("b.md", "x", links=[link("a", says="gamma"), link("nowhere", says="alpha")]),
            entry("c.md", "x", "y"),
        ]
    )
    # Inbound texts: c has "alpha beta alpha", a has "gamma": mean length 2. Both chunks of c hold the word.
    rarity = log((4 - 2 + 0.5) / (2 + 0.5) + 1)
    inbound = 1.0 * 2 / (0.25 + 0.75 * 3 / 2.0)
    score = rarity * inbound * 2.2 / (inbound + 1.2)
    hits = store.rank_lexical(words("alpha"), 10, ALL, NO_PATHS)
    assert [hit.chunk for hit in hits] == ["c.md#L1-L1", "c.md#L2-L2"]
    assert [hit.score for hit in hits] == pytest.approx([score, score], rel=1e-9)


def test_links_without_words_do_not_shorten_the_usual_link_text(store: Store) -> None:
    store.put(
        [entry("a.md", "x", links=[link("b", says="alpha beta"), link("c")]), entry("b.md", "x"), entry("c.md", "x")]
    )
    # One inbound text, of the usual length 2.
    (hit,) = store.rank_lexical(words("alpha"), 10, ALL, NO_PATHS)
    assert hit.score == pytest.approx(log((3 - 1 + 0.5) / (1 + 0.5) + 1) * 1 * 2.2 / (1 + 1.2), rel=1e-9)


def test_a_word_counts_all_its_terms_as_itself(store: Store) -> None:
    store.put(
        [entry("a.md", "colour color paint"), entry("b.md", "colour paint wall"), entry("c.md", "other words here")]
    )
    both = Word(("colour", "color", "color"), weight=2.0)
    rarity = log((3 - 2 + 0.5) / (2 + 0.5) + 1)
    first, second = store.rank_lexical([both], 10, ALL, NO_PATHS)
    assert first.score == pytest.approx(2.0 * rarity * 2 * 2.2 / (2 + 1.2), rel=1e-9)
    assert second.score == pytest.approx(2.0 * rarity * 1 * 2.2 / (1 + 1.2), rel=1e-9)


def test_any_of_the_words_is_enough(store: Store) -> None:
    store.put([entry("a.md", "rank fusion"), entry("b.md", "rank"), entry("c.md", "nothing")])
    assert found(store, "rank fusion missing words") == ["a.md#L1-L1", "b.md#L1-L1"]


@pytest.mark.parametrize("field", ["title", "path", "tags", "properties", "triggers", "headings", "body", "inbound"])
def test_every_field_is_searched_and_weight_zero_switches_it_off(store: Store, field: str) -> None:
    store.put(
        [
            entry(
                "folder/page.md",
                ("headingword", "bodyword"),
                title="titleword",
                tags=["tagsword"],
                properties={"key": "propertiesword"},
                triggers="triggersword",
            ),
            entry("linking.md", "x", links=[link("page", says="inboundword")]),
        ]
    )
    special = {"path": "folder", "headings": "headingword"}.get(field, f"{field}word")
    every = FieldWeights(*[1.0] * 8)
    assert found(store, special, Bm25(fields=every)) == ["folder/page.md#L1-L1"]
    assert found(store, special, Bm25(fields=replace(every, **{field: 0.0}))) == []


def test_a_field_of_weight_zero_does_not_make_a_word_common(store: Store) -> None:
    store.put([entry("alpha.md", "other"), entry("b.md", "alpha"), entry("c.md", "other")])
    (hit,) = store.rank_lexical(words("alpha"), 10, ALL, NO_PATHS)
    (part,) = store.lexical_evidence(words("alpha"), [hit.chunk], NO_PATHS)[hit.chunk]
    assert part.idf == pytest.approx(log((3 - 1 + 0.5) / (1 + 0.5) + 1))


def test_ties_are_in_the_order_of_document_and_position(store: Store) -> None:
    store.put([entry("b.md", "same", "same"), entry("a/z.md", "same"), entry("a.md", *["same"] * 11)])
    first = [f"a.md#L{line}-L{line}" for line in range(1, 12)]
    assert found(store, "same", limit=100) == [*first, "a/z.md#L1-L1", "b.md#L1-L1", "b.md#L2-L2"]
    assert found(store, "same", limit=3) == first[:3]


def test_ties_keep_their_order_however_many_there_are(store: Store) -> None:
    store.put([entry("top.md", "same same")])
    store.put([entry(f"{number:03}.md", "same") for number in reversed(range(600))])
    assert found(store, "same", limit=4) == ["top.md#L1-L1", "000.md#L1-L1", "001.md#L1-L1", "002.md#L1-L1"]


def test_the_limit_is_kept(store: Store) -> None:
    store.put([entry(f"{name}.md", "same") for name in "abc"])
    assert found(store, "same", limit=0) == []
    assert found(store, "same", limit=-1) == []
    assert len(found(store, "same", limit=2)) == 2


def test_evidence_adds_up_to_the_score(store: Store) -> None:
    store.put(
        [
            entry("a.md", ("rank", "rank fusion"), title="fusion", links=[link("b", says="rank")]),
            entry("b.md", "rank other"),
        ]
    )
    asked = [Word(("rank",), 2.0, "Ranks"), Word(("fusion", "other")), Word(("missing",))]
    hits = store.rank_lexical(asked, 10, ALL, NO_PATHS)
    parts = store.lexical_evidence(asked, [hit.chunk for hit in hits], NO_PATHS)
    assert len(hits) == 2
    for hit in hits:
        assert sum(part.weight * part.idf * part.saturation for part in parts[hit.chunk]) == hit.score
    assert [(part.word, part.fields) for part in parts["a.md#L1-L1"]] == [
        ("Ranks", ("headings", "body")),
        ("fusion other", ("title", "body")),
    ]
    assert [part.fields for part in parts["b.md#L1-L1"]] == [("inbound", "body"), ("body",)]


def test_evidence_needs_no_search_before(store: Store) -> None:
    store.put([entry("a.md", "rank"), entry("b.md", "other")])
    found = store.lexical_evidence(words("rank"), ["a.md#L1-L1", "b.md#L1-L1", "unknown"], Bm25())
    assert {chunk: len(parts) for chunk, parts in found.items()} == {"a.md#L1-L1": 1, "b.md#L1-L1": 0}


def test_words_without_occurrences_have_the_highest_idf(store: Store) -> None:
    store.put([entry("a.md", "rank fusion"), entry("b.md", "rank other", "more")])
    asked = [Word(("rank",), 2.0), Word(("fusion", "other")), Word(("fusion",)), Word(("missing",))]
    expected = [log((3 - n + 0.5) / (n + 0.5) + 1) for n in (2, 2, 1, 0)]
    assert store.chunk_frequencies(asked, NO_PATHS) == (2, 2, 1, 0)
    assert word_idfs(store, asked, NO_PATHS) == pytest.approx(expected)
    part = store.lexical_evidence(asked, ["a.md#L1-L1"], NO_PATHS)["a.md#L1-L1"][0]
    assert part.idf == word_idfs(store, asked, NO_PATHS)[0]
    assert store.chunk_frequencies([], NO_PATHS) == ()


def test_statistics_follow_every_change(store: Store) -> None:
    store.put([entry("a.md", "rank fusion")])
    alone = store.rank_lexical(words("rank"), 1, ALL, NO_PATHS)[0].score
    store.put([entry("b.md", "a much longer text without that word"), entry("c.md", "more")])
    rarer = store.rank_lexical(words("rank"), 1, ALL, NO_PATHS)[0].score
    assert rarer > alone
    store.drop(["b.md", "c.md"])
    assert store.rank_lexical(words("rank"), 1, ALL, NO_PATHS)[0].score == alone


def test_length_matters_as_much_as_b_says(store: Store) -> None:
    store.put([entry("a.md", "rank and a long tail of further words"), entry("b.md", "rank")])
    assert found(store, "rank") == ["b.md#L1-L1", "a.md#L1-L1"]
    flat = Bm25(b=FieldNorms(body=0.0), fields=WEIGHTS)
    first, second = store.rank_lexical(words("rank"), 10, ALL, flat)
    assert (first.chunk, first.score) == ("a.md#L1-L1", second.score)


def test_vocabulary_lists_the_most_used_terms_of_a_prefix(store: Store) -> None:
    store.put(
        [
            entry("x1.md", "rank ranger rank", "ranger", title="rank", links=[link("x2", says="ranges")]),
            entry("x2.md", "rank random", links=[link("nowhere", says="rankle")]),
        ]
    )
    assert store.terms_with_prefix("ran", 10) == ["rank", "ranger", "random", "rang"]
    assert store.terms_with_prefix("rank", 10) == ["rank"]
    assert store.terms_with_prefix("ran", 2) == ["rank", "ranger"]
    assert store.terms_with_prefix("ran", 0) == []
    assert store.terms_with_prefix("zzz", 10) == []
    assert store.terms_with_prefix("r", 10, "r*n[gk]*") == ["rank", "ranger", "rang"]
    assert store.terms_with_prefix("r", 1, "r*n[gk]*") == ["rank"]
    assert store.terms_with_prefix("r", 10, "*[z]*") == []


def test_known_terms_are_those_that_occur(store: Store) -> None:
    store.put([entry("x.md", "rank fusion", links=[link("y", says="ranges")]), entry("z.md", "random")])
    assert store.known_terms(["rank", "fusion", "rang", "random", "fus", "", "nowhere"]) == {"rank", "fusion", "random"}
    store.put([entry("y.md", "and")])
    store.drop(["z.md"])
    assert store.known_terms(["rang", "random"]) == {"rang"}


def test_cjk_terms_have_prefixes_too(store: Store) -> None:
    store.put([entry("x.md", "全文検索")])
    assert store.terms_with_prefix("検", 10) == ["検", "検索"]


_BULK = MaintenanceLimits(max_buffered=-1, min_segment=-1, max_loop_postings=-1, max_loop_postings_with_numpy=-1)
"""Everything in segments at once, every score by numpy."""


def test_precomputed_impacts_are_those_of_the_formula(tmp_path: Path) -> None:
    store, reference = SqliteStore.open(tmp_path / "index.db", create=True, limits=_BULK), MemoryStore()
    texts = ["rank fusion of ranks", "fusion cuisine with rice", "a long text on ranks " * 7, "nothing"]
    for each in (store, reference):
        each.put([entry(f"rank{n}.md", *texts[n % 3 :], title=texts[n % 4]) for n in range(40)])
    store.optimize()
    (parameters,) = [
        ArrayFile(path).attributes["impact parameters"] for path in (tmp_path / "index.db.segments").glob("*.segment")
    ]
    for numbers in (Bm25(), Bm25(k1=0.9)):  # those of the impacts, and others
        for asked in (words("rank"), words("fusion text md"), words("rank fusion of rice")):
            expected = reference.rank_lexical(asked, 20, Filters(), numbers)
            assert store.rank_lexical(asked, 20, Filters(), numbers) == expected
        assert (parameters["k1"] == [numbers.k1]) == (numbers == Bm25())
    store.drop(["rank3.md"])
    reference.drop(["rank3.md"])
    assert store.rank_lexical(words("rank"), 99, Filters(), Bm25()) == reference.rank_lexical(
        words("rank"), 99, Filters(), Bm25()
    )
    store.close()


def test_postings_are_the_occurrences_by_field_and_chunk(store: Store) -> None:
    store.put([entry("a.md", "alpha alpha gamma", "beta", title="alpha beta"), entry("b.md", "gamma")])
    store.put([entry("b.md", "alpha delta")])
    alpha, nothing = (
        {field: dict(chunks) for field, chunks in postings.items() if chunks}
        for postings in store.postings(["alpha", "epsilon"], ["title", "body"])
    )
    assert alpha == {
        "title": {"a.md#L1-L1": (1, 2), "a.md#L2-L2": (1, 2)},
        "body": {"a.md#L1-L1": (2, 3), "b.md#L1-L1": (1, 2)},
    }
    assert nothing == {}
    assert "title" not in store.postings(["alpha"], ["body"])[0]
