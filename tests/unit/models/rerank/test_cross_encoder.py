"""Cross-encoders in folders: question and text read together, held to the plain encoder."""

from math import exp
from pathlib import Path

import numpy as np
import pytest
from onnx_writer import FLOAT, INT64, Node, Value, model
from support import tiny_models as tiny
from tokenizers import Tokenizer

from waymeet.errors import EmbeddingError
from waymeet.models.rerank.cross_encoder import LocalReranker

TEXTS = ["the search finds words", "rank", "", "how the index and links of a file", "test " * 60]
QUERY = "how the search"


def _head(family: str, labels: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(8)
    names = ("classifier.dense", "classifier.out_proj") if family != "bert" else ("bert.pooler.dense", "classifier")
    shapes = ((tiny.HIDDEN, tiny.HIDDEN), (labels, tiny.HIDDEN))
    head = {}
    for name, shape in zip(names, shapes, strict=True):
        head[f"{name}.weight"] = random.normal(size=shape).astype(np.float32)
        head[f"{name}.bias"] = random.normal(size=shape[0]).astype(np.float32)
    return head


@pytest.mark.parametrize("labels", [1, 2])
@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta"])
def test_scores_equal_the_plain_encoder(tmp_path: Path, family: str, labels: int) -> None:
    tensors, head = tiny.weights(family), _head(family, labels)
    prefix = family.removeprefix("xlm-")  # as their files have it
    named = {f"{prefix}.{name}": each for name, each in tensors.items()} | head
    folder = tiny.write_folder(tmp_path / "cross", family, named)
    reranker = LocalReranker(folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    first = 0 if family == "bert" else 2
    tokenizer.enable_truncation(tiny.PLACES - first, strategy="longest_first")
    dense, bias, last, last_bias = head.values()
    scores = reranker.score(QUERY, TEXTS)
    for text, score in zip(TEXTS, scores, strict=True):
        found = tokenizer.encode(QUERY, text)
        state = tiny.plainly(tensors, found.ids, found.type_ids, first)[0]
        logits = last @ np.tanh(dense @ state + bias) + last_bias
        margin = float(logits[0] if labels == 1 else logits[1] - logits[0])
        assert abs(score - 1 / (1 + exp(-margin))) < 1e-5
        assert 0.0 <= score <= 1.0
    assert reranker.score(QUERY, []) == []
    assert reranker.name.startswith("cross-")


def test_an_onnx_cross_encoder_is_run(tmp_path: Path) -> None:
    random = np.random.default_rng(9)
    table = random.normal(size=(len(tiny.WORDS) + 4, 3)).astype(np.float32)
    kinds = random.normal(size=(2, 3)).astype(np.float32)
    last = random.normal(size=(3, 1)).astype(np.float32)
    names = ("input_ids", "attention_mask", "token_type_ids")
    nodes = [
        Node("Gather", ["table", "input_ids"], ["x"]),
        Node("Gather", ["kinds", "token_type_ids"], ["k"]),
        Node("Add", ["x", "k"], ["h"]),
        Node("Cast", ["attention_mask"], ["m"], {"to": FLOAT}),
        Node("Unsqueeze", ["m", "axis"], ["mask"]),
        Node("Mul", ["h", "mask"], ["kept"]),
        Node("ReduceSum", ["kept", "one"], ["sum"], {"keepdims": 0}),
        Node("MatMul", ["sum", "last"], ["logits"]),
    ]
    axes = {"axis": np.array([2], dtype=np.int64), "one": np.array([1], dtype=np.int64)}
    inputs = [Value(name, INT64, ["texts", "tokens"]) for name in names]
    graph = model(
        nodes, inputs, [Value("logits", FLOAT, ["texts", 1])], {"table": table, "kinds": kinds, "last": last, **axes}
    )
    folder = tiny.write_folder(tmp_path / "cross", "bert", None)
    (folder / "model.onnx").write_bytes(graph)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(tiny.PLACES, strategy="longest_first")
    for text, score in zip(TEXTS, LocalReranker(folder).score(QUERY, TEXTS), strict=True):
        found = tokenizer.encode(QUERY, text)
        margin = float(((table[found.ids] + kinds[found.type_ids]).sum(axis=0) @ last)[0])
        assert abs(score - 1 / (1 + exp(-margin))) < 1e-4


def test_a_model_without_a_head_or_with_another_is_refused(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    with pytest.raises(EmbeddingError, match=r"lack pooler\.dense\.weight"):
        LocalReranker(tiny.write_folder(tmp_path / "m", "bert", tensors)).score(QUERY, ["rank"])
    named = {f"bert.{name}": each for name, each in tensors.items()} | _head("bert", 3)
    with pytest.raises(EmbeddingError, match="3 numbers per text"):
        LocalReranker(tiny.write_folder(tmp_path / "n", "bert", named)).score(QUERY, ["rank"])
