"""Which reranker and which expander the user chose. A key in the environment alone chooses nothing."""

from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from os import environ
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.errors import ModelError
from waymeet.models.expanders import ChatExpander, RememberingExpander, TtlCache
from waymeet.models.files.downloaded import located
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
    """What a search may ask beside an embedder, by the names that its tools have."""

    reranker: Reranker | None = None
    expander: Expander | None = None
    reranker_cache: MutableMapping[str, tuple[float, ...]] | None = None


class _Unusable:
    """Stands for a model that was chosen but cannot be used, so that every answer says why."""

    def __init__(self, name: str, error: ModelError) -> None:
        self.name = name
        self._error = error

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Say why not."""
        del query, texts
        raise ModelError(self._error.message, self._error.hint)

    def expand(self, query: str, number: int) -> Sequence[str]:
        """Say why not."""
        del query, number
        raise ModelError(self._error.message, self._error.hint)


@lru_cache(maxsize=8)
def choose_models(rerank: Rerank, expand: Expand) -> ChosenModels:
    """Give what the settings choose: the same for the same settings, so that guards and memories outlive a search."""
    reranker = chosen_reranker(rerank, environ)
    remembered: TtlCache[tuple[float, ...]] | None = None
    if reranker is not None and rerank.cache_entries:
        remembered = TtlCache(rerank.cache_seconds, rerank.cache_entries)
    return ChosenModels(reranker, chosen_expander(expand, environ), remembered)


def chosen_reranker(numbers: Rerank, environment: Mapping[str, str], clock: Clock = _CLOCK) -> Reranker | None:
    """Build the reranker that was chosen, behind its guard."""
    provider: str = numbers.provider
    if provider == "auto":
        provider = _by_keys(numbers, environment)
        if provider != "local":  # what is set for another server is not for this one
            numbers = replace(numbers, url="", model="", key_variable="")
    if provider == "none":
        return None
    try:
        inner = _reranker(provider, numbers, environment, clock)
    except ModelError as error:
        return _Unusable(provider, error)
    milliseconds = numbers.chat_p95_ms if provider == "chat" else numbers.p95_ms
    return GuardedReranker(inner, milliseconds / 1000.0, numbers, clock.now)


def _by_keys(numbers: Rerank, environment: Mapping[str, str]) -> str:
    for provider, variables in (("voyage", _VOYAGE), ("cohere", _COHERE)):
        if any(environment.get(variable, "").strip() for variable in variables):
            return provider
    return "local" if numbers.model and _there(numbers.model) else "none"


def _there(model: str) -> bool:
    try:
        return located(model).is_dir()
    except ModelError:  # it is the name of another's model
        return False


def _reranker(provider: str, numbers: Rerank, environment: Mapping[str, str], clock: Clock) -> Reranker:
    if provider == "local":
        from waymeet.models.rerank.cross_encoder import LocalReranker  # noqa: PLC0415 - a heavy model, only for who chose it

        if not numbers.model:
            raise ModelError("rerank.provider is local, but no model is named.", "Set rerank.model to its folder.")
        return LocalReranker(located(numbers.model))
    if provider in {"endpoint", "chat"} and not (numbers.url and numbers.model):
        raise ModelError(
            f"rerank.provider is {provider}, but nobody to ask is named.", "Set rerank.url and rerank.model."
        )
    seconds = numbers.timeout_seconds
    if provider == "voyage":
        key = _needed(numbers.key_variable, _VOYAGE, environment, "Voyage")
        server = Server("Voyage", numbers.url or "https://api.voyageai.com/v1", *key, seconds, clock)
        return HttpReranker(_at(server, "rerank"), numbers.model or "rerank-2", "voyage")
    if provider == "cohere":
        key = _needed(numbers.key_variable, _COHERE, environment, "Cohere")
        server = Server("Cohere", numbers.url or "https://api.cohere.com/v2", *key, seconds, clock)
        return HttpReranker(_at(server, "rerank"), numbers.model or "rerank-v3.5", "cohere")
    key = _needed(numbers.key_variable, (), environment, provider)
    server = Server(f"the {provider} server", numbers.url, *key, seconds, clock)
    if provider == "chat":
        return ChatReranker(_at(server, "chat/completions"), numbers.model)
    return HttpReranker(_at(server, "rerank"), numbers.model, "endpoint", numbers.scale)


def chosen_expander(numbers: Expand, environment: Mapping[str, str], clock: Clock = _CLOCK) -> Expander | None:
    """Build the expander that was chosen, with its memory."""
    if numbers.provider == "none":
        return None
    try:
        if not (numbers.url and numbers.model):
            raise ModelError("expand.provider is chat, but nobody to ask is named.", "Set expand.url and expand.model.")
        key = _needed(numbers.key_variable, (), environment, "chat")
    except ModelError as error:
        return _Unusable("chat", error)
    server = Server("the chat server", numbers.url, *key, numbers.timeout_seconds, clock)
    asked = ChatExpander(_at(server, "chat/completions"), numbers.model)
    return RememberingExpander(asked, TtlCache(numbers.cache_seconds, numbers.cache_entries, clock.now))


def _needed(chosen_one: str, usual: tuple[str, ...], environment: Mapping[str, str], name: str) -> tuple[str, str]:
    """Find the key and the variable it is in; a server with no usual variable gets none unless one is named."""
    variables = (chosen_one,) if chosen_one else usual
    found = next(((key, each) for each in variables if (key := environment.get(each, "").strip())), None)
    if found is None and variables:
        names = " or ".join(variables)
        raise ModelError(f"{name} needs a key, and {names} is not set.", f"Set {names}, or choose another provider.")
    return found or ("", "")


def _at(server: Server, path: str) -> Server:
    """Complete an address, unless it is complete."""
    url = server.url.rstrip("/")
    return server._replace(url=url if url.endswith(f"/{path}") else f"{url}/{path}")
