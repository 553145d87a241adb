"""Construction of the reranker and the expander that the settings name.

A key in the environment alone chooses nothing.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from os import environ
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.errors import ModelError
from waymeet.models.expanders import CachedExpander, ChatExpander, TtlCache
from waymeet.models.files.downloaded import find_model_folder
from waymeet.models.remote.client import Server
from waymeet.models.remote.http import Clock
from waymeet.models.rerank.circuit_breaker import GuardedReranker
from waymeet.models.rerank.remote import ChatReranker, HttpReranker
from waymeet.ports import Expander, Reranker
from waymeet.settings import Expand, Rerank

_VOYAGE = ("VOYAGE_API_KEY",)
_COHERE = ("COHERE_API_KEY", "CO_API_KEY")
_CLOCK = Clock()


class ChosenModels(NamedTuple):
    """The models a search uses besides embedders.

    Fields are named as in `search.state.Tools`.
    """

    reranker: Reranker | None = None
    expander: Expander | None = None
    reranker_cache: MutableMapping[str, tuple[float, ...]] | None = None


class _Unusable:
    """A chosen model that cannot be used.

    Raises its error in every search, which then names the reason.
    """

    def __init__(self, name: str, error: ModelError) -> None:
        self.name = name
        self._error = error

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Raise the error."""
        del query, texts
        raise ModelError(self._error.message, self._error.hint)

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Raise the error."""
        del query, number
        raise ModelError(self._error.message, self._error.hint)


@lru_cache(maxsize=8)
def choose_models(rerank: Rerank, expand: Expand) -> ChosenModels:
    """Build the models of the settings.

    The result is cached, so that circuit breakers and caches outlive a search.
    """
    reranker = choose_reranker(rerank, environ)
    reranker_cache: TtlCache[tuple[float, ...]] | None = None
    if reranker is not None and rerank.cache_entries:
        reranker_cache = TtlCache(rerank.cache_seconds, rerank.cache_entries)
    return ChosenModels(reranker, choose_expander(expand, environ), reranker_cache)


def choose_reranker(settings: Rerank, environment: Mapping[str, str], clock: Clock = _CLOCK) -> Reranker | None:
    """Build the chosen reranker with its circuit breaker."""
    provider: str = settings.provider
    if provider == "auto":
        provider = _choose_by_keys(settings, environment)
        if provider != "local":  # address, model and key of the settings are for another server
            settings = replace(settings, url="", model="", key_variable="")
    if provider == "none":
        return None
    try:
        inner = _build_reranker(provider, settings, environment, clock)
    except ModelError as error:
        return _Unusable(provider, error)
    milliseconds = settings.chat_p95_ms if provider == "chat" else settings.p95_ms
    return GuardedReranker(inner, milliseconds / 1000.0, settings, clock.now)


def _choose_by_keys(settings: Rerank, environment: Mapping[str, str]) -> str:
    for provider, variables in (("voyage", _VOYAGE), ("cohere", _COHERE)):
        if any(environment.get(variable, "").strip() for variable in variables):
            return provider
    return "local" if settings.model and _is_local_model(settings.model) else "none"


def _is_local_model(model: str) -> bool:
    try:
        return find_model_folder(model).is_dir()
    except ModelError:  # the name of a provider's model
        return False


def _build_reranker(provider: str, settings: Rerank, environment: Mapping[str, str], clock: Clock) -> Reranker:
    if provider == "local":
        from waymeet.models.rerank.cross_encoder import LocalReranker  # noqa: PLC0415 - a heavy import

        if not settings.model:
            raise ModelError("rerank.provider is local, but rerank.model is not set.", "Set rerank.model to a folder.")
        return LocalReranker(find_model_folder(settings.model))
    if provider in {"endpoint", "chat"} and not (settings.url and settings.model):
        raise ModelError(
            f"rerank.provider is {provider}, but no server is configured.", "Set rerank.url and rerank.model."
        )
    seconds = settings.timeout_seconds
    if provider == "voyage":
        key = _find_key(settings.key_variable, _VOYAGE, environment, "Voyage")
        server = Server("Voyage", settings.url or "https://api.voyageai.com/v1", *key, seconds, clock)
        return HttpReranker(_with_path(server, "rerank"), settings.model or "rerank-2", "voyage")
    if provider == "cohere":
        key = _find_key(settings.key_variable, _COHERE, environment, "Cohere")
        server = Server("Cohere", settings.url or "https://api.cohere.com/v2", *key, seconds, clock)
        return HttpReranker(_with_path(server, "rerank"), settings.model or "rerank-v3.5", "cohere")
    key = _find_key(settings.key_variable, (), environment, provider)
    server = Server(f"the {provider} server", settings.url, *key, seconds, clock)
    if provider == "chat":
        return ChatReranker(_with_path(server, "chat/completions"), settings.model)
    return HttpReranker(_with_path(server, "rerank"), settings.model, "endpoint", settings.scale)


def choose_expander(settings: Expand, environment: Mapping[str, str], clock: Clock = _CLOCK) -> Expander | None:
    """Build the chosen expander with its cache."""
    if settings.provider == "none":
        return None
    try:
        if not (settings.url and settings.model):
            raise ModelError(
                "expand.provider is chat, but no server is configured.", "Set expand.url and expand.model."
            )
        key = _find_key(settings.key_variable, (), environment, "chat")
    except ModelError as error:
        return _Unusable("chat", error)
    server = Server("the chat server", settings.url, *key, settings.timeout_seconds, clock)
    expander = ChatExpander(_with_path(server, "chat/completions"), settings.model)
    return CachedExpander(expander, TtlCache(settings.cache_seconds, settings.cache_entries, clock.now))


def _find_key(configured: str, defaults: tuple[str, ...], environment: Mapping[str, str], name: str) -> tuple[str, str]:
    """Find the key and its variable.

    Without a configured or default variable there is none.
    """
    variables = (configured,) if configured else defaults
    for variable in variables:
        if key := environment.get(variable, "").strip():
            return key, variable
    if variables:
        names = " or ".join(variables)
        raise ModelError(f"{name} needs a key, and {names} is not set.", f"Set {names}, or choose another provider.")
    return "", ""


def _with_path(server: Server, path: str) -> Server:
    """Append the path of an operation to the address, unless it ends with it."""
    url = server.url.rstrip("/")
    return server._replace(url=url if url.endswith(f"/{path}") else f"{url}/{path}")
