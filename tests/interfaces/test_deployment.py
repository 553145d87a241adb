"""The example files of the page on scale, and its model."""

from pathlib import Path
from typing import Any

import pytest
from scale_model import EMBEDDED_PER_SECOND, plan
from yaml12 import parse_yaml

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "docs/deploy"
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "ENTRYPOINT", "CMD"}


def test_the_container_file_has_only_instructions_and_files_that_exist() -> None:
    text = (FOLDER / "Containerfile").read_text().replace("\\\n", "")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    assert lines[0][0] == "FROM"
    assert {line[0] for line in lines} <= INSTRUCTIONS
    for line in lines:
        if line[0] == "COPY":
            assert all((REPOSITORY / name).exists() for name in line[1:-1])


def test_the_compose_file_refers_to_what_it_defines() -> None:
    compose: Any = parse_yaml((FOLDER / "compose.yaml").read_text())
    assert set(compose) == {"services", "secrets", "volumes"}
    indexer, database = compose["services"]["indexer"], compose["services"]["database"]
    assert set(indexer["depends_on"]) <= set(compose["services"])
    assert (FOLDER / indexer["build"]["context"] / indexer["build"]["dockerfile"]).exists()
    assert {*indexer["secrets"], *database["secrets"]} == set(compose["secrets"])
    named = {volume.partition(":")[0] for service in (indexer, database) for volume in service["volumes"]}
    assert {name for name in named if not name.startswith(".")} == set(compose["volumes"])
    mounted = [volume.partition(":")[0] for volume in database["volumes"] if volume.startswith(".")]
    assert all((FOLDER / path).exists() for path in mounted)
    assert "password" not in indexer["environment"]["WAYMEET_STORE_DSN"]


@pytest.mark.parametrize("sections", [1, 1_000_000, 60_000_000, 1_000_000_000])
def test_a_plan_grows_with_the_sections(sections: int) -> None:
    small, large = plan(sections), plan(10 * sections)
    assert large.disk == pytest.approx(10 * small.disk)
    assert large.servers >= small.servers >= 1
    assert small.embedding_days == pytest.approx(sections / EMBEDDED_PER_SECOND / 86_400)
