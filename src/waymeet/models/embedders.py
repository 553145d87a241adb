"""The embedder that the user chose."""

from waymeet.ports import Embedder
from waymeet.settings import Embedding


def chosen_embedder(numbers: Embedding) -> Embedder | None:
    """Make the chosen embedder; it loads when it is first used. None if none was chosen."""
    match numbers.provider:
        case "granite":
            from waymeet.models.granite import GraniteEmbedder  # noqa: PLC0415 - start-up is a feature

            return GraniteEmbedder()
        case "multilingual":
            from waymeet.models.multilingual import MultilingualEmbedder  # noqa: PLC0415 - likewise

            return MultilingualEmbedder()
        case "hashing":
            from waymeet.models.hashing import HashingEmbedder  # noqa: PLC0415 - likewise

            return HashingEmbedder(numbers.dimension)
    return None
