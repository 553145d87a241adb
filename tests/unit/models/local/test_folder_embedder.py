"""Models in folders of the user's own, held to an encoder in plain loops."""

import json
from math import erf, sqrt
from pathlib import Path

import numpy as np
import pytest
from onnx_writer import FLOAT, INT64, Node, Value, model
from support import tiny_models as tiny
from tokenizers import Tokenizer

from waymeet.errors import EmbeddingError
from waymeet.models.local.folder_embedder import LocalEmbedder, open_folder
from waymeet.models.local.kernels import gelu
from waymeet.models.local.static import StaticEmbedder

TEXTS = ["the search finds words", "rank", "", "how the index and links of a file", "unheard of", "test " * 60, "</s>"]
FIRST = {"bert": 0, "roberta": 2, "xlm-roberta": 2, "camembert": 2}


def _expected(
    folder: Path, family: str, tensors: tiny.Arrays, text: str, pooling: str, *, act: str = "gelu"
) -> np.ndarray:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.encode_special_tokens = True
    tokenizer.enable_truncation(tiny.PLACES - FIRST[family])
    found = tokenizer.encode(text)
    return tiny.pooled(tiny.plainly(tensors, found.ids, found.type_ids, FIRST[family], act), pooling)


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta"])
def test_every_family_and_pooling_equals_the_plain_encoder(tmp_path: Path, family: str, pooling: str) -> None:
    tensors = tiny.weights(family)
    folder = tiny.write_folder(tmp_path / "Tiny Model", family, tensors, pooling)
    embedder = open_folder(folder)
    assert isinstance(embedder, LocalEmbedder)
    assert embedder.dimension == tiny.HIDDEN
    assert embedder.space.startswith("tiny-model-")
    for text, vector in zip(TEXTS, embedder.embed_passages(TEXTS), strict=True):
        expected = _expected(folder, family, tensors, text, pooling)
        assert vector.dtype == np.float32
        assert np.abs(vector - expected).max() < 1e-5, text
        assert np.abs(embedder.embed_query(text) - expected).max() < 1e-5


@pytest.mark.parametrize("activation", ["relu", "gelu_new"])
def test_other_activations_are_known(tmp_path: Path, activation: str) -> None:
    tensors = tiny.weights("bert", seed=2)
    folder = tiny.write_folder(tmp_path / "m", "bert", tensors, "cls", hidden_act=activation)
    expected = _expected(folder, "bert", tensors, "the search", "cls", act=activation)
    assert np.abs(LocalEmbedder(folder).embed_query("the search") - expected).max() < 1e-5


def test_weights_in_several_files_under_a_prefix_in_half_precision(tmp_path: Path) -> None:
    tensors = {name: each.astype(np.float16) for name, each in tiny.weights("roberta").items()}
    folder = tiny.write_folder(tmp_path / "m", "roberta", None)
    named = [(f"roberta.{name}", each) for name, each in tensors.items()]
    tiny.write_safetensors(folder / "model-00001-of-00002.safetensors", dict(named[:9]))
    tiny.write_safetensors(folder / "model-00002-of-00002.safetensors", dict(named[9:]))
    expected = _expected(folder, "roberta", tensors, "rank words", "mean")
    assert np.abs(LocalEmbedder(folder).embed_query("rank words") - expected).max() < 1e-5


