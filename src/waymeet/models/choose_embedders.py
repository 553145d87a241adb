"""Construction of the embedders that the settings name.

A key in the environment alone chooses nothing.
"""

from collections.abc import Mapping, Sequence
from os import environ
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, Student
from waymeet.settings import Embedding

if TYPE_CHECKING:
    from waymeet.models.remote.providers import Provider
    from waymeet.ports import Vector

_HASHING_DIMENSION = 256


def choose_embedders(settings: Embedding, environment: Mapping[str, str] = environ) -> tuple[Embedder, ...]:
    """Build the chosen embedders, the main one first.

    The result is empty if none was chosen. Each embedder loads its model on first use. One that cannot be used raises
    its error then: everything else works, and every answer names the reason.
    """
    try:
        return _build_embedders(settings, environment)
    except EmbeddingError as error:
        return (_Unusable(settings.provider, error),)


def _build_embedders(settings: Embedding, environment: Mapping[str, str]) -> tuple[Embedder, ...]:
    embedders: tuple[Embedder, ...] = ()
    match settings.provider:
        case "local":
            embedders = (_build_granite(), _build_multilingual())
        case "granite":
            embedders = (_build_granite(),)
        case "multilingual":
            embedders = (_build_multilingual(),)
        case "hashing":
            from waymeet.models.hashing import HashingEmbedder  # noqa: PLC0415 - start-up is a feature

            embedders = (HashingEmbedder(settings.dimension or _HASHING_DIMENSION),)
        case "auto":
            embedders = _build_by_keys(settings, environment)
        case "folder":
            embedders = (_build_from_folder(settings),)
        case "voyage" | "openai" | "cohere" | "compatible":
            embedders = (_build_remote(_describe_provider(settings), settings, environment),)
    return embedders


def choose_student(model: str) -> Student | None:
    """Return the student that predicts the vectors of a model, or None if there is none."""
    from waymeet.models.local.granite import GraniteEmbedder  # noqa: PLC0415 - start-up is a feature

    if model != GraniteEmbedder.space:
        return None
    from waymeet.models.student.texts import TextStudent  # noqa: PLC0415 - likewise

    return TextStudent()


class _Unusable:
    """A chosen embedder that cannot be used.

    Raises its error on every use.
    """

    def __init__(self, name: str, error: EmbeddingError) -> None:
        self.space = f"{name}/unusable"
        self._error = error

    @property
    def dimension(self) -> int:
        """Raise the error."""
        raise self._copy_error()

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Support every language, so that the error is raised for each."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Raise the error."""
        del texts
        raise self._copy_error()

    def embed_query(self, text: str) -> "Vector":
        """Raise the error."""
        del text
        raise self._copy_error()

    def _copy_error(self) -> EmbeddingError:
        return EmbeddingError(self._error.message, self._error.hint)


def _build_granite() -> Embedder:
    from waymeet.models.local.granite import GraniteEmbedder  # noqa: PLC0415 - start-up is a feature

    return GraniteEmbedder()


def _build_multilingual() -> Embedder:
    from waymeet.models.local.multilingual import MultilingualEmbedder  # noqa: PLC0415 - likewise

    return MultilingualEmbedder()


def _build_from_folder(settings: Embedding) -> Embedder:
    from waymeet.models.files.downloaded import find_model_folder  # noqa: PLC0415 - likewise
    from waymeet.models.local.folder_embedder import open_folder  # noqa: PLC0415 - start-up is a feature

    if not settings.model:
        raise EmbeddingError(
            "embedding.provider is folder, but embedding.model is not set.",
            "Set embedding.model. List the models: waymeet models",
        )
    folder = find_model_folder(settings.model)
    return open_folder(folder, settings.query_prefix or None, settings.passage_prefix or None)


def _build_by_keys(settings: Embedding, environment: Mapping[str, str]) -> tuple[Embedder, ...]:
    """Build the first provider whose key is set.

    The prefixes of the settings are for another model.
    """
    from waymeet.models.remote.providers import choose_by_keys  # noqa: PLC0415 - start-up is a feature

    provider = choose_by_keys(environment)
    if provider is None:
        return _build_granite(), _build_multilingual()
    return (_build_remote(provider, replace(settings, query_prefix="", passage_prefix=""), environment),)


def _describe_provider(settings: Embedding) -> "Provider":
    from waymeet.models.remote import providers  # noqa: PLC0415 - start-up is a feature

    if settings.provider == "compatible":
        if not (settings.url and settings.model):
            raise EmbeddingError(
                "embedding.provider is compatible, but no server is configured.",
                "Set embedding.url and embedding.model.",
            )
        return providers.compatible(settings.url, settings.model, settings.dimension, settings.key_variable)
    describe = {"voyage": providers.voyage, "openai": providers.openai, "cohere": providers.cohere}[settings.provider]
    provider = describe(settings.model, settings.dimension)
    if settings.key_variable:
        provider = provider._replace(keys=(settings.key_variable,))
    return providers.with_url(provider, settings.url) if settings.url else provider


def _build_remote(provider: "Provider", settings: Embedding, environment: Mapping[str, str]) -> Embedder:
    from waymeet.models.remote.embedder import EmbedderLimits, HttpEmbedder  # noqa: PLC0415 - start-up is a feature

    limits = EmbedderLimits(
        query_seconds=settings.query_seconds,
        try_seconds=settings.timeout_seconds,
        batch_seconds=3.0 * settings.timeout_seconds,
        requests=settings.requests_per_minute,
        tokens=settings.tokens_per_minute,
        text_chars=settings.text_chars,
    )
    prefixed = provider._replace(query_prefix=settings.query_prefix, passage_prefix=settings.passage_prefix)
    return HttpEmbedder(prefixed, environment, limits)
