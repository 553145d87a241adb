"""Every response of the HTTP API conforms to its OpenAPI description."""

import json
import os
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi import checks
from support.server_process import Served, isolated_environment, make, served

from waymeet.interfaces.http.openapi import build_description

_EXAMPLES = 60 if os.environ.get("TORTURE") else 5
"""Requests to each operation, of each kind; with all operations, that takes less than a minute on a quiet machine."""
load_all_checks()
_CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("schema")
    with served(make(folder / "project"), isolated_environment(folder)) as running:
        made = running.ask("POST", "/v1/notes", {"title": "Something", "text": "To be changed."}, token=True)
        assert made.status == 201
        yield running


@pytest.mark.parametrize("manner", ["positive", "negative"])
def test_nothing_is_answered_otherwise_than_described(server: Served, manner: str) -> None:
    description = schemathesis.openapi.from_dict(_description())
    operations: list[Any] = [found.ok() for found in description.get_all_operations()]  # type: ignore[union-attr]  # or it raises
    assert len(operations) >= 38
    statuses: dict[str, set[int]] = {}
    for operation in operations:
        if manner == "negative" and not (operation.path_parameters or operation.query or operation.body):
            continue  # there is nothing to be wrong
        _try(server, operation, GenerationMode(manner), statuses.setdefault(operation.label, set()))
    reached = set[int]().union(*statuses.values())
    assert {200, 404} <= reached if manner == "positive" else {400} <= reached
    assert server.ask("GET", "/healthz").status == 200


def _description() -> dict[str, Any]:
    description: dict[str, Any] = json.loads(msgspec.json.encode(build_description()))
    return description


def _check_form(whole: dict[str, Any], operation: Any, reply: Any) -> None:
    """Validate an answer by its schema.

    The check of schemathesis itself does not support `prefixItems`.
    """
    answers = whole["paths"][operation.path][operation.method]["responses"]
    kind = reply.headers["content-type"][0].partition(";")[0]
    if kind.endswith("json"):
        schema = answers[str(reply.status_code)]["content"][kind]["schema"]
        jsonschema_rs.Draft202012Validator({**schema, "components": whole["components"]}).validate(reply.json())


def _try(server: Served, operation: Any, mode: GenerationMode, seen: set[int]) -> None:
    whole = _description()

    @settings(
        max_examples=_EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        reply = case.call(base_url=server.address, headers={"Authorization": f"Bearer {server.token}"})
        seen.add(reply.status_code)
        case.validate_response(reply, checks=_CHECKS)
        _check_form(whole, operation, reply)

    send()
