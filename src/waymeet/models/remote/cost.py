"""What embedding would cost, before anything is sent: texts, tokens, and roughly the money."""

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.ingest.embed.batches import EmbeddingReport, texts_without_vector
from waymeet.models.remote.embedder import HttpEmbedder
from waymeet.models.remote.http import is_loopback
from waymeet.models.vector_cache import CachedEmbedder
from waymeet.ports import Embedder, Store
from waymeet.settings import Embedding

PRICED = "November 2026"
"""When the prices were looked up. They are what the providers list, without their free amounts and rebates."""
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
"""Dollars for a million tokens."""


class Estimate(Struct, frozen=True):
    """What embedding some texts would mean."""

    provider: str
    """Who would be sent them; empty if they stay on this machine."""
    model: str
    texts: int
    tokens: int
    """By our estimate, which knows no vocabulary: prose and code within a tenth, other scripts rather too high."""
    dollars: float | None
    """By the price list of `priced`; none if the price is not known here, 0 if nobody is paid."""
    priced: str = PRICED

    @property
    def is_paid(self) -> bool:
        """Tell whether somebody may want money for it."""
        return self.dollars is None or self.dollars > 0.0

    def sentence(self) -> str:
        """Say it in a sentence."""
        amount = f"{self.texts:,} section{'' if self.texts == 1 else 's'}, about {self.tokens:,} tokens"
        if not self.provider:
            return f"{amount}, would be embedded by {self.model} on this machine."
        whom = f"{self.provider} ({self.model})"
        if not self.is_paid:
            return f"{amount}, would be sent to {whom}."
        if self.dollars is None:
            return f"{amount}, would be sent to {whom}; what that costs is not known here."
        return f"{amount}, would be sent to {whom}: {_money(self.dollars)} by its prices of {self.priced}."


def estimate(embedder: Embedder, texts: Iterable[str]) -> Estimate:
    """Estimate what embedding texts would cost; nothing is sent, and texts are read one at a time."""
    if not isinstance(embedder, HttpEmbedder):
        lengths = [estimate_tokens(text) for text in texts]
        return Estimate("", embedder.space, len(lengths), sum(lengths), 0.0)
    lengths = [estimate_tokens(embedder.sent(text)) for text in texts if text.strip()]
    provider = embedder.provider
    price = PRICES.get(provider.name, {}).get(provider.model)
    if provider.name == "compatible" and (not provider.keys or is_loopback(urlsplit(provider.url).hostname or "")):
        price = 0.0  # one's own server: who wants no key sends no bill
    total = sum(lengths)
    dollars = None if price is None else total * price / 1e6
    return Estimate(provider.name, provider.model, len(lengths), total, dollars)


def needs_consent(found: Estimate, numbers: Embedding) -> bool:
    """Tell whether somebody has to agree before it is done."""
    return found.is_paid and found.tokens > numbers.confirm_above_tokens


def _money(dollars: float) -> str:
    """Write an amount as people do.

    >>> _money(0.0004), _money(0.072), _money(1234.567)
    ('less than $0.01', 'about $0.07', 'about $1,234.57')
    """
    return f"about ${dollars:,.2f}" if dollars >= 0.01 else "less than $0.01"


Consent = Callable[[Estimate], bool]


def is_any_paid(embedders: Sequence[Embedder]) -> bool:
    """Tell whether somebody may want money, without looking at what there is to embed."""
    return any(estimate(_innermost(each), ["a text"]).is_paid for each in embedders)


def estimate_costs(store: Store, embedders: Sequence[Embedder]) -> list[Estimate]:
    """Estimate what is sent elsewhere to embed the rest."""
    found = [estimate(_innermost(each), texts_without_vector(store, embedders, each.space)) for each in embedders]
    return [each for each in found if each.provider and each.texts]


def check_consent(
    store: Store, embedders: Sequence[Embedder], numbers: Embedding, consent: Consent | None
) -> EmbeddingReport | None:
    """Ask before a large paid run; if nobody agrees, say what was not done."""
    for each in estimate_costs(store, embedders) if is_any_paid(embedders) else ():
        if needs_consent(each, numbers) and not (consent and consent(each)):
            return EmbeddingReport(
                remaining=each.texts,
                error=f"Nothing was sent: {each.sentence()}",
                hint="To agree: waymeet index --yes. Not to be asked: embedding.confirm_above_tokens.",
            )
    return None


def _innermost(embedder: Embedder) -> Embedder:
    return embedder.inner if isinstance(embedder, CachedEmbedder) else embedder
