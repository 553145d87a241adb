"""The product on its own repository: what the README promises of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from waymeet.formulas.explain import evaluate
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
    found = repository.search(Query("recipeNamed", limit=3))
    assert "src/waymeet/recipes/__init__.py" in {hit.document for hit in found.hits}


def test_a_question_of_ten_words_with_an_unknown_one(repository: Project) -> None:
    assert repository.search("where does the flurbozzle code decide which files to ignore here").hits


def test_every_link_of_the_docs_leads_somewhere(repository: Project) -> None:
    assert repository.counts().dangling == 0
