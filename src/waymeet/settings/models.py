"""Which models may be asked: who embeds, who rereads, who rewords, and within which bounds."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Part, Seconds, Weight


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """Where vectors come from. Never read from a project's own file."""

    provider: Literal[
        "none",
        "local",
        "granite",
        "multilingual",
        "folder",
        "voyage",
        "openai",
        "cohere",
        "compatible",
        "auto",
        "hashing",
    ] = "local"
    """On this machine: `local` is `granite` for English and code and `multilingual` for sixteen languages; `folder` is
    any model in a folder of yours (`waymeet models`). On the network, where texts are sent to: `voyage`, `openai`,
    `cohere`, or `compatible`, any server that speaks like OpenAI's. `auto` takes Voyage, OpenAI or Cohere if their key
    is in the environment, else `local`. `hashing` is a deterministic stand-in for tests: it knows no meaning."""
    model: str = ""
    """The model's name; empty for the provider's usual one (voyage-4, text-embedding-3-small, embed-v4.0). For `folder`
    its path, beginning with `/`, `~` or `.`, or the name that `waymeet models get` fetched it by."""
    url: str = ""
    """The server's address up to `/v1`; `compatible` needs it, such as http://localhost:11434/v1 for Ollama."""
    key_variable: str = ""
    """The environment variable that holds the key, if not the provider's usual one (VOYAGE_API_KEY, OPENAI_API_KEY,
    CO_API_KEY or COHERE_API_KEY). A `compatible` server gets no key unless its variable is named here."""
    dimension: Annotated[int, Meta(ge=0, le=65_536)] = 0
    """How many numbers a vector has, for models that can be asked for it; 0 is what is usual for the model."""
    query_prefix: str = ""
    """What a `folder` or `compatible` model wants before questions; empty for what the folder itself says."""
    passage_prefix: str = ""
    """The same before texts to be found."""
    text_chars: Count = 0
    """How much of a text is sent at most to a server that refuses long ones; 0 is as much as the provider takes."""
    batch_chunks: Number = 64
    """Chunks embedded between two times of keeping what was done."""
    timeout_seconds: Seconds = 60.0
    """For one try of a request; it is tried five times, for three times as long in all."""
    query_seconds: Seconds = 10.0
    """For a question, tries and waits included; an answer that comes later is not waited for."""
    requests_per_minute: Count = 0
    """Most requests that are sent in a minute; 0 is without limit."""
    tokens_per_minute: Count = 0
    """Most tokens that are sent in a minute, by our estimate; 0 is without limit."""
    background: bool = True
    """Whether a search that finds sections without a vector has a process of its own embed them, which ends by itself;
    never if somebody has to be paid for it."""
    on_demand_seconds: Weight = 0.3
    """How long a search may embed its likeliest sections while not all of the project is embedded; 0 never does."""
    cache_megabytes: Count = 512
    """How large the file may become that remembers vectors across projects and branches; 0 remembers none."""
    confirm_above_tokens: Count = 500_000
    """Tokens that may be sent to a paid provider in one run without a question."""
    hub: str = "https://huggingface.co"
    """Where `waymeet models get` fetches models from."""


class Rerank(Struct, frozen=True, forbid_unknown_fields=True):
    """Who reads the best candidates again. Off unless the user chooses a provider; never read from a project's file."""

    provider: Literal["none", "auto", "voyage", "cohere", "endpoint", "chat", "local"] = "none"
    """`auto` takes Voyage or Cohere if their key is in the environment, else the local `model`, else none. `endpoint`
    is any server with /v1/rerank, `chat` any that speaks like OpenAI's; both need `url` and `model`."""
    model: str = ""
    """The model's name; empty for the provider's usual one (rerank-2, rerank-v3.5). For `local` its path, beginning
    with `/`, `~` or `.`, or the name that `waymeet models get` fetched it by."""
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
    min_calls: Number = 20
    """The fewest calls to judge by."""
    off_seconds: Weight = 60.0
    """How long a provider is left alone that was too slow."""
    cache_seconds: Weight = 300.0
    """How long scores are remembered."""
    cache_entries: Count = 1000
    """How many answers are remembered."""
    full_trust_chars: Number = 100
    """In `memory`, a shorter text is trusted less."""
    min_trust: Part = 0.8
    """How much an empty text is trusted."""


class Expand(Struct, frozen=True, forbid_unknown_fields=True):
    """Who puts a question in other words. Off unless the user chooses a provider; never read from a project's file."""

    provider: Literal["none", "chat"] = "none"
    """`chat` is any server that speaks like OpenAI's; it needs `url` and `model`."""
    model: str = ""
    """The model's name, as the server knows it."""
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
    """How many questions they are remembered for."""
