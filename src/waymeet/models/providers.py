"""Embedding models behind the network, used only when the user chose one: Voyage, OpenAI, Cohere, or any like OpenAI's.

A key that happens to lie in the environment sends nothing anywhere: keys are read when a provider was chosen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from os import environ
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.http import PATIENT, REAL, Clock, Manners, Refused, post

if TYPE_CHECKING:
    from waymeet.ports import Vector

Side = Literal["query", "passage"]
Body = dict[str, Any]


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
    vectors: Callable[[bytes], list[list[float]]]
    most_texts: int
    most_characters: int
    """In one request: providers limit tokens, and a character is at most about one."""
    query_prefix: str = ""
    passage_prefix: str = ""


class _Placed(Struct, frozen=True):
    index: int
    embedding: list[float]


class _Listed(Struct, frozen=True):
    data: list[_Placed]


class _Floats(Struct, frozen=True):
    floats: list[list[float]] = msgspec.field(name="float")


class _Cohere(Struct, frozen=True):
    embeddings: _Floats


def _listed(answer: bytes) -> list[list[float]]:
    placed = sorted(msgspec.json.decode(answer, type=_Listed).data, key=lambda each: each.index)
    if [each.index for each in placed] != list(range(len(placed))):
        raise ValueError("its vectors are not numbered in a row")
    return [each.embedding for each in placed]


def voyage(model: str = "voyage-3.5", dimension: int = 1024) -> Provider:
    """Speak to Voyage."""

    def body(provider: Provider, texts: Sequence[str], side: Side) -> Body:
        kind = "query" if side == "query" else "document"
        asked = {"input": texts, "model": provider.model, "input_type": kind}
        return {**asked, "output_dimension": provider.dimension, "truncation": True}

    url = "https://api.voyageai.com/v1/embeddings"
    return Provider("voyage", url, model, dimension, ("VOYAGE_API_KEY",), body, _listed, 128, 100_000)


def openai(model: str = "text-embedding-3-small", dimension: int = 1536) -> Provider:
    """Speak to OpenAI."""

    def body(provider: Provider, texts: Sequence[str], _: Side) -> Body:
        asked = {"input": texts, "model": provider.model, "encoding_format": "float"}
        return {**asked, "dimensions": provider.dimension}

    url = "https://api.openai.com/v1/embeddings"
    return Provider("openai", url, model, dimension, ("OPENAI_API_KEY",), body, _listed, 256, 200_000)


def cohere(model: str = "embed-v4.0", dimension: int = 1024) -> Provider:
    """Speak to Cohere."""

    def body(provider: Provider, texts: Sequence[str], side: Side) -> Body:
        kind = "search_query" if side == "query" else "search_document"
        asked = {"texts": texts, "model": provider.model, "input_type": kind, "embedding_types": ["float"]}
        return {**asked, "output_dimension": provider.dimension, "truncate": "END"}

    def vectors(answer: bytes) -> list[list[float]]:
        return msgspec.json.decode(answer, type=_Cohere).embeddings.floats

    url, keys = "https://api.cohere.com/v2/embed", ("CO_API_KEY", "COHERE_API_KEY")
    return Provider("cohere", url, model, dimension, keys, body, vectors, 96, 100_000)


def compatible(
    url: str,
    model: str,
    *,
    dimension: int | None = None,
    key: str = "",
    query_prefix: str = "",
    passage_prefix: str = "",
) -> Provider:
    """Speak to any server that answers as OpenAI does (Ollama, LM Studio, vLLM, TEI); `url` ends in `/v1`.

    `key` names the environment variable that holds one, if the server wants it. Without a dimension the server is asked
    for whatever its model gives.
    """

    def body(provider: Provider, texts: Sequence[str], _: Side) -> Body:
        return {"input": texts, "model": provider.model, "encoding_format": "float"}

    whole = url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
    keys = (key,) if key else ()
    return Provider(
        "compatible", whole, model, dimension, keys, body, _listed, 32, 50_000, query_prefix, passage_prefix
    )


def by_keys(environment: Mapping[str, str] = environ) -> Provider | None:
    """Choose the first provider that a key is there for. To be asked only if the user wants it chosen so."""
    known = (voyage(), openai(), cohere())
    return next((each for each in known if any(environment.get(name) for name in each.keys)), None)


class HttpEmbedder:
    """Embeds by asking a provider, in batches; refuses whatever is not a vector of the right length for every text."""

    def __init__(
        self,
        provider: Provider,
        environment: Mapping[str, str] = environ,
        manners: Manners = PATIENT,
        clock: Clock = REAL,
    ) -> None:
        self._provider = provider
        self._manners = manners
        self._clock = clock
        self._key = next((found for name in provider.keys if (found := environment.get(name, "").strip())), "")
        if provider.keys and not self._key:
            names = " or ".join(provider.keys)
            raise EmbeddingError(
                f"{provider.name} needs a key, and {names} is not set.", f"Set {names}, or choose another provider."
            )
        self._dimension = provider.dimension
        self.lane = _lane(provider)

    @property
    def dimension(self) -> int:
        """Say how long its vectors are; a server that nobody asked yet is asked."""
        if self._dimension is None:
            self._dimension = len(self._ask(["dimension"], "query")[0])
        return self._dimension

    def suits(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Take every language."""
        return True

    def passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts to be found; those without any visible character are not sent and become the first axis."""
        return self._embed(texts, "passage")

    def query(self, text: str) -> "Vector":
        """Embed a question."""
        return self._embed([text], "query")[0]

    def _embed(self, texts: Sequence[str], side: Side) -> Sequence["Vector"]:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        prefix = self._provider.query_prefix if side == "query" else self._provider.passage_prefix
        sent = [at for at, text in enumerate(texts) if text.strip()]
        found: dict[int, Vector] = {}
        for batch in _batches(sent, texts, self._provider):
            rows = self._ask([prefix + _clean(texts[at], self._provider) for at in batch], side)
            found.update(zip(batch, rows, strict=True))
        nothing = np.zeros(self.dimension, dtype=np.float32)
        nothing[0] = 1.0
        return [found.get(at, nothing) for at in range(len(texts))]

    def _ask(self, texts: Sequence[str], side: Side) -> Sequence["Vector"]:
        provider = self._provider
        headers = {"User-Agent": "waymeet"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        body = msgspec.json.encode(provider.body(provider, texts, side))
        try:
            answer = post(provider.url, headers, body, self._manners, self._clock)
        except Refused as refused:
            raise self._error(refused) from None  # its cause may quote the request
        try:
            return self._checked(provider.vectors(answer), len(texts))
        except (ValueError, msgspec.MsgspecError) as error:
            raise EmbeddingError(
                f"{provider.name} sent an answer that cannot be used: {error}.", "Check the model's name, or try later."
            ) from error

    def _checked(self, rows: list[list[float]], wanted: int) -> Sequence["Vector"]:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        if len(rows) != wanted:
            raise ValueError(f"{len(rows)} vectors for {wanted} texts")
        expected = self._dimension or len(rows[0])
        if any(len(row) != expected for row in rows):
            length = next(len(row) for row in rows if len(row) != expected)
            raise ValueError(f"a vector has {length} numbers, not {expected}")
        vectors = np.asarray(rows, dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not expected or not np.isfinite(vectors).all() or not np.isfinite(lengths).all() or not lengths.all():
            raise ValueError("a vector is zero or not finite")
        self._dimension = expected
        return list((vectors / lengths).astype(np.float32))

    def _error(self, refused: Refused) -> EmbeddingError:
        """Say what to do about a refusal; a key is never repeated, even if the server did."""
        provider, told = self._provider, refused.told
        if self._key:
            told = told.replace(self._key, "…")
        said = f": {told}" if told else ""
        if refused.status in {401, 403}:
            names = " or ".join(provider.keys)
            hint = (
                f"Check the key in {names}." if names else "The server wants a key: name its variable in the settings."
            )
            return EmbeddingError(f"{provider.name} does not accept the key (HTTP {refused.status}){said}", hint)
        if refused.status == 429:
            return EmbeddingError(
                f"{provider.name} answers too many requests (HTTP 429){said}", "Try later: what was embedded stays."
            )
        if refused.status == 404:
            return EmbeddingError(
                f"{provider.name} knows no model {provider.model} at {provider.url}{said}", "Check both."
            )
        return EmbeddingError(f"{provider.name} answers with an error (HTTP {refused.status}){said}", "Try later.")


def _lane(provider: Provider) -> str:
    """Name the space: provider, model, length; a server's address and prefixes only as a mark."""
    name = f"{provider.name}-{provider.model}"
    if provider.dimension:
        name += f"-{provider.dimension}"
    if provider.name == "compatible":
        known = f"{provider.url}\0{provider.query_prefix}\0{provider.passage_prefix}"
        name += f"-{blake2b(known.encode(), digest_size=4).hexdigest()}"
    return f"{name}/1"


def _clean(text: str, provider: Provider) -> str:
    return text[: provider.most_characters].encode("utf-8", "replace").decode("utf-8")  # no lone surrogates


def _batches(chosen: Sequence[int], texts: Sequence[str], provider: Provider) -> Iterator[list[int]]:
    """Put texts together as far as the provider allows."""
    batch: list[int] = []
    size = 0
    for at in chosen:
        length = min(len(texts[at]), provider.most_characters)
        if batch and (len(batch) == provider.most_texts or size + length > provider.most_characters):
            yield batch
            batch, size = [], 0
        batch.append(at)
        size += length
    if batch:
        yield batch
