"""Estimates of texts, tokens and price, before anything is sent to a provider."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from urllib.parse import urlsplit

from msgspec import Struct

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.ingest.embed.batches import EmbeddingReport, texts_without_vector
from waymeet.ingest.embed.file_vectors import file_texts_without_vector
from waymeet.models.remote.embedder import HttpEmbedder
from waymeet.models.remote.http import is_loopback
from waymeet.models.vector_cache import CachedEmbedder
from waymeet.ports import Embedder, Store
from waymeet.settings import Embedding

PRICED = "November 2026"
"""Date of the prices. They are the providers' list prices, without free amounts and discounts."""
PRICES = {
    "voyage": {
        "voyage-4-large": 0.12,
        "voyage-4": 0.06,
        "voyage-4-lite": 0.02,
        "voyage-3-large": 0.18,
        "voyage-3.5": 0.06,
        "voyage-3.5-lite": 0.02,
        "voyage-code-3": 0.18,
        "voyage-finance-2": 0.12,
        "voyage-law-2": 0.12,
    },
    "openai": {"text-embedding-3-small": 0.02, "text-embedding-3-large": 0.13, "text-embedding-ada-002": 0.10},
    "cohere": {
        "embed-v4.0": 0.12,
        "embed-english-v3.0": 0.10,
        "embed-multilingual-v3.0": 0.10,
        "embed-english-light-v3.0": 0.10,
        "embed-multilingual-light-v3.0": 0.10,
    },
}
"""Dollars per million tokens."""


class Estimate(Struct, frozen=True):
    """Size and price of embedding some texts."""

    provider: str
    """Recipient of the texts; empty if they stay on this machine."""
    model: str
    texts: int
    tokens: int
    """Estimated without the model's vocabulary: prose and code within a tenth, other scripts rather too high."""
    dollars: float | None
    """By the prices of `priced`; None if the price is unknown, 0 if there is none."""
    priced: str = PRICED

    @property
    def is_paid(self) -> bool:
        """Check whether the texts may cost money."""
        return self.dollars is None or self.dollars > 0.0

    def sentence(self) -> str:
        """Format the estimate as a sentence."""
        amount = f"{self.texts:,} section{'' if self.texts == 1 else 's'}, about {self.tokens:,} tokens"
        if not self.provider:
            return f"{amount}, would be embedded by {self.model} on this machine."
        recipient = f"{self.provider} ({self.model})"
        if not self.is_paid:
            return f"{amount}, would be sent to {recipient}."
        if self.dollars is None:
            return f"{amount}, would be sent to {recipient}; the price is not known here."
        return (
            f"{amount}, would be sent to {recipient}: {_format_dollars(self.dollars)} by its prices of {self.priced}."
        )


def estimate(embedder: Embedder, texts: Iterable[str]) -> Estimate:
    """Estimate the cost of embedding texts without sending them.

    Texts are read one at a time.
    """
    if not isinstance(embedder, HttpEmbedder):
        lengths = [estimate_tokens(text) for text in texts]
        return Estimate("", embedder.space, len(lengths), sum(lengths), 0.0)
    lengths = [estimate_tokens(embedder.prepare_passage(text)) for text in texts if text.strip()]
    provider = embedder.provider
    price = PRICES.get(provider.name, {}).get(provider.model)
    if provider.name == "compatible" and (not provider.keys or is_loopback(urlsplit(provider.url).hostname or "")):
        price = 0.0  # the user's own server: without a key there is no account to charge
    total = sum(lengths)
    dollars = None if price is None else total * price / 1e6
    return Estimate(provider.name, provider.model, len(lengths), total, dollars)


def needs_consent(cost: Estimate, settings: Embedding) -> bool:
    """Check whether a user must agree to a cost first."""
    return cost.is_paid and cost.tokens > settings.confirm_above_tokens


def _format_dollars(dollars: float) -> str:
    """Format an amount of money.

    >>> _format_dollars(0.0004), _format_dollars(0.072), _format_dollars(1234.567)
    ('less than $0.01', 'about $0.07', 'about $1,234.57')
    """
    return f"about ${dollars:,.2f}" if dollars >= 0.01 else "less than $0.01"


Consent = Callable[[Estimate], bool]


def is_any_paid(embedders: Sequence[Embedder]) -> bool:
    """Check whether any embedder may cost money, without reading the texts to embed."""
    return any(estimate(_unwrap(embedder), ["a text"]).is_paid for embedder in embedders)


def estimate_costs(store: Store, embedders: Sequence[Embedder]) -> list[Estimate]:
    """Estimate the cost of sections and files without vectors, for each provider on the network."""
    costs = []
    for embedder in embedders:
        sections = texts_without_vector(store, embedders, embedder.space)
        files = file_texts_without_vector(store, embedders, embedder.space)
        costs.append(estimate(_unwrap(embedder), chain(sections, files)))
    return [cost for cost in costs if cost.provider and cost.texts]


def check_consent(
    store: Store, embedders: Sequence[Embedder], settings: Embedding, consent: Consent | None
) -> EmbeddingReport | None:
    """Ask for consent to a large paid run.

    Without consent, report that nothing was sent.
    """
    for cost in estimate_costs(store, embedders) if is_any_paid(embedders) else ():
        if needs_consent(cost, settings) and not (consent and consent(cost)):
            return EmbeddingReport(
                remaining=cost.texts,
                error=f"Nothing was sent: {cost.sentence()}",
                hint="To agree: waymeet index --yes. To change the limit: embedding.confirm_above_tokens.",
            )
    return None


def _unwrap(embedder: Embedder) -> Embedder:
    return embedder.inner if isinstance(embedder, CachedEmbedder) else embedder
