"""How providers of embeddings on the network are spoken to: Voyage, OpenAI, Cohere, or any like OpenAI's.

A key that happens to lie in the environment sends nothing anywhere: keys are read when a provider was chosen.

Limits are kept in bytes of UTF-8: no tokenizer makes more tokens of a text than it has bytes, so that whatever is sent
is within what the providers allow, in any language and for any model. (Their limits as of November 2026: Voyage 1,000
texts and 120,000 tokens or more, depending on the model; OpenAI 2,048 texts, 300,000 tokens, 8,192 in one text; Cohere
96 texts. Voyage and Cohere cut long texts themselves, OpenAI refuses them.)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

Side = Literal["query", "passage"]
Body = dict[str, Any]
Rows = list[list[float | None]]
"""Vectors as they come; some servers write what is not a number as null."""


class _Placed(Struct, frozen=True):
    index: int
    embedding: list[float | None]


class Listed(Struct, frozen=True):
    """An answer in the form of OpenAI, which most speak."""

    data: list[_Placed]

    def rows(self) -> Rows:
        """Give the vectors in the order of the texts, whatever the order of the answer."""
        placed = sorted(self.data, key=lambda each: each.index)
        if [each.index for each in placed] != list(range(len(placed))):
            raise ValueError("its vectors are not numbered in a row")
        return [each.embedding for each in placed]


class _Floats(Struct, frozen=True):
    floats: Rows = msgspec.field(name="float")


class Cohere(Struct, frozen=True):
    """An answer in the form of Cohere."""

    embeddings: _Floats

    def rows(self) -> Rows:
        """Give the vectors in the order of the texts."""
        return self.embeddings.floats


class Provider(NamedTuple):
    """How one provider is spoken to."""

    name: str
    url: str
    model: str
    dimension: int | None
    """How long vectors shall be; none if only the server knows."""
    keys: tuple[str, ...]
    """Environment variables that may hold the key, best first; none if the server wants no key."""
    body: Callable[["Provider", Sequence[str], Side], Body]
    reply: type[Listed | Cohere]
    most_texts: int
    """In one request."""
    most_bytes: int
    """In one request."""
    text_bytes: int
    """Of one text; the rest of a longer one is not sent."""
    optional: frozenset[str] = frozenset()
    """What is left out of the body if the server refuses it by name."""
    query_prefix: str = ""
    passage_prefix: str = ""
    usual_url: bool = True


def voyage(model: str = "", dimension: int = 0) -> Provider:
    """Speak to Voyage; its older models have one dimension only."""
    model = model or "voyage-4"
    fixed = model.endswith("-2") or model in {"voyage-3", "voyage-3-lite"}

    def body(provider: Provider, texts: Sequence[str], side: Side) -> Body:
        kind = "query" if side == "query" else "document"
        asked = {"input": texts, "model": provider.model, "input_type": kind, "truncation": True}
        return asked if fixed else {**asked, "output_dimension": provider.dimension}

    url, keys, usual = "https://api.voyageai.com/v1/embeddings", ("VOYAGE_API_KEY",), None if fixed else 1024
    return Provider("voyage", url, model, dimension or usual, keys, body, Listed, 128, 110_000, 32_000)


def openai(model: str = "", dimension: int = 0) -> Provider:
    """Speak to OpenAI; only its models of the third generation can be asked for a dimension."""
    model = model or "text-embedding-3-small"
    variable = model.startswith("text-embedding-3-")
    usual = 3072 if model == "text-embedding-3-large" else 1536

    def body(provider: Provider, texts: Sequence[str], _: Side) -> Body:
        asked: Body = {"input": texts, "model": provider.model, "encoding_format": "float"}
        return {**asked, "dimensions": provider.dimension} if variable else asked

    url, keys = "https://api.openai.com/v1/embeddings", ("OPENAI_API_KEY",)
    return Provider("openai", url, model, dimension or usual, keys, body, Listed, 256, 280_000, 8_190)


def cohere(model: str = "", dimension: int = 0) -> Provider:
    """Speak to Cohere; its models before the fourth generation have one dimension only."""
    model = model or "embed-v4.0"
    fixed = model.endswith(("-v2.0", "-v3.0"))
    usual = None if fixed else 1024

    def body(provider: Provider, texts: Sequence[str], side: Side) -> Body:
        kind = "search_query" if side == "query" else "search_document"
        asked = {"texts": texts, "model": provider.model, "input_type": kind, "embedding_types": ["float"]}
        return asked | {"truncate": "END"} | ({} if fixed else {"output_dimension": provider.dimension})

    url, keys = "https://api.cohere.com/v2/embed", ("CO_API_KEY", "COHERE_API_KEY")
    return Provider("cohere", url, model, dimension or usual, keys, body, Cohere, 96, 110_000, 32_000)


def compatible(url: str, model: str, dimension: int = 0, key: str = "") -> Provider:
    """Speak to any server that answers as OpenAI does (Ollama, LM Studio, vLLM, TEI); `url` ends in `/v1`.

    `key` names the environment variable that holds one, if the server wants it. Without a dimension the server is asked
    for whatever its model gives. TEI takes no more than 32 texts at once unless it is told to.
    """

    def body(provider: Provider, texts: Sequence[str], _: Side) -> Body:
        asked = {"input": texts, "model": provider.model, "encoding_format": "float"}
        return asked | ({"dimensions": provider.dimension} if provider.dimension else {})

    whole, keys = _complete(url, "embeddings"), ((key,) if key else ())
    optional = frozenset({"encoding_format"})
    return Provider(
        "compatible", whole, model, dimension or None, keys, body, Listed, 32, 60_000, 8_190, optional, usual_url=False
    )


def elsewhere(provider: Provider, url: str) -> Provider:
    """Speak to a provider at another address, such as that of a company's gateway; `url` ends in `/v1` or `/v2`."""
    return provider._replace(url=_complete(url, provider.url.rpartition("/")[2]), usual_url=False)


def by_keys(environment: Mapping[str, str]) -> Provider | None:
    """Choose the first provider that a key is there for. To be asked only if the user wants it chosen so."""
    known = (voyage(), openai(), cohere())
    return next((each for each in known if any(environment.get(name, "").strip() for name in each.keys)), None)


def _complete(url: str, ending: str) -> str:
    return url.rstrip("/").removesuffix(f"/{ending}") + f"/{ending}"
