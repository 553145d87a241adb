"""Any request that its schema allows is answered, or refused with a helpful error."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waymeet import Project, WaymeetError
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.schemas import flat_schema

ODD = [
    *(
        " ",
        "\0",
        "a\0b",
        "../../etc/passwd",
        "/",
        ".",
        "#",
        ":1",
        "-",
        '"',
        '"""',
        "*",
        "-*",
        "\ud800",
        "\u202e",
        "💥" * 9,
    ),
    *("page.md", "page.md#L1-L2", "page.md#L999-L1", "page.md:0:0", "page.md~2", "Page", "C:\\x", "x" * 300, "[[x]]"),
    *("=", "a=", "=b", "a=b", "status=done", "due=2026-99-99", "x y=1", "title=", "---\na: b\n---\n", "\r\n"),
    *("2025", "2025-99", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "kind:code", "path:", "after:lunch"),
    *("auto", "classic", "deep", "memory", "threeway", "neighbours", "files", "hybrid", "vec_only", "keyword"),
]


def _values(described: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Make values that a schema allows, of the odder sort."""
    if "anyOf" in described:
        return st.one_of(*map(_values, described["anyOf"]))
    if "enum" in described:
        return st.sampled_from(described["enum"])
    if described["type"] == "integer":
        least, most = described.get("minimum", 0), described.get("maximum", 10)
        return st.sampled_from([least, most]) | st.integers(least, min(most, 50))
    if described["type"] == "array":
        return st.lists(_values(described["items"]), max_size=3)
    return st.booleans() if described["type"] == "boolean" else st.sampled_from(ODD) | st.text(max_size=12)


def _requests(name: str) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    described = flat_schema(OPERATIONS[name].request)
    needed = set(described.get("required", ()))
    fields = {field: _values(each) for field, each in described["properties"].items()}
    given_ = st.fixed_dictionaries(
        {field: fields[field] for field in needed},
        optional={field: each for field, each in fields.items() if field not in needed},
    )
    return given_.map(lambda values: (name, values))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    place = tmp_path_factory.mktemp("any")
    (place / "project").mkdir()
    (place / "project" / "page.md").write_text("# Page\n\nRotate the keys, see [other](other.md).\n", "utf-8")
    (place / "project" / "other.md").write_text("# Other\n\nMore about keys.\n", "utf-8")
    flags = ["embedding.provider=none"]
    with Project.open(place / "project", index=place / "index.sqlite", flags=flags) as opened:
        opened.index()
        yield opened


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(asked=st.one_of(*map(_requests, OPERATIONS)))
def test_any_request(project: Project, asked: tuple[str, dict[str, Any]]) -> None:
    name, values = asked
    operation = OPERATIONS[name]
    with suppress(WaymeetError):
        answer = operation.call(project, convert(operation.request, values))
        assert msgspec.json.decode(msgspec.json.encode(answer), type=operation.answer) == answer
