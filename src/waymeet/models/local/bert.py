"""Construction of an encoder from the tensors of a BERT, RoBERTa or XLM-R model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.files.model_folder import FAMILIES, Config, first_position
from waymeet.models.local.kernels import gelu, gelu_by_tanh, relu
from waymeet.models.local.matmul import Weight, make_weight
from waymeet.models.local.transformer import Encoder, Layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

Tensors = Mapping[str, "NDArray[np.generic]"]

_ACTIVATIONS = {"gelu": gelu, "relu": relu, "gelu_new": gelu_by_tanh, "gelu_pytorch_tanh": gelu_by_tanh}
_PREFIXES = ("", "bert.", "roberta.", "model.", "0.auto_model.")


class NamedTensors(NamedTuple):
    """The tensors of a model by the names of its family, without the prefix of its file."""

    tensors: Tensors
    prefix: str

    def tensor(self, name: str) -> "Matrix":
        """Return a tensor as float32."""
        try:
            return np.asarray(self.tensors[self.prefix + name], dtype=np.float32)
        except KeyError:
            raise EmbeddingError(f"The model's weights lack {name}.", "Choose another model.") from None

    def weight(self, name: str) -> Weight:
        """Return a matrix, prepared for products."""
        return make_weight(self.tensor(name))


def build_encoder(config: Config, tensors: Tensors) -> Encoder:
    """Build the encoder of a model.

    Raises:
        EmbeddingError: the model is of another family, or its weights do not match its config.json.
    """
    _check_support(config)
    prefix = next((prefix for prefix in _PREFIXES if f"{prefix}embeddings.word_embeddings.weight" in tensors), None)
    if prefix is None:
        raise EmbeddingError("The model's weights are not named as those of BERT or RoBERTa.", "Choose another model.")
    named = NamedTensors(tensors, prefix)
    words = tensors[f"{prefix}embeddings.word_embeddings.weight"]
    if words.shape[1] != config.hidden_size or config.hidden_size % config.num_attention_heads:
        raise EmbeddingError("The model's weights do not match its config.json.", "Download the model again.")
    types = named.tensor("embeddings.token_type_embeddings.weight")
    return Encoder(
        words=lambda ids: words[ids].astype(np.float32),
        positions=named.tensor("embeddings.position_embeddings.weight")[first_position(config) :] + types[0],
        second_type=types[1] - types[0] if len(types) > 1 else None,
        norm=named.tensor("embeddings.LayerNorm.weight"),
        shift=named.tensor("embeddings.LayerNorm.bias"),
        layers=tuple(_build_layer(named, config, number) for number in range(config.num_hidden_layers)),
        heads=config.num_attention_heads,
        eps=config.layer_norm_eps,
        activation=_ACTIVATIONS[config.hidden_act],
    )


def _check_support(config: Config) -> None:
    if config.model_type not in FAMILIES:
        raise EmbeddingError(
            f"Models of type {config.model_type or 'unknown'!r} are not supported without ONNX.",
            f"Supported are {', '.join(sorted(FAMILIES))}; or export the model as model.onnx.",
        )
    if config.position_embedding_type != "absolute" or config.hidden_act not in _ACTIVATIONS:
        raise EmbeddingError(
            "The model uses position embeddings or an activation that are not supported.", "Choose another model."
        )
    if config.num_attention_heads < 1 or config.hidden_size < 1:
        raise EmbeddingError("The model's config.json lacks its dimensions.", "Download the model again.")


def _build_layer(named: NamedTensors, config: Config, number: int) -> Layer:
    prefix = f"encoder.layer.{number}."
    # 1/√d of attention is multiplied into the query weights once, instead of into the scores of every text
    scale = np.float32((config.hidden_size // config.num_attention_heads) ** -0.5)
    query, key, value = (f"{prefix}attention.self.{name}" for name in ("query", "key", "value"))
    pairs, pairs_bias = (
        np.concatenate([named.tensor(f"{name}.{kind}") for name in (key, value)]) for kind in ("weight", "bias")
    )
    return Layer(
        queries=make_weight(named.tensor(f"{query}.weight") * scale),
        queries_bias=named.tensor(f"{query}.bias") * scale,
        pairs=make_weight(pairs),
        pairs_bias=pairs_bias,
        out=named.weight(f"{prefix}attention.output.dense.weight"),
        out_bias=named.tensor(f"{prefix}attention.output.dense.bias"),
        out_norm=named.tensor(f"{prefix}attention.output.LayerNorm.weight"),
        out_shift=named.tensor(f"{prefix}attention.output.LayerNorm.bias"),
        up=named.weight(f"{prefix}intermediate.dense.weight"),
        up_bias=named.tensor(f"{prefix}intermediate.dense.bias"),
        down=named.weight(f"{prefix}output.dense.weight"),
        down_bias=named.tensor(f"{prefix}output.dense.bias"),
        down_norm=named.tensor(f"{prefix}output.LayerNorm.weight"),
        down_shift=named.tensor(f"{prefix}output.LayerNorm.bias"),
    )
