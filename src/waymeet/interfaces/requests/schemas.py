"""JSON schemas of requests and answers, for MCP tools and OpenAPI."""

from collections.abc import Iterable
from typing import Any

import msgspec


def schema(kind: type) -> dict[str, Any]:
    """Build the JSON Schema (2020-12) of a type, with referenced types under `$defs`."""
    return msgspec.json.schema(kind)


def flat_schema(kind: type) -> dict[str, Any]:
    """Build the JSON Schema of a request as one object without references.

    Some clients of tools do not resolve references. A request contains no other struct, so none is needed.
    """
    document = msgspec.json.schema(kind)
    name = document["$ref"].rpartition("/")[2]
    definition: dict[str, Any] = document["$defs"][name]
    if len(document["$defs"]) > 1:
        raise AssertionError(f"{kind.__name__} is not flat")
    return {key: value for key, value in definition.items() if key != "title"}


def components(
    kinds: Iterable[type], prefix: str = "#/components/schemas/"
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Build references to types, in their order, and the schemas they refer to, for OpenAPI 3.1."""
    references, schemas = msgspec.json.schema_components(tuple(kinds), ref_template=prefix + "{name}")
    return list(references), schemas
