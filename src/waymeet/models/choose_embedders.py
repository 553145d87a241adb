"""The embedders that the user chose. A key in the environment alone chooses nothing."""

from collections.abc import Mapping, Sequence
from os import environ
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder
from waymeet.settings import Embedding

if TYPE_CHECKING:
    from waymeet.models.remote.providers import Provider
    from waymeet.ports import Vector

_HASHED = 256


def choose_embedders(numbers: Embedding, environment: Mapping[str, str] = environ) -> tuple[Embedder, ...]:
    """Make the chosen embedders, the main one first; each loads when it is first used. Empty if none was chosen.

    One that cannot be used says so when it is asked, so that everything else works and every answer says why.
    """
    try:
        return _made(numbers, environment)
    except EmbeddingError as error:
        return (_Unusable(numbers.provider, error),)


def _made(numbers: Embedding, environment: Mapping[str, str]) -> tuple[Embedder, ...]:
    made: tuple[Embedder, ...] = ()
    match numbers.provider:
        case "local":
            made = (_granite(), _multilingual())
        case "granite":
            made = (_granite(),)
        case "multilingual":
            made = (_multilingual(),)
        case "hashing":
            from waymeet.models.hashing import HashingEmbedder  # noqa: PLC0415 - start-up is a feature

            made = (HashingEmbedder(numbers.dimension or _HASHED),)
        case "auto":
            made = _by_keys(numbers, environment)
        case "folder":
            made = (_folder(numbers),)
        case "voyage" | "openai" | "cohere" | "compatible":
            made = (_remote(_provider(numbers), numbers, environment),)
    return made


class _Unusable:
    """Stands for an embedder that was chosen but cannot be used."""

    def __init__(self, name: str, error: EmbeddingError) -> None:
        self.space = f"{name}/unusable"
        self._error = error

    @property
    def dimension(self) -> int:
        """Say why not."""
        raise self._again()

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Take every language, to say why not."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Say why not."""
        del texts
        raise self._again()

    def embed_query(self, text: str) -> "Vector":
        """Say why not."""
        del text
        raise self._again()

    def _again(self) -> EmbeddingError:
        return EmbeddingError(self._error.message, self._error.hint)


def _granite() -> Embedder:
    from waymeet.models.local.granite import GraniteEmbedder  # noqa: PLC0415 - start-up is a feature

    return GraniteEmbedder()


def _multilingual() -> Embedder:
    from waymeet.models.local.multilingual import MultilingualEmbedder  # noqa: PLC0415 - likewise

    return MultilingualEmbedder()


def _folder(numbers: Embedding) -> Embedder:
    from waymeet.models.files.downloaded import find_model_folder  # noqa: PLC0415 - likewise
    from waymeet.models.local.folder_embedder import open_folder  # noqa: PLC0415 - start-up is a feature

    if not numbers.model:
        raise EmbeddingError(
            "embedding.provider is folder, but no model is named.", "Set embedding.model: waymeet models"
        )
    return open_folder(find_model_folder(numbers.model), numbers.query_prefix or None, numbers.passage_prefix or None)


def _by_keys(numbers: Embedding, environment: Mapping[str, str]) -> tuple[Embedder, ...]:
    """Take the first provider that a key is there for; what is set for another server is not for this one."""
    from waymeet.models.remote.providers import by_keys  # noqa: PLC0415 - start-up is a feature

    provider = by_keys(environment)
    if provider is None:
        return _granite(), _multilingual()
    return (_remote(provider, replace(numbers, query_prefix="", passage_prefix=""), environment),)


def _provider(numbers: Embedding) -> "Provider":
    from waymeet.models.remote import providers  # noqa: PLC0415 - start-up is a feature

    if numbers.provider == "compatible":
        if not (numbers.url and numbers.model):
            raise EmbeddingError(
                "embedding.provider is compatible, but nobody to ask is named.",
                "Set embedding.url and embedding.model.",
            )
        return providers.compatible(numbers.url, numbers.model, numbers.dimension, numbers.key_variable)
    make = {"voyage": providers.voyage, "openai": providers.openai, "cohere": providers.cohere}[numbers.provider]
    provider = make(numbers.model, numbers.dimension)
    if numbers.key_variable:
        provider = provider._replace(keys=(numbers.key_variable,))
    return providers.elsewhere(provider, numbers.url) if numbers.url else provider


def _remote(provider: "Provider", numbers: Embedding, environment: Mapping[str, str]) -> Embedder:
    from waymeet.models.remote.embedder import EmbedderLimits, HttpEmbedder  # noqa: PLC0415 - start-up is a feature

    patience = EmbedderLimits(
        query_seconds=numbers.query_seconds,
        try_seconds=numbers.timeout_seconds,
        batch_seconds=3.0 * numbers.timeout_seconds,
        requests=numbers.requests_per_minute,
        tokens=numbers.tokens_per_minute,
        text_chars=numbers.text_chars,
    )
    prefixed = provider._replace(query_prefix=numbers.query_prefix, passage_prefix=numbers.passage_prefix)
    return HttpEmbedder(prefixed, environment, patience)
