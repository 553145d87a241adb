"""Embedding by a provider on the network, in batches and within its rate limit."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from os import environ
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.errors import EmbeddingError, ModelError, UnusableVectorError
from waymeet.models.remote.client import OptionalFields, Server, request
from waymeet.models.remote.http import Clock
from waymeet.models.remote.providers import Provider, Rows, Side

if TYPE_CHECKING:
    from waymeet.ports import Vector


_MINUTE = 60.0


class RateLimit:
    """A sliding window of one minute over requests and tokens. Threads may share it."""

    def __init__(self, requests: int, tokens: int, clock: Clock) -> None:
        """Set the limits per minute.

        0 is no limit.
        """
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = Lock()

    def acquire(self, tokens: int, *, wait: bool = True) -> None:
        """Wait until a request of so many tokens is allowed, and count it.

        With `wait` false the request is only counted.
        """
        if not (self._requests or self._tokens):
            return
        while True:
            with self._lock:
                pause = self._seconds_until_free(tokens)
                if pause <= 0.0 or not wait:
                    self._sent.append((self._clock.now(), tokens))
                    return
            self._clock.wait(pause)

    def _seconds_until_free(self, tokens: int) -> float:
        """Compute how long until enough earlier requests are a minute old.

        A request above the limit is sent alone, when the window is empty.
        """
        now = until = self._clock.now()
        while self._sent and self._sent[0][0] + _MINUTE <= now:
            self._sent.popleft()
        requests, total = len(self._sent) + 1, sum(size for _, size in self._sent) + tokens
        for sent, size in self._sent:
            if not (0 < self._requests < requests or 0 < self._tokens < total):
                break
            until, requests, total = sent + _MINUTE, requests - 1, total - size
        return until - now


_MAX_RESPONSE_BYTES = 64 << 20
_SLOW_FAILURE_SECONDS = 1.0
_PAUSE_SECONDS = 30.0
"""After a query that failed slowly, queries fail at once for so long: each would wait as long in vain."""
_CLOCK = Clock()
_HINTS = {
    "(HTTP 429)": "Set embedding.requests_per_minute and embedding.tokens_per_minute to what your account allows.",
    "(HTTP 400)": "Check the settings of embedding; if texts are too long for the model, set embedding.text_chars.",
    "(HTTP 413)": "Texts are too long for the server: set embedding.text_chars.",
}


class EmbedderLimits(NamedTuple):
    """Time, rate and size limits of an embedder on the network."""

    query_seconds: float = 10.0
    """For a query, including retries and waits: a user is waiting."""
    try_seconds: float = 60.0
    """For one attempt of a batch."""
    batch_seconds: float = 180.0
    """For a batch, including retries and waits; a server that demands a longer wait is given up."""
    tries: int = 5
    requests: int = 0
    """Per minute; 0 is no limit."""
    tokens: int = 0
    """Per minute; 0 is no limit."""
    text_chars: int = 0
    """Of one text; 0 is the limit of the provider."""


class HttpEmbedder:
    """Embeds by a provider on the network, and checks the vectors it returns."""

    def __init__(
        self,
        provider: Provider,
        environment: Mapping[str, str] = environ,
        limits: EmbedderLimits = EmbedderLimits(),  # noqa: B008 - it cannot change
        clock: Clock = _CLOCK,
    ) -> None:
        self.provider = provider
        self.space = _name_space(provider, limits)
        self._environment = environment
        self._limits = limits
        self._clock = clock
        self._rate_limit = RateLimit(limits.requests, limits.tokens, clock)
        self._optional = OptionalFields(provider.optional)
        self._dimension = provider.dimension
        self._last_failure: EmbeddingError | None = None
        self._paused_until = 0.0

    @property
    def dimension(self) -> int:
        """Return the length of the vectors, by a request to the server if it is not known yet."""
        if self._dimension is None:
            self._dimension = len(self._request(["dimension"], "query")[0])
        return self._dimension

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Support every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed passages.

        Blank ones are not sent and get the first unit vector.
        """
        vectors: dict[int, Vector] = {}
        numbered = [(number, self.prepare_passage(text)) for number, text in enumerate(texts) if text.strip()]
        for batch in self._make_batches(numbered):
            vectors.update(zip(batch, self._request(list(batch.values()), "passage"), strict=True))
        return [vectors[number] if number in vectors else self._blank_vector() for number in range(len(texts))]

    def embed_query(self, text: str) -> "Vector":
        """Embed a query."""
        if not text.strip():
            return self._blank_vector()
        started = self._clock.now()
        if self._last_failure and started < self._paused_until:
            raise EmbeddingError(self._last_failure.message, self._last_failure.hint)
        try:
            return self._request([self._truncate(self.provider.query_prefix + text)], "query")[0]
        except EmbeddingError as error:
            ended = self._clock.now()
            self._last_failure = error if ended - started > _SLOW_FAILURE_SECONDS else None
            self._paused_until = ended + _PAUSE_SECONDS
            raise

    def prepare_passage(self, text: str) -> str:
        """Return the text that is sent for a passage: prefixed and truncated."""
        return self._truncate(self.provider.passage_prefix + text)

    def _blank_vector(self) -> "Vector":
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        axis: Vector = np.eye(1, self.dimension, dtype=np.float32)[0]
        return axis

    def _truncate(self, text: str) -> str:
        """Truncate a text to the provider's limit, at a character boundary."""
        limit = self.provider.text_bytes
        encoded = text[: self._limits.text_chars or limit].encode("utf-8", "replace")
        return encoded[:limit].decode("utf-8", "ignore")

    def _make_batches(self, texts: Sequence[tuple[int, str]]) -> Iterator[dict[int, str]]:
        """Group numbered texts within the provider's limits per request and the tokens of a minute."""
        provider, tokens_per_minute = self.provider, self._limits.tokens or None
        batch: dict[int, str] = {}
        size = tokens = 0
        for number, text in texts:
            text_size, text_tokens = len(text.encode()), estimate_tokens(text)
            is_full = len(batch) == provider.max_texts or size + text_size > provider.max_bytes
            if batch and (is_full or (tokens_per_minute and tokens + text_tokens > tokens_per_minute)):
                yield batch
                batch, size, tokens = {}, 0, 0
            batch[number] = text
            size, tokens = size + text_size, tokens + text_tokens
        if batch:
            yield batch

    def _request(self, texts: Sequence[str], side: Side) -> Sequence["Vector"]:
        provider = self.provider
        server = self._describe_server(side)
        self._rate_limit.acquire(sum(map(estimate_tokens, texts)), wait=side == "passage")
        try:
            reply = request(server, provider.body(provider, texts, side), provider.reply, self._optional)
            return self._check_vectors(reply.rows(), len(texts))
        except ValueError as error:
            raise EmbeddingError(
                f"{provider.name} sent an answer that cannot be used: {error}.",
                f"Check embedding.model ({provider.model}) and embedding.dimension, or try later.",
            ) from error
        except EmbeddingError:
            raise
        except ModelError as error:
            hint = next((hint for status, hint in _HINTS.items() if status in error.message), error.hint)
            raise EmbeddingError(error.message, hint) from None  # its cause may quote the request

    def _describe_server(self, side: Side) -> Server:
        """Describe the server with its time limits.

        The key is read from the environment only now.
        """
        provider, limits = self.provider, self._limits
        values = ((name, self._environment.get(name, "").strip()) for name in provider.keys)
        variable, key = next(((name, value) for name, value in values if value), ("", ""))
        if provider.keys and not key:
            names = " or ".join(provider.keys)
            raise EmbeddingError(
                f"{provider.name} needs a key, and {names} is not set.", f"Set {names}, or choose another provider."
            )
        seconds = limits.query_seconds if side == "query" else limits.batch_seconds
        server = Server(provider.name, provider.url, key, variable, seconds, self._clock)
        return server._replace(
            tries=limits.tries, try_seconds=min(limits.try_seconds, seconds), max_bytes=_MAX_RESPONSE_BYTES
        )

    def _check_vectors(self, rows: Rows, expected_rows: int) -> Sequence["Vector"]:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        if len(rows) != expected_rows:
            raise ValueError(f"{len(rows)} vectors for {expected_rows} texts")
        dimension = self._dimension or len(rows[0])
        if not dimension or any(len(row) != dimension for row in rows):
            length = next((len(row) for row in rows if len(row) != dimension), 0)
            raise ValueError(f"a vector has {length} numbers, not {dimension or 'some'}")
        vectors = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # the result is checked below
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise UnusableVectorError(
                f"{self.provider.name} sent an answer that cannot be used: a vector is zero or not finite.",
                f"Choose another model than {self.provider.model} if this happens often.",
            )
        self._dimension = dimension
        return list((vectors / lengths).astype(np.float32))


def _name_space(provider: Provider, limits: EmbedderLimits) -> str:
    """Name the vector space: provider, model, dimension, and a digest of other settings.

    These settings change vectors: the address, the prefixes and the truncation, as far as they differ from the
    defaults. Stored vectors are found by this name.
    """
    name = f"{provider.name}-{provider.model}"
    if provider.dimension:
        name += f"-{provider.dimension}"
    settings = (
        "" if provider.is_default_url else provider.url,
        provider.query_prefix,
        provider.passage_prefix,
        str(limits.text_chars or ""),
    )
    digest = blake2b("\0".join(settings).encode(), digest_size=4).hexdigest()
    return f"{name}-{digest}/1" if any(settings) else f"{name}/1"
