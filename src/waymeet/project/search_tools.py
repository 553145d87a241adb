"""Collect the tools of a search: the store, the models in use, feedback and read history."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from waymeet.ports import Store, Vocabulary
from waymeet.project.models import ActiveModels
from waymeet.settings import Settings

if TYPE_CHECKING:
    from waymeet.search.state import Tools


def collect_tools(store: Store, index: Path, settings: Settings, active: ActiveModels) -> "Tools":
    """Collect what the stages of a search use."""
    from waymeet.search.feedback import storage
    from waymeet.search.state import Tools

    return Tools(
        store,
        active.embedders,
        reviews=storage.read_reviews(index),
        feedback=storage.read_feedback_or_warn(index),
        failed_chunks=active.failed_chunks,
        vocabulary=_find_vocabulary(active),
        **_choose_reranker_and_expander(settings),
    )


def _find_vocabulary(active: ActiveModels) -> Vocabulary | None:
    """Find the words that the main model knows, if it has a list of them."""
    if not active.embedders:
        return None
    from waymeet.models.vector_cache import CachedEmbedder

    main = active.embedders[0]
    return main.vocabulary if isinstance(main, CachedEmbedder) else None


def _choose_reranker_and_expander(settings: Settings) -> dict[str, Any]:
    """Give the reranker and the expander that the settings choose, if any."""
    if settings.rerank.provider == settings.expand.provider == "none":
        return {}
    from waymeet.models.choose_rerankers import choose_models

    return choose_models(settings.rerank, settings.expand)._asdict()
