"""The embedders that the user chose."""

from waymeet.ports import Embedder
from waymeet.settings import Embedding


def chosen_embedders(numbers: Embedding) -> tuple[Embedder, ...]:
    """Make the chosen embedders, the main one first; each loads when it is first used. Empty if none was chosen."""
    match numbers.provider:
        case "local":
            return _granite(), _multilingual()
        case "granite":
            return (_granite(),)
        case "multilingual":
            return (_multilingual(),)
        case "hashing":
            from waymeet.models.hashing import HashingEmbedder  # noqa: PLC0415 - start-up is a feature

            return (HashingEmbedder(numbers.dimension),)
    return ()


def _granite() -> Embedder:
    from waymeet.models.granite import GraniteEmbedder  # noqa: PLC0415 - start-up is a feature

    return GraniteEmbedder()


def _multilingual() -> Embedder:
    from waymeet.models.multilingual import MultilingualEmbedder  # noqa: PLC0415 - likewise

    return MultilingualEmbedder()
