"""Settings of models: embedding, reranking, query expansion."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Part, Seconds, Weight


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """The embedding model. Not read from a project's file."""

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
    a model in a folder of yours (`waymeet models`). On the network, where texts are sent to: `voyage`, `openai`,
    `cohere`, or `compatible` for any server with the OpenAI API. `auto` uses Voyage, OpenAI or Cohere if their key is
    in the environment, else `local`. `hashing` is a deterministic model for tests, without semantic similarity."""
    model: str = ""
    """Name of the model; empty for the provider's default (voyage-4, text-embedding-3-small, embed-v4.0). For `folder`
    a path that begins with `/`, `~` or `.`, or the name of a model downloaded by `waymeet models get`."""
    url: str = ""
    """URL of the server up to `/v1`, required by `compatible`, such as http://localhost:11434/v1 for Ollama."""
    key_variable: str = ""
    """Environment variable of the API key, if not the provider's default (VOYAGE_API_KEY, OPENAI_API_KEY, CO_API_KEY or
    COHERE_API_KEY). A `compatible` server gets no key unless its variable is named here."""
    dimension: Annotated[int, Meta(ge=0, le=65_536)] = 0
    """Number of dimensions, for models that support several; 0 for the model's default."""
    query_prefix: str = ""
    """Prefix of queries for a `folder` or `compatible` model; empty for the one configured in the folder."""
    passage_prefix: str = ""
    """Prefix of indexed texts, likewise."""
    text_chars: Count = 0
    """Maximum length of a text, for servers that reject long ones; 0 for the provider's limit."""
    cross_lingual: bool = True
    """Whether `local` also embeds English sections and code by `multilingual`, so that queries in other languages find
    them and English ones are compared with sentences; about half a kilobyte per section. Without it, queries in other
    languages find them by words only."""
    student: bool = True
    """Whether sections get approximate vectors of `granite` at once, until it has embedded them."""
    student_sections: Count = 300
    """Sections that are embedded first, to correct the approximate vectors for this project; 0 for no correction."""
    batch_chunks: Number = 64
    """Sections embedded before they are stored."""
    timeout_seconds: Seconds = 60.0
    """Timeout of one attempt of a request; it is retried up to five times, within three times this time."""
    query_seconds: Seconds = 10.0
    """Timeout of embedding a query, retries included."""
    requests_per_minute: Count = 0
    """Maximum number of requests per minute; 0 for no limit."""
    tokens_per_minute: Count = 0
    """Maximum number of tokens per minute (estimated); 0 for no limit."""
    background: bool = True
    """Whether a search starts a background process for changed files and sections without a vector that it has no time
    for: one at a time on this machine, and never with a paid provider. A project's file may set it to false."""
    on_demand_seconds: Weight = 0.3
    """Time a search may spend embedding its best candidates while the project is not fully embedded; 0 disables it. The
    answer that waited for the first indexing of a large project spends none."""
    cache_megabytes: Count = 512
    """Maximum size of the vector cache that projects and branches share; 0 disables it."""
    confirm_above_tokens: Count = 500_000
    """Tokens that may be sent to a paid provider in one run without confirmation."""
    hub: str = "https://huggingface.co"
    """URL of the hub from which `waymeet models get` downloads."""


class Rerank(Struct, frozen=True, forbid_unknown_fields=True):
    """The reranker. Off unless the user chooses a provider. Not read from a project's file."""

    provider: Literal["none", "auto", "voyage", "cohere", "endpoint", "chat", "local"] = "none"
    """`auto` uses Voyage or Cohere if their key is in the environment, else the local `model`, else none. `endpoint` is
    any server with /v1/rerank, `chat` any server with the OpenAI API; both need `url` and `model`."""
    model: str = ""
    """Name of the model; empty for the provider's default (rerank-2, rerank-v3.5). For `local` a path that begins with
    `/`, `~` or `.`, or the name of a model downloaded by `waymeet models get`."""
    url: str = ""
    """URL of the server up to `/v1`."""
    key_variable: str = ""
    """Environment variable of the API key, if not the provider's default (VOYAGE_API_KEY, COHERE_API_KEY or
    CO_API_KEY). A server at `url` gets no key unless its variable is named here."""
    scale: Literal["auto", "parts", "logits"] = "auto"
    """Scale of the scores of an `endpoint`: `parts` from 0 to 1, or `logits`; `auto` assumes `parts` if all are from 0
    to 1."""
    candidates: Annotated[int, Meta(ge=1, le=100)] = 20
    """Maximum number of candidates to rerank; providers allow up to 100."""
    text_chars: Number = 8000
    """Maximum length of a candidate's text."""
    timeout_seconds: Seconds = 10.0
    """Timeout of reranking, retries included."""
    p95_ms: Weight = 500.0
    """If the 95th percentile of the latency is higher, reranking is disabled for `off_seconds`."""
    chat_p95_ms: Weight = 5000.0
    """The same limit for `chat`."""
    window_calls: Number = 100
    """Number of recent calls in that percentile."""
    min_calls: Number = 20
    """Minimum number of calls before the limit applies."""
    off_seconds: Weight = 60.0
    """Time for which a slow provider is not used."""
    cache_seconds: Weight = 300.0
    """Lifetime of cached scores."""
    cache_entries: Count = 1000
    """Maximum number of cached score lists."""
    full_trust_chars: Number = 100
    """Length from which a text has full trust in `memory`; the scores of shorter ones are reduced."""
    min_trust: Part = 0.8
    """Factor for an empty text."""


class Expand(Struct, frozen=True, forbid_unknown_fields=True):
    """The model that rephrases queries.

    Off unless the user chooses a provider. Not read from a project's file.
    """

    provider: Literal["none", "chat"] = "none"
    """`chat` is any server with the OpenAI API; it needs `url` and `model`."""
    model: str = ""
    """Name of the model on the server."""
    url: str = ""
    """URL of the server up to `/v1`."""
    key_variable: str = ""
    """Environment variable of the API key, such as OPENAI_API_KEY; no key is sent unless it is named here."""
    variants: Annotated[int, Meta(ge=1, le=10)] = 2
    """Number of rephrasings to request."""
    timeout_seconds: Seconds = 10.0
    """Timeout, retries included."""
    cache_seconds: Weight = 3600.0
    """Lifetime of cached rephrasings."""
    cache_entries: Count = 1000
    """Maximum number of cached queries."""
