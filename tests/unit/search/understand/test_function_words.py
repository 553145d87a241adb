"""Function words of a question count less, unless they are written as code or are all there is."""

import pytest
from support.corpus import Page, store_of

from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query, start
from waymeet.search.state import Search, Tools
from waymeet.search.understand.function_words import weigh_function_words
from waymeet.search.understand.query import understand
from waymeet.settings import Settings, Understand
from waymeet.types import Query

STORE = store_of(
    {
        "keys.md": Page(("Rotate the signing keys every month and hand them to the next team",)),
        "over.md": Page(("Hand over a ticket when a shift is over and over again",)),
    }
)


def weigh(text: str, weight: float = 0.4) -> Search:
    settings = Settings(understand=Understand(function_word=weight))
    search = understand(start(AUTO, Query(text)), Tools(STORE), settings)
    return weigh_function_words(search, Tools(STORE), settings)


def weights(text: str) -> dict[str, float]:
    return {word.terms[0]: word.weight for word in weigh(text).words}


@pytest.mark.parametrize(
    ("query", "weak", "strong"),
    [
        ("how do we hand keys over", {"do", "over"}, {"hand", "key"}),
        ("does it rotate", {"doe", "does"}, {"rotat"}),
        ("鍵を交換するには", {"する", "るに", "には"}, {"交換"}),
        ("如何更换密钥", {"如何"}, {"更换", "密钥"}),
    ],
)
def test_function_words_count_less(query: str, weak: set[str], strong: set[str]) -> None:
    found = weights(query)
    assert {term for term, weight in found.items() if weight == 0.4} & weak == weak & found.keys()
    assert all(found[term] == 1.0 for term in strong)


@pytest.mark.parametrize("query", ["over() of keys", "the `over` clause of keys", '"over" keys', "over", "do if not"])
def test_code_quotations_and_queries_of_function_words_alone_count_fully(query: str) -> None:
    assert set(weights(query).values()) == {1.0}


def test_a_function_word_does_not_decide() -> None:
    answer = answer_query(AUTO, Query("hand keys over"), Tools(STORE), Settings())
    assert answer.hits[0].document == "keys.md"


def test_the_setting_disables_it() -> None:
    assert weigh("how do we hand keys over", 1.0).skipped == "setting understand.function_word"
