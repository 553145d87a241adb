"""Search on this repository: the promises of the README."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run

from waymeet.formulas.explanation import evaluate
from waymeet.project import Project
from waymeet.types import Query

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with Project.open(REPOSITORY, index=tmp_path_factory.mktemp("index") / "index.sqlite") as project:
        project.index()
        yield project


def test_how_are_results_fused(repository: Project) -> None:
    found = repository.search(Query("how are results fused", explain=True))
    assert found.hits[0].document in {"docs/ranking.md", "src/waymeet/formulas/fusion.py", "src/waymeet/search/fuse.py"}
    for hit in found.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == pytest.approx(hit.score)


def test_an_identifier_in_another_style(repository: Project) -> None:
    found = repository.search(Query("findRecipe", limit=3))
    assert "src/waymeet/recipes/__init__.py" in {hit.document for hit in found.hits}


def test_a_question_of_ten_words_with_an_unknown_one(repository: Project) -> None:
    assert repository.search("where does the flurbozzle code decide which files to ignore here").hits


def test_every_link_of_the_docs_leads_somewhere(repository: Project) -> None:
    assert repository.counts().dangling == 0


def why_not(run: Run, repository: Project, *asked: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run("why-not", *asked, *here(repository)).out)
    return told


def here(repository: Project) -> list[str]:
    place = ["-C", str(repository.root), "--index", str(repository.index_path)]
    return ["--json", *place, "--set", "embedding.provider=none"]


def test_why_not_tells_the_stage_that_lost_a_document(run: Run, repository: Project) -> None:
    """A filtered one, one that ranks low, one that shares no word with the question, and two that are not indexed."""
    question = "how are results fused"
    told = why_not(run, repository, f"{question} kind:code", "docs/ranking.md")
    assert (told["verdict"], told["lost_at"]) == ("filtered", "filter")
    assert told["changes"] == ["drop kind:code from the query"]
    found = json.loads(run("search", question, *here(repository)).out)["hits"]
    ranked = list(dict.fromkeys(hit["document"] for hit in found))
    told = why_not(run, repository, question, ranked[-1], "-n", "3")
    assert (told["verdict"], told["lost_at"]) == ("outranked", "limit")
    assert told["rank"] > 3
    (limit,) = [each.split(":")[0].split()[1] for each in told["changes"] if each.startswith("--limit ")]
    assert why_not(run, repository, question, ranked[-1], "-n", limit)["verdict"] == "found"
    told = why_not(run, repository, "fused", "LICENSE")
    assert (told["verdict"], told["lost_at"]) == ("unmatched", "retrieve")
    told = why_not(run, repository, question, "node_modules/some/readme.md")
    assert (told["verdict"], told["lost_at"]) == ("not_indexed", "index")
    assert "ignored by" in told["reason"]
    told = why_not(run, repository, question, "nothing/of/the/kind.md")
    assert (told["verdict"], told["reason"]) == ("not_indexed", "there is no file nothing/of/the/kind.md")
