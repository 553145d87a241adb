"""The state of spaced repetition of items, and the tier that their use suggests."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from waymeet.formulas.memory import TIERS, suggest_tier
from waymeet.ingest.parse.metadata.dates import read_date
from waymeet.ingest.parse.metadata.properties import read_metadata
from waymeet.notebook.item import Item
from waymeet.ports import Store
from waymeet.search.feedback.half_life import half_life_of
from waymeet.search.feedback.reviews import Review, compute_recency
from waymeet.types import Document

_DECIDED = frozenset({"constitutional", "deprecated"})
"""Tiers that people decide on, whatever the use."""


class ReviewState(Struct, frozen=True):
    """How often an item was read and confirmed, and what follows from it."""

    reviews: int = 0
    """Number of readings and confirmations."""
    confirmations: int = 0
    last_review_ns: int = 0
    """Nanoseconds since 1970; 0 if there was none."""
    stability_days: float | None = None
    """Days until retrievability falls to 0.9; None if it never does."""
    difficulty: float = 0.0
    """From 1 (easy) to 10; 0 before the first review."""
    retrievability: float = 1.0
    """Recency in the recipe `memory`, from 0 to 1."""
    half_life_days: float | None = None
    """Half-life before any review: of the front matter, else of the type of memory. None never decays."""
    suggested_tier: str = ""
    """A tier that the use suggests, if it differs from that of the front matter."""
    suggestion_reason: str = ""


def documents_of(items: Iterable[Item], root: Path, store: Store | None) -> dict[str, Document]:
    """Return the indexed documents of items by id, made from the files of those not indexed."""
    by_id = {item.id: item for item in items}
    documents = dict(store.documents(list(by_id))) if store else {}
    for id_, item in by_id.items():
        if id_ not in documents:
            documents[id_] = _to_document(item, root)
    return documents


def _to_document(item: Item, root: Path) -> Document:
    metadata = read_metadata(item.fields, item.id, item.kind, "", item.body)
    try:
        modified_ns = (root / item.id).stat().st_mtime_ns
    except OSError:
        modified_ns = 0
    changed_ns = read_date(metadata.properties) or modified_ns
    return Document(
        item.id, item.kind, item.title, metadata.doc_type, properties=metadata.properties, changed_ns=changed_ns
    )


def describe_reviews(
    documents: Mapping[str, Document], reviews: Mapping[str, Review], now: int
) -> dict[str, ReviewState]:
    """Describe the reviews of documents, by id."""
    return {id_: _describe(document, reviews.get(id_), now) for id_, document in documents.items()}


def _describe(document: Document, review: Review | None, now: int) -> ReviewState:
    half_life = half_life_of(document)
    recency = compute_recency(half_life, document.changed_ns, review, now)
    retrievability = recency.value if recency else 1.0
    tier, reason = _suggest(document.properties.get("tier", ""), review, retrievability)
    return ReviewState(
        reviews=review.reviews if review else 0,
        confirmations=review.confirmations if review else 0,
        last_review_ns=review.last_review_ns if review else 0,
        stability_days=round(recency.stability, 4) if recency and recency.stability else None,
        difficulty=review.difficulty if review else 0.0,
        retrievability=round(retrievability, 4),
        half_life_days=half_life.days,
        suggested_tier=tier,
        suggestion_reason=reason,
    )


def _suggest(author_tier: str, review: Review | None, retrievability: float) -> tuple[str, str]:
    """Return the suggested tier with its reason, both empty if the author's stands.

    A tier above that of the author is suggested, and `temporary` for items without one.
    """
    reviews, confirmations = (review.reviews, review.confirmations) if review else (0, 0)
    tier = suggest_tier(reviews, confirmations, retrievability)
    is_higher = TIERS[tier] > TIERS.get(author_tier, TIERS["normal"])
    if author_tier in _DECIDED or not (is_higher or (tier == "temporary" and author_tier in {"", "normal"})):
        return "", ""
    if tier == "temporary":
        return tier, f"never read, retrievability {retrievability:.2f}"
    return tier, f"{reviews} reviews, {confirmations} of them confirmations"
