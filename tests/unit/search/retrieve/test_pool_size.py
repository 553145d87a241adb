"""The length of the lists that are fused."""

import pytest
from support.corpus import store_of

from waymeet.search.retrieve.first_stage import lexical, pool_size
from waymeet.search.state import Search, Tools
from waymeet.search.understand.query import understand
from waymeet.settings import Pool, Settings
from waymeet.types import Query

SECTIONS = 60


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        pytest.param(Pool(factor=1, min=5), 5, id="at least min"),
        pytest.param(Pool(factor=1, min=5, share=0.5), 30, id="at least a share of all sections"),
        pytest.param(Pool(factor=1, min=5, share=0.5, share_max=20), 20, id="which has a maximum"),
        pytest.param(Pool(factor=1, min=40, share=0.5), 40, id="min is more than the share"),
        pytest.param(Pool(factor=90, min=5, share=0.5), 90, id="the requested results need more"),
    ],
)
def test_lists_have_a_length_by_results_minimum_and_share(pool: Pool, expected: int) -> None:
    tools = Tools(store_of({f"{n:02}.md": f"needle {n}" for n in range(SECTIONS)}))
    settings = Settings(pool=pool)
    query = Query("needle", limit=1)
    search = understand(Search(query, text=query.text), tools, settings)
    assert pool_size(search, tools, settings) == expected
    assert len(lexical(search, tools, settings).ranking("lexical")) == min(expected, SECTIONS)
