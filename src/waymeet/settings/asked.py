"""Which models a search may ask: who rereads, who rewords, and within which bounds."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from waymeet.settings.bounds import Count, Number, Part, Seconds, Weight


class Rerank(Struct, frozen=True, forbid_unknown_fields=True):
    """Who reads the best candidates again. Off unless the user chooses a provider; never read from a project's file."""

    provider: Literal["none", "auto", "voyage", "cohere", "endpoint", "chat", "local"] = "none"
    """`auto` takes Voyage or Cohere if their key is in the environment, else the local `model`, else none. `endpoint`
    is any server with /v1/rerank, `chat` any that speaks like OpenAI's; both need `url` and `model`."""
    model: str = ""
    """The model's name, for `local` its folder; empty for the provider's usual one (rerank-2, rerank-v3.5)."""
    url: str = ""
    """The server's address up to `/v1`."""
    key_variable: str = ""
    """The environment variable that holds the key, if not the provider's usual one (VOYAGE_API_KEY, COHERE_API_KEY or
    CO_API_KEY). A server at `url` gets no key unless its variable is named here."""
    scale: Literal["auto", "parts", "logits"] = "auto"
    """What the scores of an `endpoint` are: parts of 1, or any numbers; `auto` tells by whether all lie in 0 to 1."""
    candidates: Annotated[int, Meta(ge=1, le=100)] = 20
    """Most candidates that are read again; 100 is what the providers allow."""
    text_chars: Number = 8000
    """How much of a candidate's text is sent at most."""
    timeout_seconds: Seconds = 10.0
    """For everything, tries and waits included; an answer that comes later is not waited for."""
    p95_ms: Weight = 500.0
    """If one call in twenty takes longer, the provider is left alone for a while."""
    chat_p95_ms: Weight = 5000.0
    """The same for `chat`."""
    window_calls: Number = 100
    """The last calls that count for this."""
    least_calls: Number = 20
    """The fewest calls to judge by."""
    off_seconds: Weight = 60.0
    """How long a provider is left alone that was too slow."""
    cache_seconds: Weight = 300.0
    """How long scores are remembered."""
    cache_entries: Count = 1000
    """How many answers are remembered."""
    enough_chars: Number = 100
    """In `memory`, a shorter text is trusted less."""
    least_trust: Part = 0.8
    """How much an empty text is trusted."""


class Expand(Struct, frozen=True, forbid_unknown_fields=True):
    """Who puts a question in other words. Off unless the user chooses a provider; never read from a project's file."""

    provider: Literal["none", "chat"] = "none"
    """`chat` is any server that speaks like OpenAI's; it needs `url` and `model`."""
    model: str = ""
    url: str = ""
    """The server's address up to `/v1`."""
    key_variable: str = ""
    """The environment variable that holds the key, such as OPENAI_API_KEY; none is sent unless it is named here."""
    variants: Annotated[int, Meta(ge=1, le=10)] = 2
    """How many other wordings are asked for."""
    timeout_seconds: Seconds = 10.0
    """For everything, tries and waits included."""
    cache_seconds: Weight = 3600.0
    """How long wordings are remembered."""
    cache_entries: Count = 1000