def test_prefixes_come_from_the_folder_or_the_user(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    e5 = tiny.write_folder(tmp_path / "multilingual-e5-small", "bert", tensors)
    told = tiny.write_folder(tmp_path / "told", "bert", tensors)
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}, "default_prompt_name": None}
    (told / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    for folder in (e5, told):
        embedder = LocalEmbedder(folder)
        asked = _expected(folder, "bert", tensors, "query: the store", "mean")
        found = _expected(folder, "bert", tensors, "passage: the store", "mean")
        assert np.abs(embedder.embed_query("the store") - asked).max() < 1e-5
        assert np.abs(embedder.embed_passages(["the store"])[0] - found).max() < 1e-5
    instructed = LocalEmbedder(tiny.write_folder(tmp_path / "multilingual-e5-large-instruct", "bert", tensors))
    assert np.array_equal(instructed.embed_query("the store"), instructed.embed_passages(["the store"])[0])
    other = LocalEmbedder(told, query_prefix="", passage_prefix="test ")
    assert np.abs(other.embed_query("the store") - _expected(told, "bert", tensors, "the store", "mean")).max() < 1e-5
    assert other.space != LocalEmbedder(told).space


def test_a_space_changes_with_anything_that_changes_vectors(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    spaces = {LocalEmbedder(tiny.write_folder(tmp_path / "m", "bert", tensors)).space}
    assert LocalEmbedder(tmp_path / "m").space in spaces
    spaces.add(LocalEmbedder(tiny.write_folder(tmp_path / "m", "bert", tensors, "cls")).space)
    spaces.add(LocalEmbedder(tiny.write_folder(tmp_path / "m", "bert", tiny.weights("bert", seed=3))).space)
    (tmp_path / "m" / "sentence_bert_config.json").write_text('{"max_seq_length": 8}')
    spaces.add(LocalEmbedder(tmp_path / "m").space)
    assert len(spaces) == 4


def test_an_onnx_graph_is_run_and_pooled(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    table = random.normal(size=(len(tiny.WORDS) + 4, 6)).astype(np.float32)
    inputs = [Value(name, INT64, ["texts", "tokens"]) for name in ("input_ids", "attention_mask")]
    graph = model(
        [Node("Gather", ["table", "input_ids"], ["x"]), Node("Tanh", ["x"], ["last_hidden_state"])],
        inputs,
        [Value("last_hidden_state", FLOAT, ["texts", "tokens", 6])],
        {"table": table},
    )
    for pooling in ("cls", "mean", "max"):
        folder = tiny.write_folder(tmp_path / pooling, "bert", None, pooling, model_type="modernbert")
        (folder / "onnx").mkdir()
        (folder / "onnx" / "model.onnx").write_bytes(graph)
        embedder = open_folder(folder)
        assert embedder.dimension == 6
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(tiny.PLACES - 1)
        for text, vector in zip(TEXTS[:5], embedder.embed_passages(TEXTS[:5]), strict=True):
            states = np.tanh(table[tokenizer.encode(text).ids].astype(np.float64))
            assert np.abs(vector - tiny.pooled(states, pooling)).max() < 1e-5
    (folder / "onnx" / "model.onnx").write_bytes(graph[:100])
    with pytest.raises(EmbeddingError, match="cannot be run"):
        open_folder(folder).embed_query("the")


def test_a_static_model_is_the_mean_of_its_tokens(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    count = len(tiny.WORDS) + 4
    tensors: dict[str, np.ndarray] = {
        "embeddings": random.normal(size=(7, 5)).astype(np.float16),
        "weights": random.random(count).astype(np.float32),
        "mapping": random.integers(0, 7, count),
    }
    folder = tiny.write_folder(tmp_path / "static", "bert", tensors, model_type="model2vec")
    embedder = open_folder(folder)
    assert isinstance(embedder, StaticEmbedder)
    assert embedder.dimension == 5
    ids = [tiny.WORDS.index(word) + 4 for word in ("the", "rank", "of", "the")]
    rows = tensors["embeddings"][tensors["mapping"][ids]].astype(np.float64) * tensors["weights"][ids][:, None]
    mean = rows.mean(axis=0)
    found = embedder.embed_query("the rank of the unheard")  # the last word is unknown and left out
    assert np.abs(found - mean / np.linalg.norm(mean)).max() < 1e-5
    assert embedder.embed_query("").tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert embedder.embed_passages([]) == []


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "t5"}'), "not supported without ONNX"),
        (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 99), "not a usable safetensors"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be read"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json"),
        (lambda folder: (folder / "modules.json").write_text('[{"type": "x.Dense"}]'), "Dense"),
        (lambda folder: (folder / "modules.json").write_text('[{"type": "Pooling", "path": "../.."}]'), "outside"),
        (lambda folder: (folder / "1_Pooling" / "config.json").write_text("{}"), "The pooling of"),
    ],
)
def test_a_folder_that_cannot_be_used_says_why(tmp_path: Path, damage: object, message: str) -> None:
    folder = tiny.write_folder(tmp_path / "m", "bert", tiny.weights("bert"))
    assert callable(damage)
    damage(folder)
    with pytest.raises(EmbeddingError, match=message):
        open_folder(folder).embed_query("the")


