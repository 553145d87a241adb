"""Building an encoder from the tensors of a BERT, RoBERTa or XLM-R model, as their files name them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from waymeet.errors import EmbeddingError
from waymeet.models.files.model_folder import FAMILIES, Config, first_position
from waymeet.models.local.kernels import gelu, gelu_by_tanh, relu
from waymeet.models.local.matmul import Weight, weight_of
from waymeet.models.local.transformer import Encoder, Layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from waymeet.models.local.kernels import Matrix

Tensors = Mapping[str, "NDArray[np.generic]"]

_ACTIVATIONS = {"gelu": gelu, "relu": relu, "gelu_new": gelu_by_tanh, "gelu_pytorch_tanh": gelu_by_tanh}
_PREFIXES = ("", "bert.", "roberta.", "model.", "0.auto_model.")


class Named(NamedTuple):
    """The tensors of a model under the names that its family gives them."""

    tensors: Tensors
    prefix: str

    def vector(self, name: str) -> "Matrix":
        """Give a tensor as float32."""
        try:
            return np.asarray(self.tensors[self.prefix + name], dtype=np.float32)
        except KeyError:
            raise EmbeddingError(f"The model's weights lack {name}.", "Choose another model.") from None

    def weight(self, name: str) -> Weight:
        """Give a matrix to multiply rows with."""
        return weight_of(self.vector(name))


def build(config: Config, tensors: Tensors) -> Encoder:
    """Build the encoder.

    Raises:
        EmbeddingError: the model is of another family, or its weights do not fit its description.
    """
    _check(config)
    prefix = next((each for each in _PREFIXES if f"{each}embeddings.word_embeddings.weight" in tensors), None)
    if prefix is None:
        raise EmbeddingError("The model's weights are not named as those of BERT or RoBERTa.", "Choose another model.")
    named = Named(tensors, prefix)
    words = tensors[f"{prefix}embeddings.word_embeddings.weight"]
    if words.shape[1] != config.hidden_size or config.hidden_size % config.num_attention_heads:
        raise EmbeddingError("The model's weights do not fit its config.json.", "Fetch the model again.")
    types = named.vector("embeddings.token_type_embeddings.weight")
    return Encoder(
        words=lambda ids: words[ids].astype(np.float32),
        places=named.vector("embeddings.position_embeddings.weight")[first_position(config) :] + types[0],
        second=types[1] - types[0] if len(types) > 1 else None,
        norm=named.vector("embeddings.LayerNorm.weight"),
        shift=named.vector("embeddings.LayerNorm.bias"),
        layers=tuple(_layer(named, config, number) for number in range(config.num_hidden_layers)),
        heads=config.num_attention_heads,
        eps=config.layer_norm_eps,
        activation=_ACTIVATIONS[config.hidden_act],
    )


def _check(config: Config) -> None:
    if config.model_type not in FAMILIES:
        raise EmbeddingError(
            f"Models of type {config.model_type or 'unknown'!r} are not supported without ONNX.",
            f"Supported are {', '.join(sorted(FAMILIES))}; or export the model as model.onnx.",
        )
    if config.position_embedding_type != "absolute" or config.hidden_act not in _ACTIVATIONS:
        raise EmbeddingError("The model uses positions or an activation that are not supported.", "Choose another.")
    if config.num_attention_heads < 1 or config.hidden_size < 1:
        raise EmbeddingError("The model's config.json does not say how large it is.", "Fetch the model again.")


def _layer(named: Named, config: Config, number: int) -> Layer:
    at = f"encoder.layer.{number}."
    share = np.float32((config.hidden_size // config.num_attention_heads) ** -0.5)
    asks, keys, values = (f"{at}attention.self.{name}" for name in ("query", "key", "value"))
    both = [np.concatenate([named.vector(f"{part}.{kind}") for part in (keys, values)]) for kind in ("weight", "bias")]
    return Layer(
        queries=weight_of(named.vector(f"{asks}.weight") * share),
        queries_bias=named.vector(f"{asks}.bias") * share,
        pairs=weight_of(both[0]),
        pairs_bias=both[1],
        out=named.weight(f"{at}attention.output.dense.weight"),
        out_bias=named.vector(f"{at}attention.output.dense.bias"),
        out_norm=named.vector(f"{at}attention.output.LayerNorm.weight"),
        out_shift=named.vector(f"{at}attention.output.LayerNorm.bias"),
        up=named.weight(f"{at}intermediate.dense.weight"),
        up_bias=named.vector(f"{at}intermediate.dense.bias"),
        down=named.weight(f"{at}output.dense.weight"),
        down_bias=named.vector(f"{at}output.dense.bias"),
        down_norm=named.vector(f"{at}output.LayerNorm.weight"),
        down_shift=named.vector(f"{at}output.LayerNorm.bias"),
    )
