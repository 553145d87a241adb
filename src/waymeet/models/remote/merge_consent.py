"""Who is paid for embedding, and what is asked before much is sent to them."""

from collections.abc import Callable, Sequence

from waymeet.ingest.embed.batches import Embedded, missing
from waymeet.models.remote.cost import Estimate, estimate, needs_consent
from waymeet.models.vector_cache import KeptEmbedder
from waymeet.ports import Embedder, Store
from waymeet.settings import Embedding

Consent = Callable[[Estimate], bool]


def paid(embedders: Sequence[Embedder]) -> bool:
    """Tell whether somebody may want money, without looking at what there is to embed."""
    return any(estimate(_innermost(each), ["a text"]).paid for each in embedders)


def estimates(store: Store, embedders: Sequence[Embedder]) -> list[Estimate]:
    """Estimate what is sent elsewhere to embed the rest."""
    found = [estimate(_innermost(each), missing(store, embedders, each.lane)) for each in embedders]
    return [each for each in found if each.provider and each.texts]


def refused(
    store: Store, embedders: Sequence[Embedder], numbers: Embedding, consent: Consent | None
) -> Embedded | None:
    """Ask before a large paid run; if nobody agrees, say what was not done."""
    for each in estimates(store, embedders) if paid(embedders) else ():
        if needs_consent(each, numbers) and not (consent and consent(each)):
            return Embedded(
                left=each.texts,
                trouble=f"Nothing was sent: {each.told()}",
                hint="To agree: waymeet index --yes. Not to be asked: embedding.ask_above_tokens.",
            )
    return None


def _innermost(embedder: Embedder) -> Embedder:
    return embedder.inner if isinstance(embedder, KeptEmbedder) else embedder