def test_missing_weights_are_named(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    del tensors["encoder.layer.1.output.dense.bias"]
    with pytest.raises(EmbeddingError, match=r"lack encoder\.layer\.1\.output\.dense\.bias"):
        LocalEmbedder(tiny.write_folder(tmp_path / "m", "bert", tensors)).embed_query("the")


def test_gelu_is_exact_to_the_last_digits_of_float32() -> None:
    points = np.linspace(-12, 12, 100_001, dtype=np.float32)
    exact = np.array([0.5 * x * (1 + erf(x / sqrt(2))) for x in points.astype(np.float64)])
    assert np.abs(gelu(points.reshape(-1, 1).copy())[:, 0] - exact).max() < 1e-6


@pytest.mark.parametrize("pooling", ["cls", "mean", "max"])
def test_pooling_is_also_read_as_newer_folders_write_it(tmp_path: Path, pooling: str) -> None:
    tensors = tiny.weights("bert")
    folder = tiny.write_folder(tmp_path / "m", "bert", tensors)
    written = folder / "1_Pooling" / "config.json"
    written.write_text(json.dumps({"embedding_dimension": tiny.HIDDEN, "pooling_mode": pooling}))
    expected = _expected(folder, "bert", tensors, "the search", pooling)
    assert np.abs(LocalEmbedder(folder).embed_query("the search") - expected).max() < 1e-5
    for refused in ({"pooling_mode": ["cls", "mean"]}, {"pooling_mode": "lasttoken"}, {"include_prompt": False}):
        written.write_text(json.dumps({"pooling_mode": pooling, **refused}))
        with pytest.raises(EmbeddingError, match="The pooling of"):
            LocalEmbedder(folder)


def test_a_transformer_may_lie_in_a_folder_of_its_own(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    plain = tiny.write_folder(tmp_path / "plain", "bert", tensors, "cls")
    nested = tmp_path / "nested"
    tiny.write_folder(nested / "0_Transformer", "bert", tensors)
    (nested / "1_Pooling").mkdir()
    (nested / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    modules = [{"path": "0_Transformer", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"}]
    (nested / "modules.json").write_text(json.dumps(modules))
    assert np.array_equal(
        LocalEmbedder(nested).embed_query("the search"), LocalEmbedder(plain).embed_query("the search")
    )
    (nested / "modules.json").write_text('[{"path": "../plain", "type": "x.Transformer"}]')
    with pytest.raises(EmbeddingError, match="outside its folder"):
        LocalEmbedder(nested)


def test_a_tokenizer_may_know_a_shorter_limit(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    folder = tiny.write_folder(tmp_path / "m", "bert", tensors)
    whole = LocalEmbedder(folder).embed_query("test " * 20)
    for limit in (1e30, 8):
        (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": limit}))
        same = np.array_equal(LocalEmbedder(folder).embed_query("test " * 20), whole)
        assert same == (limit > 8)


def test_a_model_whose_weights_are_damaged_gives_no_vector(tmp_path: Path) -> None:
    tensors = tiny.weights("bert")
    tensors["encoder.layer.0.output.dense.bias"][0] = np.nan
    broken = LocalEmbedder(tiny.write_folder(tmp_path / "broken", "bert", tensors))
    with pytest.raises(EmbeddingError, match=r"broken-\w+/1 gave a vector that is not finite"):
        broken.embed_passages(["the search"])
    table = {"embeddings": np.full((len(tiny.WORDS) + 4, 3), np.inf, dtype=np.float32)}
    static = open_folder(tiny.write_folder(tmp_path / "static", "bert", table, model_type="model2vec"))
    with pytest.raises(EmbeddingError, match="not finite"):
        static.embed_query("the search")


@pytest.mark.parametrize(
    "name",
    ["embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight", "encoder.layer.0.output.dense.bias"],
)
def test_files_that_do_not_belong_together_are_told_of(tmp_path: Path, name: str) -> None:
    tensors = tiny.weights("bert")
    tensors[name] = tensors[name][:2]
    broken = LocalEmbedder(tiny.write_folder(tmp_path / "broken", "bert", tensors))
    with pytest.raises(EmbeddingError, match="do not match each other"):
        broken.embed_passages(["how the index and links of a file"])
    table = {"embeddings": np.ones((2, 3), dtype=np.float32)}
    static = open_folder(tiny.write_folder(tmp_path / "static", "bert", table, model_type="model2vec"))
    with pytest.raises(EmbeddingError, match="do not match each other"):
        static.embed_query("the search")


def test_weights_that_could_run_code_are_not_read(tmp_path: Path) -> None:
    folder = tiny.write_folder(tmp_path / "m", "bert", None)
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    with pytest.raises(EmbeddingError, match=r"only pytorch_model\.bin"):
        open_folder(folder)
