"""Embedding by asking a provider on the network, in batches, at the pace it allows."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from os import environ
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.errors import EmbeddingError, ModelError, UnusableVectorError
from waymeet.models.remote.client import Server, ask
from waymeet.models.remote.http import Clock
from waymeet.models.remote.providers import Provider, Rows, Side

if TYPE_CHECKING:
    from waymeet.ports import Vector


_MINUTE = 60.0


class Pace:
    """Remembers what was sent in the last minute and waits until more may be."""

    def __init__(self, requests: int, tokens: int, clock: Clock) -> None:
        """Take the limits for a minute; 0 is none."""
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sent: deque[tuple[float, int]] = deque()
        self._lock = Lock()

    def keep(self, tokens: int, *, wait: bool = True) -> None:
        """Wait until a request of so many tokens may be sent, and count it; without waiting it is only counted."""
        if not (self._requests or self._tokens):
            return
        while True:
            with self._lock:
                pause = self._pause(tokens)
                if pause <= 0.0 or not wait:
                    self._sent.append((self._clock.now(), tokens))
                    return
            self._clock.wait(pause)

    def _pause(self, tokens: int) -> float:
        """Say how long it is until enough of what was sent is a minute old; a request that is too large goes alone."""
        now = until = self._clock.now()
        while self._sent and self._sent[0][0] + _MINUTE <= now:
            self._sent.popleft()
        requests, total = len(self._sent) + 1, sum(each for _, each in self._sent) + tokens
        for sent, each in self._sent:
            if not (0 < self._requests < requests or 0 < self._tokens < total):
                break
            until, requests, total = sent + _MINUTE, requests - 1, total - each
        return until - now


_ANSWER_BYTES = 64 << 20
_IN_VAIN = 1.0
_REST = 30.0
"""Seconds that questions do not ask a provider for which kept one waiting in vain: every other would wait as long."""
_CLOCK = Clock()
_HINTS = {
    "(HTTP 429)": "Set embedding.requests_per_minute and embedding.tokens_per_minute to what your account allows.",
    "(HTTP 400)": "Check the settings of embedding; if texts are too long for the model, set embedding.text_chars.",
    "(HTTP 413)": "Texts are too long for the server: set embedding.text_chars.",
}


class EmbedderLimits(NamedTuple):
    """How long to wait for a provider, and how much to ask of it."""

    query_seconds: float = 10.0
    """For a question, tries and waits included: somebody is waiting."""
    try_seconds: float = 60.0
    """For one try of a batch."""
    batch_seconds: float = 180.0
    """For a batch, tries and waits included; a server that wants to be left alone for longer is given up."""
    tries: int = 5
    requests: int = 0
    """In a minute; 0 is without limit."""
    tokens: int = 0
    """In a minute; 0 is without limit."""
    text_chars: int = 0
    """Of one text; 0 is as much as the provider takes."""


class HttpEmbedder:
    """Embeds by asking a provider; refuses whatever is not a vector of the right length for every text."""

    def __init__(
        self,
        provider: Provider,
        environment: Mapping[str, str] = environ,
        patience: EmbedderLimits = EmbedderLimits(),  # noqa: B008 - it cannot change
        clock: Clock = _CLOCK,
    ) -> None:
        self.provider = provider
        self.space = _space(provider, patience)
        self._environment = environment
        self._patience = patience
        self._clock = clock
        self._pace = Pace(patience.requests, patience.tokens, clock)
        self._dimension = provider.dimension
        self._failed: EmbeddingError | None = None
        self._rests_until = 0.0

    @property
    def dimension(self) -> int:
        """Say how long its vectors are; a server that nobody asked yet is asked."""
        if self._dimension is None:
            self._dimension = len(self._ask(["dimension"], "query")[0])
        return self._dimension

    def supports_language(self, language: str) -> bool:  # noqa: ARG002 - the port's signature
        """Take every language."""
        return True

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts to be found; those without any visible character are not sent and become the first axis."""
        found: dict[int, Vector] = {}
        for batch in self._batches([(at, self.sent(text)) for at, text in enumerate(texts) if text.strip()]):
            found.update(zip(batch, self._ask(list(batch.values()), "passage"), strict=True))
        return [found[at] if at in found else self._nothing() for at in range(len(texts))]

    def embed_query(self, text: str) -> "Vector":
        """Embed a question."""
        if not text.strip():
            return self._nothing()
        began = self._clock.now()
        if self._failed and began < self._rests_until:
            raise EmbeddingError(self._failed.message, self._failed.hint)
        try:
            return self._ask([self._cut(self.provider.query_prefix + text)], "query")[0]
        except EmbeddingError as error:
            ended = self._clock.now()
            self._failed = error if ended - began > _IN_VAIN else None
            self._rests_until = ended + _REST
            raise

    def sent(self, text: str) -> str:
        """Give what is sent of a text to be found."""
        return self._cut(self.provider.passage_prefix + text)

    def _nothing(self) -> "Vector":
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        axis: Vector = np.eye(1, self.dimension, dtype=np.float32)[0]
        return axis

    def _cut(self, text: str) -> str:
        """Cut a text to what the provider takes; halves of characters cannot be sent."""
        limit = self.provider.text_bytes
        whole = text[: self._patience.text_chars or limit].encode("utf-8", "replace")
        return whole[:limit].decode("utf-8", "ignore")

    def _batches(self, texts: Sequence[tuple[int, str]]) -> Iterator[dict[int, str]]:
        """Put texts together as far as the provider allows: so many, so many bytes, and what a minute may hold."""
        provider, minute = self.provider, self._patience.tokens or None
        batch: dict[int, str] = {}
        size = count = 0
        for at, text in texts:
            length, cost = len(text.encode()), estimate_tokens(text)
            full = len(batch) == provider.most_texts or size + length > provider.most_bytes
            if batch and (full or (minute and count + cost > minute)):
                yield batch
                batch, size, count = {}, 0, 0
            batch[at] = text
            size, count = size + length, count + cost
        if batch:
            yield batch

    def _ask(self, texts: Sequence[str], side: Side) -> Sequence["Vector"]:
        provider = self.provider
        server = self._server(side)
        self._pace.keep(sum(map(estimate_tokens, texts)), wait=side == "passage")
        try:
            reply = ask(server, provider.body(provider, texts, side), provider.reply, provider.optional)
            return self._checked(reply.rows(), len(texts))
        except ValueError as error:
            raise EmbeddingError(
                f"{provider.name} sent an answer that cannot be used: {error}.",
                f"Check embedding.model ({provider.model}) and embedding.dimension, or try later.",
            ) from error
        except EmbeddingError:
            raise
        except ModelError as error:
            hint = next((hint for told, hint in _HINTS.items() if told in error.message), error.hint)
            raise EmbeddingError(error.message, hint) from None  # its cause may quote the request

    def _server(self, side: Side) -> Server:
        """Say who is asked and how long that may take; only now is the key looked up."""
        provider, patience = self.provider, self._patience
        held = ((name, self._environment.get(name, "").strip()) for name in provider.keys)
        variable, key = next((each for each in held if each[1]), ("", ""))
        if provider.keys and not key:
            names = " or ".join(provider.keys)
            raise EmbeddingError(
                f"{provider.name} needs a key, and {names} is not set.", f"Set {names}, or choose another provider."
            )
        seconds = patience.query_seconds if side == "query" else patience.batch_seconds
        most = min(patience.try_seconds, seconds)
        server = Server(provider.name, provider.url, key, variable, seconds, self._clock)
        return server._replace(tries=patience.tries, try_seconds=most, most_bytes=_ANSWER_BYTES)

    def _checked(self, rows: Rows, wanted: int) -> Sequence["Vector"]:
        import numpy as np  # noqa: PLC0415 - start-up is a feature

        if len(rows) != wanted:
            raise ValueError(f"{len(rows)} vectors for {wanted} texts")
        expected = self._dimension or len(rows[0])
        if not expected or any(len(row) != expected for row in rows):
            length = next((len(row) for row in rows if len(row) != expected), 0)
            raise ValueError(f"a vector has {length} numbers, not {expected or 'some'}")
        vectors = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise UnusableVectorError(
                f"{self.provider.name} sent an answer that cannot be used: a vector is zero or not finite.",
                f"Choose another model than {self.provider.model} if this happens often.",
            )
        self._dimension = expected
        return list((vectors / lengths).astype(np.float32))


def _space(provider: Provider, patience: EmbedderLimits) -> str:
    """Name the space: provider, model, dimension; addresses, prefixes and where texts are cut only as a mark."""
    name = f"{provider.name}-{provider.model}"
    if provider.dimension:
        name += f"-{provider.dimension}"
    marked = (
        "" if provider.usual_url else provider.url,
        provider.query_prefix,
        provider.passage_prefix,
        str(patience.text_chars or ""),
    )
    mark = blake2b("\0".join(marked).encode(), digest_size=4).hexdigest()
    return f"{name}-{mark}/1" if any(marked) else f"{name}/1"
