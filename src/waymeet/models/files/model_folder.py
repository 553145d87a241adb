"""Description of a model folder of sentence-transformers: dimensions, pooling, prefixes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct, field

from waymeet.errors import EmbeddingError

Pooling = Literal["cls", "mean", "max"]
FAMILIES = frozenset({"bert", "roberta", "xlm-roberta", "camembert"})
"""Model types that run from safetensors; others need an ONNX graph."""

_Read = TypeVar("_Read")
_E5 = re.compile(r"(^|[-_/])e5-(small|base|large)(?!.*instruct)", re.IGNORECASE)
_HINT = "Give a folder with config.json, tokenizer.json and model.safetensors or model.onnx."
_SAMPLE_BYTES = 1 << 20


class Config(Struct, frozen=True):
    """The fields of config.json that are used, with the defaults of the family.

    Their names and order are part of the fingerprint, and so of the space names in stored vectors: do not change them.
    """

    model_type: str = ""
    hidden_size: int = 0
    num_attention_heads: int = 0
    num_hidden_layers: int = 0
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"
    pad_token_id: int | None = None
    max_position_embeddings: int = 512
    position_embedding_type: str = "absolute"
    normalize: bool = True
    seq_length: int | None = None
    name: str = field(default="", name="_name_or_path")
    architectures: tuple[str, ...] = ()

    @property
    def reranks(self) -> bool:
        """Check whether the model is a cross-encoder: a pair of texts in, a score out."""
        return any(name.endswith("ForSequenceClassification") for name in self.architectures)


class _Module(Struct, frozen=True):
    type: str
    path: str = ""


class _PoolingConfig(Struct, frozen=True):
    """The format since sentence-transformers 5.4 (`pooling_mode`) and the one before."""

    pooling_mode: str | tuple[str, ...] = ()
    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_max_tokens: bool = False
    include_prompt: bool = True


class _Prompts(Struct, frozen=True):
    prompts: Mapping[str, str | None] = {}
    default_prompt_name: str | None = None


class _Lengths(Struct, frozen=True):
    max_seq_length: int | None = None
    do_lower_case: bool = False


class _Tokenizer(Struct, frozen=True):
    model_max_length: float | None = None
    """A huge number if unknown."""


class FolderDescription(Struct, frozen=True):
    """Properties of the model in a folder."""

    folder: Path
    config: Config
    pooling: Pooling
    query_prefix: str
    passage_prefix: str
    max_tokens: int
    """Of a text, including special tokens."""
    is_lowercase: bool


def describe_folder(folder: Path) -> FolderDescription:
    """Read the description of a model folder.

    Raises:
        EmbeddingError: this is no model folder, or the model is not supported.
    """
    if not folder.is_dir():
        raise EmbeddingError(
            f"There is no folder {folder}.", "Check embedding.model. List the downloaded models: waymeet models"
        )
    modules = _read_json(folder / "modules.json", tuple[_Module, ...]) or ()
    path = next((module.path for module in modules if module.type.endswith("Transformer")), "")
    home = folder / _check_inside(path)
    config = _read_json(home / "config.json", Config)
    if config is None:
        raise EmbeddingError(f"{folder} is not a model folder: it has no config.json.", _HINT)
    lengths = _read_json(home / "sentence_bert_config.json", _Lengths) or _Lengths()
    tokenizer = _read_json(home / "tokenizer_config.json", _Tokenizer) or _Tokenizer()
    limit = lengths.max_seq_length or tokenizer.model_max_length or float("inf")
    positions = config.max_position_embeddings
    pooling = _read_pooling(folder, modules)
    query, passage = _read_prefixes(folder, config)
    return FolderDescription(
        folder=home,
        config=config,
        pooling=pooling,
        query_prefix=query,
        passage_prefix=passage,
        max_tokens=max(int(min(limit, positions, positions - first_position(config))), 3),
        is_lowercase=lengths.do_lower_case,
    )


@contextmanager
def report_mismatch(folder: Path) -> Iterator[None]:
    """Report files of a model that do not match, which only shows when it runs.

    Raises:
        EmbeddingError: they do not match.
    """
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        cause = " ".join(str(error).split())[:200]
        raise EmbeddingError(
            f"The files in {folder} do not match each other: {cause}.", "Download the model again."
        ) from error


def first_position(config: Config) -> int:
    """Return the row of the position table for the first token.

    RoBERTa and its relatives number positions from the id of the padding token on.
    """
    if config.model_type == "bert":
        return 0
    return (1 if config.pad_token_id is None else config.pad_token_id) + 1


def weight_files(folder: Path, family: str = "") -> Sequence[Path]:
    """List the files with the weights: safetensors, in one or several files, else an ONNX graph.

    A model of an unsupported family uses its graph if it has one.
    """
    tensors = sorted(folder.glob("model*.safetensors"))
    graphs = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
    if family and family not in FAMILIES and graphs:
        return graphs[:1]
    if not tensors and not graphs:
        pickled = next((path.name for path in sorted(folder.glob("*.bin"))), "")
        reason = f"only {pickled}, which could run code and is not used" if pickled else "none"
        raise EmbeddingError(f"{folder} holds no weights that can be read: {reason}.", _HINT)
    return tensors or graphs[:1]


def fingerprint(description: FolderDescription, *more: str) -> str:
    """Name a model by everything that determines its vectors.

    This is weights, tokenizer, config, pooling, prefixes and length limit.

    Of weights, the size and a megabyte at the beginning and at the end are hashed: training changes all weights, and
    hashing gigabytes at every start would take too long.
    """
    described = (description.config, description.pooling, description.max_tokens, description.is_lowercase)
    digest = blake2b(msgspec.json.encode(described))
    digest.update("\0".join((description.query_prefix, description.passage_prefix, *more)).encode())
    weights = weight_files(description.folder, description.config.model_type)
    for path in (*weights, description.folder / "tokenizer.json"):
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                digest.update(size.to_bytes(8, "little"))
                for position in (0, max(size - _SAMPLE_BYTES, 0)):
                    file.seek(position)
                    digest.update(file.read(_SAMPLE_BYTES))
        except OSError as error:
            raise EmbeddingError(f"{path} cannot be read: {error.strerror}.", _HINT) from error
    name = re.sub(r"[^a-z0-9.]+", "-", description.folder.resolve().name.lower()).strip("-")[:40] or "model"
    return f"{name}-{digest.hexdigest()[:10]}"


def _read_pooling(folder: Path, modules: Sequence[_Module]) -> Pooling:
    """Read the pooling of the folder's modules.

    Without modules it is the mean, the default of the family.
    """
    pooling: Pooling = "mean"
    for module in modules:
        kind = module.type.rpartition(".")[2]
        if kind == "Pooling":
            config = _read_json(folder / _check_inside(module.path) / "config.json", _PoolingConfig)
            pooling = _choose_pooling(config or _PoolingConfig(), folder)
        elif kind not in {"Transformer", "Normalize", "StaticEmbedding"}:
            raise EmbeddingError(f"{folder} has a module {kind} that is not supported.", "Choose another model.")
    return pooling


def _choose_pooling(config: _PoolingConfig, folder: Path) -> Pooling:
    names = (config.pooling_mode,) if isinstance(config.pooling_mode, str) else config.pooling_mode
    modes: dict[Pooling, bool] = {
        "cls": config.pooling_mode_cls_token or "cls" in names,
        "mean": config.pooling_mode_mean_tokens or "mean" in names,
        "max": config.pooling_mode_max_tokens or "max" in names,
    }
    if sum(modes.values()) != 1 or len(names) > 1 or not config.include_prompt:
        raise EmbeddingError(f"The pooling of {folder} is not supported.", "Choose another model.")
    return next(mode for mode, is_set in modes.items() if is_set)


def _check_inside(path: str) -> str:
    """Refuse a path in a description that leads out of its folder."""
    if path.startswith(("/", "\\")) or ".." in Path(path).parts or ":" in path:
        raise EmbeddingError(f"A module of the model lies outside its folder: {path!r}.")
    return path


def _read_prefixes(folder: Path, config: Config) -> tuple[str, str]:
    """Read the prefixes for queries and passages.

    E5 models need theirs and often do not describe them.
    """
    settings = _read_json(folder / "config_sentence_transformers.json", _Prompts) or _Prompts()
    prompts = {name: text or "" for name, text in settings.prompts.items()}
    default = prompts.get(settings.default_prompt_name or "", "")
    query = prompts.get("query") or default
    passage = prompts.get("passage") or prompts.get("document") or default
    if not query and not passage and any(_E5.search(name) for name in (config.name, folder.resolve().name)):
        return "query: ", "passage: "
    return query, passage


def _read_json(path: Path, kind: type[_Read]) -> _Read | None:
    """Read a JSON file as a record, if it exists."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"{path} cannot be read: {error}.", "Download the model again.") from error
