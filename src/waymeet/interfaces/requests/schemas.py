"""Schemas for tools and for OpenAPI, made from the very types that are decoded and sent."""

from collections.abc import Iterable
from typing import Any

import msgspec


def schema(kind: type) -> dict[str, Any]:
    """Give the JSON Schema (2020-12) of one type, whole: what it refers to is found under its `$defs`."""
    return msgspec.json.schema(kind)


def flat_schema(kind: type) -> dict[str, Any]:
    """Give the JSON Schema of a request as one object without references, as clients of tools like it.

    A request has no structs inside, so that nothing is lost.
    """
    whole = msgspec.json.schema(kind)
    name = whole["$ref"].rpartition("/")[2]
    own: dict[str, Any] = whole["$defs"][name]
    if len(whole["$defs"]) > 1:
        raise AssertionError(f"{kind.__name__} is not flat")
    return {key: value for key, value in own.items() if key != "title"}


def components(
    kinds: Iterable[type], prefix: str = "#/components/schemas/"
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Give references to types, in their order, and the named schemas that they refer to, for OpenAPI 3.1."""
    references, named = msgspec.json.schema_components(tuple(kinds), ref_template=prefix + "{name}")
    return list(references), named
