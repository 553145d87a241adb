"""The retrievers, used by the real libraries as their own would be."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from waymeet import Filters, Project, Query, WaymeetError

pytestmark = [  # what other libraries warn of when they are imported is not ours
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture
def opened(project: Path) -> Iterator[Project]:
    with Project.open(project) as opened:
        opened.index()
        yield opened


def test_langchain(opened: Project) -> None:
    pytest.importorskip("langchain_core", reason="LOUD: langchain-core is not installed, its adapter is NOT tested")
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    from waymeet.interfaces.adapters.langchain import WaymeetRetriever

    retriever = WaymeetRetriever(project=opened, limit=3)
    found = retriever.invoke("rotate signing keys")
    wanted = opened.search(Query("rotate signing keys", limit=3))
    assert [(each.id, each.metadata["score"]) for each in found] == [(hit.id, hit.score) for hit in wanted.hits]
    assert found[0].metadata["source"] == "docs/setup.md"
    assert found[0].metadata["degraded"] == [each.code for each in wanted.degraded]
    assert found[0].page_content == opened.read(found[0].id or "").text
    assert asyncio.run(retriever.ainvoke("rotate signing keys")) == found
    assert retriever.batch(["rotate", "fusion"])[0][0].metadata["source"] == "docs/setup.md"

    def sources(documents: list[Document]) -> list[str]:
        return [each.metadata["source"] for each in documents]

    chain = retriever | RunnableLambda(sources)
    assert chain.invoke("rotate signing keys")[0] == "docs/setup.md"
    only = WaymeetRetriever(project=opened, recipe="classic", filters=Filters(kinds=("code",)))
    assert {each.metadata["kind"] for each in only.invoke("get user by id")} == {"code"}
    assert {each.metadata["kind"] for each in WaymeetRetriever(project=opened, kinds=["code"]).invoke("user")} == {
        "code"
    }
    with pytest.raises(WaymeetError, match=r"no option 'limt'.*\nDid you mean limit"):
        WaymeetRetriever(project=opened, limt=3)  # type: ignore[call-arg]
    with pytest.raises(WaymeetError, match="no recipe"):
        WaymeetRetriever(project=opened, recipe="nope").invoke("x")


def test_llamaindex(opened: Project) -> None:
    pytest.importorskip("llama_index.core", reason="LOUD: llama-index-core is not installed, its adapter is NOT tested")
    from llama_index.core.schema import MetadataMode, QueryBundle

    from waymeet.interfaces.adapters.llamaindex import WaymeetRetriever

    retriever = WaymeetRetriever(opened, limit=3)
    found = retriever.retrieve("rotate signing keys")
    wanted = opened.search(Query("rotate signing keys", limit=3))
    assert [(each.node.node_id, each.score) for each in found] == [(hit.id, hit.score) for hit in wanted.hits]
    assert found[0].get_content() == opened.read(found[0].node.node_id).text
    shown = found[0].node.get_content(MetadataMode.LLM)
    assert "docs/setup.md" in shown
    assert "staleness" not in shown
    awaited = asyncio.run(retriever.aretrieve(QueryBundle("rotate signing keys")))
    assert [each.node.node_id for each in awaited] == [each.node.node_id for each in found]
    only = WaymeetRetriever(opened, recipe="classic", mode="bm25_only", kinds=["code"]).retrieve("user")
    assert {each.node.metadata["kind"] for each in only} == {"code"}
    with pytest.raises(WaymeetError, match=r"no option 'limt'.*\nDid you mean limit"):
        WaymeetRetriever(opened, limt=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(("adapter", "library"), [("langchain", "langchain_core"), ("llamaindex", "llama_index")])
def test_without_the_library_it_says_what_to_install(adapter: str, library: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; import waymeet.interfaces.adapters.{adapter}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"pip install 'waymeet[{adapter}]'" in ran.stderr
