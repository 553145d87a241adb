"""Model folders small enough for a test, and a reference encoder in plain loops."""

import json
import struct
from collections.abc import Mapping, Sequence
from math import erf, sqrt, tanh
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors

Arrays = Mapping[str, np.ndarray]

WORDS = "the a search finds index file store rank of words and links how query passage : test".split()
HIDDEN, HEADS, LAYERS, WIDE, PLACES = 12, 3, 2, 20, 24


def write_safetensors(path: Path, tensors: Arrays) -> None:
    header: dict[str, Any] = {}
    content = b""
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64"}
    for name, tensor in tensors.items():
        start, content = len(content), content + tensor.tobytes()
        header[name] = {"dtype": kinds[str(tensor.dtype)], "shape": tensor.shape, "data_offsets": (start, len(content))}
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + content)


def write_tokenizer(folder: Path, family: str) -> None:
    if family == "bert":
        specials, first, last = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"], "[CLS]", "[SEP]"
        pair = f"{first} $A {last} $B:1 {last}:1"
    else:
        specials, first, last = ["<s>", "<pad>", "</s>", "<unk>"], "<s>", "</s>"
        pair = f"{first} $A {last} {last} $B {last}"
    vocabulary = {word: at for at, word in enumerate([*specials, *WORDS])}
    unknown = "[UNK]" if family == "bert" else "<unk>"
    if family == "xlm-roberta":
        pieces = [(word if word in specials else f"▁{word}", -float(at)) for word, at in vocabulary.items()]
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    else:
        tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=pair,
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def weights(family: str, seed: int = 1) -> dict[str, np.ndarray]:
    """Draw the weights of a tiny encoder under the names of its family."""
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return random.normal(0.0, 0.5, shape).astype(np.float32)

    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS) + 4, HIDDEN),
        "embeddings.position_embeddings.weight": (PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2 if family == "bert" else 1, HIDDEN),
        "embeddings.LayerNorm.weight": (HIDDEN,),
        "embeddings.LayerNorm.bias": (HIDDEN,),
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{at}{name}.weight": (HIDDEN, HIDDEN), f"{at}{name}.bias": (HIDDEN,)}
        shapes |= {f"{at}intermediate.dense.weight": (WIDE, HIDDEN), f"{at}intermediate.dense.bias": (WIDE,)}
        shapes |= {f"{at}output.dense.weight": (HIDDEN, WIDE), f"{at}output.dense.bias": (HIDDEN,)}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{at}{name}.weight": (HIDDEN,), f"{at}{name}.bias": (HIDDEN,)}
    return {name: draw(*shape) for name, shape in shapes.items()}


def write_folder(folder: Path, family: str, tensors: Arrays | None, pooling: str = "mean", **config: object) -> Path:
    """Write a sentence-transformers folder; without tensors it has a description only."""
    folder.mkdir(parents=True, exist_ok=True)
    measures = {
        "model_type": family,
        "hidden_size": HIDDEN,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "layer_norm_eps": 1e-5,
        "hidden_act": "gelu",
        "pad_token_id": 0 if family == "bert" else 1,
        "max_position_embeddings": PLACES,
    }
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    modes = {f"pooling_mode_{mode}": mode == f"{pooling}_token{'s' * (pooling != 'cls')}" for mode in _MODES}
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    (folder / "config.json").write_text(json.dumps(measures | config))
    (folder / "modules.json").write_text(json.dumps(modules))
    write_tokenizer(folder, family)
    if tensors is not None:
        write_safetensors(folder / "model.safetensors", tensors)
    return folder


_MODES = ("cls_token", "mean_tokens", "max_tokens")


def plainly(
    tensors: Arrays, ids: Sequence[int], kinds: Sequence[int], first: int, activation: str = "gelu"
) -> np.ndarray:
    """Compute the hidden states of one text, number by number where that is clearer, in double precision."""
    w = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return np.array([[row @ column for column in w[f"{name}.weight"]] for row in x]) + w[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        parts = [(row - row.mean()) / sqrt(row.var() + 1e-5) for row in x]
        return np.array(parts) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def active(value: float) -> float:
        if activation == "relu":
            return max(value, 0.0)
        if activation == "gelu_new":
            return 0.5 * value * (1 + tanh(sqrt(2 / 3.141592653589793) * (value + 0.044715 * value**3)))
        return 0.5 * value * (1 + erf(value / sqrt(2)))

    x = np.array(
        [
            w["embeddings.word_embeddings.weight"][each]
            + w["embeddings.position_embeddings.weight"][first + at]
            + w["embeddings.token_type_embeddings.weight"][kind]
            for at, (each, kind) in enumerate(zip(ids, kinds, strict=True))
        ]
    )
    x = norm(x, "embeddings.LayerNorm")
    for number in range(LAYERS):
        at, width = f"encoder.layer.{number}.", HIDDEN // HEADS
        q, k, v = (dense(x, f"{at}attention.self.{name}") for name in ("query", "key", "value"))
        mixed = np.zeros_like(x)
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            for row in range(len(x)):
                scores = np.array([q[row, part] @ k[other, part] / sqrt(width) for other in range(len(x))])
                shares = np.exp(scores) / np.exp(scores).sum()
                mixed[row, part] = sum(share * v[other, part] for other, share in enumerate(shares))
        x = norm(dense(mixed, f"{at}attention.output.dense") + x, f"{at}attention.output.LayerNorm")
        wide = np.vectorize(active)(dense(x, f"{at}intermediate.dense"))
        x = norm(dense(wide, f"{at}output.dense") + x, f"{at}output.LayerNorm")
    return x


def pooled(states: np.ndarray, pooling: str) -> np.ndarray:
    """Pool and normalise the hidden states of one text."""
    vector = {"cls": states[0], "mean": states.mean(axis=0), "max": states.max(axis=0)}[pooling]
    unit: np.ndarray = vector / np.linalg.norm(vector)
    return unit
