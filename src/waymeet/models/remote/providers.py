"""Request and response formats of embedding providers.

These are Voyage, OpenAI, Cohere, and servers compatible with OpenAI's API. Keys are read only after a provider was
chosen: a key in the environment alone sends nothing.

Limits are in bytes of UTF-8. No tokenizer makes more tokens of a text than it has bytes, so a request within these
limits is within the providers' limits of tokens, in every language and for every model. (The providers' limits as of
November 2026: Voyage 1,000 texts and 120,000 tokens or more, depending on the model; OpenAI 2,048 texts, 300,000
tokens, 8,192 in one text; Cohere 96 texts. Voyage and Cohere truncate long texts themselves, OpenAI refuses them.)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

Side = Literal["query", "passage"]
Body = dict[str, Any]
Rows = list[list[float | None]]
"""Vectors as decoded; some servers write NaN as null."""


class _Item(Struct, frozen=True):
    index: int
    embedding: list[float | None]


class OpenAiReply(Struct, frozen=True):
    """A response in OpenAI's format, which most servers use."""

    data: list[_Item]

    def rows(self) -> Rows:
        """Return the vectors in the order of the texts."""
        items = sorted(self.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(len(items))):
            raise ValueError("its vectors are not numbered consecutively")
        return [item.embedding for item in items]


class _Floats(Struct, frozen=True):
    floats: Rows = msgspec.field(name="float")


class CohereReply(Struct, frozen=True):
    """A response in Cohere's format."""

    embeddings: _Floats

    def rows(self) -> Rows:
        """Return the vectors in the order of the texts."""
        return self.embeddings.floats


class Provider(NamedTuple):
    """Address, format and limits of a provider."""

    name: str
    url: str
    model: str
    dimension: int | None
    """Length of the vectors; None if only the server knows."""
    keys: tuple[str, ...]
    """Environment variables that may hold the key, in order of preference; empty if no key is needed."""
    body: Callable[["Provider", Sequence[str], Side], Body]
    reply: type[OpenAiReply | CohereReply]
    max_texts: int
    """In one request."""
    max_bytes: int
    """In one request."""
    text_bytes: int
    """Of one text; a longer text is truncated."""
    optional: frozenset[str] = frozenset()
    """Fields that are omitted once the server has refused them by name."""
    query_prefix: str = ""
    passage_prefix: str = ""
    is_default_url: bool = True


def voyage(model: str = "", dimension: int = 0) -> Provider:
    """Describe Voyage.

    Its older models have a fixed dimension.
    """
    model = model or "voyage-4"
    is_fixed = model.endswith("-2") or model in {"voyage-3", "voyage-3-lite"}

    def body(provider: Provider, texts: Sequence[str], side: Side) -> Body:
        kind = "query" if side == "query" else "document"
        fields = {"input": texts, "model": provider.model, "input_type": kind, "truncation": True}
        return fields if is_fixed else {**fields, "output_dimension": provider.dimension}

    url, keys, default = "https://api.voyageai.com/v1/embeddings", ("VOYAGE_API_KEY",), None if is_fixed else 1024
    return Provider("voyage", url, model, dimension or default, keys, body, OpenAiReply, 128, 110_000, 32_000)


def openai(model: str = "", dimension: int = 0) -> Provider:
    """Describe OpenAI.

    Only its models of the third generation accept a dimension.
    """
    model = model or "text-embedding-3-small"
    is_variable = model.startswith("text-embedding-3-")
    default = 3072 if model == "text-embedding-3-large" else 1536

    def body(provider: Provider, texts: Sequence[str], _: Side) -> Body:
        fields: Body = {"input": texts, "model": provider.model, "encoding_format": "float"}
        return {**fields, "dimensions": provider.dimension} if is_variable else fields

    url, keys = "https://api.openai.com/v1/embeddings", ("OPENAI_API_KEY",)
    return Provider("openai", url, model, dimension or default, keys, body, OpenAiReply, 256, 280_000, 8_190)


def cohere(model: str = "", dimension: int = 0) -> Provider:
    """Describe Cohere.

    Its models before the fourth generation have a fixed dimension.
    """
    model = model or "embed-v4.0"
    is_fixed = model.endswith(("-v2.0", "-v3.0"))
    default = None if is_fixed else 1024

    def body(provider: Provider, texts: Sequence[str], side: Side) -> Body:
        kind = "search_query" if side == "query" else "search_document"
        fields = {"texts": texts, "model": provider.model, "input_type": kind, "embedding_types": ["float"]}
        return fields | {"truncate": "END"} | ({} if is_fixed else {"output_dimension": provider.dimension})

    url, keys = "https://api.cohere.com/v2/embed", ("CO_API_KEY", "COHERE_API_KEY")
    return Provider("cohere", url, model, dimension or default, keys, body, CohereReply, 96, 110_000, 32_000)


def compatible(url: str, model: str, dimension: int = 0, key: str = "") -> Provider:
    """Describe a server compatible with OpenAI's API (Ollama, LM Studio, vLLM, TEI).

    `url` ends in `/v1`. `key` names the environment variable that holds the key, if the server requires one. Without a
    dimension the model's own is used. TEI accepts at most 32 texts per request by default.
    """

    def body(provider: Provider, texts: Sequence[str], _: Side) -> Body:
        fields = {"input": texts, "model": provider.model, "encoding_format": "float"}
        return fields | ({"dimensions": provider.dimension} if provider.dimension else {})

    return Provider(
        "compatible",
        _complete_url(url, "embeddings"),
        model,
        dimension or None,
        (key,) if key else (),
        body,
        OpenAiReply,
        32,
        60_000,
        8_190,
        optional=frozenset({"encoding_format"}),
        is_default_url=False,
    )


def with_url(provider: Provider, url: str) -> Provider:
    """Use a provider at another address, such as a company's gateway.

    `url` ends in `/v1` or `/v2`.
    """
    return provider._replace(url=_complete_url(url, provider.url.rpartition("/")[2]), is_default_url=False)


def choose_by_keys(environment: Mapping[str, str]) -> Provider | None:
    """Choose the first provider whose key is set.

    Only for users who set the provider to `auto`.
    """
    providers = (voyage(), openai(), cohere())
    return next(
        (
            provider
            for provider in providers
            if any(environment.get(variable, "").strip() for variable in provider.keys)
        ),
        None,
    )


def _complete_url(url: str, path: str) -> str:
    return url.rstrip("/").removesuffix(f"/{path}") + f"/{path}"
