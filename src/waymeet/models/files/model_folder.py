"""What a model folder of the sentence-transformers family says about itself."""

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
"""Kinds of encoders whose safetensors can be run; others need an ONNX graph."""

_Read = TypeVar("_Read")
_E5 = re.compile(r"(^|[-_/])e5-(small|base|large)(?!.*instruct)", re.IGNORECASE)
_HINT = "Give a folder with config.json, tokenizer.json and model.safetensors or model.onnx."
_SAMPLE = 1 << 20


class Config(Struct, frozen=True):
    """The measures of a model, as its config.json has them; the defaults are those of the family."""

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
        """Tell whether the model reads two texts together and gives a score instead of a vector."""
        return any(each.endswith("ForSequenceClassification") for each in self.architectures)


class _Module(Struct, frozen=True):
    type: str
    path: str = ""


class _PoolingConfig(Struct, frozen=True):
    """As sentence-transformers writes it since version 5.4 (`pooling_mode`), and as it did before."""

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
    """Absurdly large if nobody knows."""


class FolderDescription(Struct, frozen=True):
    """A model folder, understood."""

    folder: Path
    config: Config
    pooling: Pooling
    query_prefix: str
    passage_prefix: str
    longest: int
    """Tokens of a text that are looked at, special ones included."""
    lower: bool


def describe_folder(folder: Path) -> FolderDescription:
    """Read a folder's own description: measures, pooling, prefixes and length.

    Raises:
        EmbeddingError: the folder is not one, or wants something that is not supported.
    """
    if not folder.is_dir():
        raise EmbeddingError(f"There is no folder {folder}.", "Check embedding.model, or fetch it: waymeet models")
    modules = _read(folder / "modules.json", tuple[_Module, ...]) or ()
    inner = next((each.path for each in modules if each.type.endswith("Transformer")), "")
    home = folder / _inside(inner)
    config = _read(home / "config.json", Config)
    if config is None:
        raise EmbeddingError(f"{folder} is not a model folder: it has no config.json.", _HINT)
    lengths = _read(home / "sentence_bert_config.json", _Lengths) or _Lengths()
    most = (_read(home / "tokenizer_config.json", _Tokenizer) or _Tokenizer()).model_max_length or float("inf")
    pooling = _pooling(folder, modules)
    query, passage = _prefixes(folder, config)
    return FolderDescription(
        folder=home,
        config=config,
        pooling=pooling,
        query_prefix=query,
        passage_prefix=passage,
        longest=max(int(min(lengths.max_seq_length or most, config.max_position_embeddings, _positions(config))), 3),
        lower=lengths.do_lower_case,
    )


@contextmanager
def fitting(folder: Path) -> Iterator[None]:
    """Run a model whose weights, measures and tokenizer may not belong together, which only shows when it is run.

    Raises:
        EmbeddingError: they do not.
    """
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        cause = " ".join(str(error).split())[:200]
        raise EmbeddingError(
            f"The files in {folder} do not fit each other: {cause}.", "Fetch the model again."
        ) from error


def first_position(config: Config) -> int:
    """Say which row of the position table belongs to the first token: RoBERTa and its kin count from the padding on."""
    if config.model_type == "bert":
        return 0
    return (1 if config.pad_token_id is None else config.pad_token_id) + 1


def weight_files(folder: Path, family: str = "") -> Sequence[Path]:
    """List the files that hold the weights, best first: safetensors, in one or several files, else an ONNX graph.

    Of a family that cannot be run by its weights alone, a graph is taken if there is one.
    """
    whole = sorted(folder.glob("model*.safetensors"))
    graphs = [path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()]
    if family and family not in FAMILIES and graphs:
        return graphs[:1]
    if not whole and not graphs:
        unsafe = next((path.name for path in sorted(folder.glob("*.bin"))), "")
        said = f"only {unsafe}, which is a program as much as weights and is not run" if unsafe else "none"
        raise EmbeddingError(f"{folder} holds no weights that can be read: {said}.", _HINT)
    return whole or graphs[:1]


def fingerprint(described: FolderDescription, *more: str) -> str:
    """Name what makes vectors comparable: weights, tokenizer, measures, pooling, prefixes, length.

    Of weights, size, beginning and end are looked at: training changes all of them, and hashing gigabytes at every
    start would not be worth it.
    """
    digest = blake2b(msgspec.json.encode((described.config, described.pooling, described.longest, described.lower)))
    digest.update("\0".join((described.query_prefix, described.passage_prefix, *more)).encode())
    for path in (*weight_files(described.folder, described.config.model_type), described.folder / "tokenizer.json"):
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                digest.update(size.to_bytes(8, "little"))
                for at in (0, max(size - _SAMPLE, 0)):
                    file.seek(at)
                    digest.update(file.read(_SAMPLE))
        except OSError as error:
            raise EmbeddingError(f"{path} cannot be read: {error.strerror}.", _HINT) from error
    name = re.sub(r"[^a-z0-9.]+", "-", described.folder.resolve().name.lower()).strip("-")[:40] or "model"
    return f"{name}-{digest.hexdigest()[:10]}"


def _positions(config: Config) -> int:
    return config.max_position_embeddings - first_position(config)


def _pooling(folder: Path, modules: Sequence[_Module]) -> Pooling:
    """Find the pooling among the folder's modules; a folder without modules pools by the mean, as its family does."""
    pooling: Pooling = "mean"
    for module in modules:
        kind = module.type.rpartition(".")[2]
        if kind == "Pooling":
            pooling = _mode(_read(folder / _inside(module.path) / "config.json", _PoolingConfig), folder)
        elif kind not in {"Transformer", "Normalize", "StaticEmbedding"}:
            raise EmbeddingError(f"{folder} has a module {kind} that is not supported.", "Choose another model.")
    return pooling


def _mode(written: _PoolingConfig | None, folder: Path) -> Pooling:
    chosen = written or _PoolingConfig()
    named = (chosen.pooling_mode,) if isinstance(chosen.pooling_mode, str) else chosen.pooling_mode
    modes: dict[Pooling, bool] = {
        "cls": chosen.pooling_mode_cls_token or "cls" in named,
        "mean": chosen.pooling_mode_mean_tokens or "mean" in named,
        "max": chosen.pooling_mode_max_tokens or "max" in named,
    }
    if sum(modes.values()) != 1 or len(named) > 1 or not chosen.include_prompt:
        raise EmbeddingError(f"{folder} pools in a way that is not supported.", "Choose another model.")
    return next(mode for mode, on in modes.items() if on)


def _inside(path: str) -> str:
    """Keep a path of a description below its folder."""
    if path.startswith(("/", "\\")) or ".." in Path(path).parts or ":" in path:
        raise EmbeddingError(f"A module of the model lies outside of its folder: {path!r}.")
    return path


def _prefixes(folder: Path, config: Config) -> tuple[str, str]:
    """Give the prefixes for questions and passages; E5 models need theirs and often do not say so."""
    written = _read(folder / "config_sentence_transformers.json", _Prompts) or _Prompts()
    prompts = {name: text or "" for name, text in written.prompts.items()}
    usual = prompts.get(written.default_prompt_name or "", "")
    query = prompts.get("query") or usual
    passage = prompts.get("passage") or prompts.get("document") or usual
    if not query and not passage and any(_E5.search(name) for name in (config.name, folder.resolve().name)):
        return "query: ", "passage: "
    return query, passage


def _read(path: Path, kind: type[_Read]) -> _Read | None:
    """Read a JSON file of a known shape; one that is not there is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"{path} cannot be read: {error}.", "Fetch the model again.") from error
