"""The vector cache: nothing is embedded twice, its size is bounded, and its failures cost time only."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from waymeet.models.hashing import HashingEmbedder
from waymeet.models.vector_cache import CachedEmbedder, VectorCache

if TYPE_CHECKING:
    from waymeet.ports import Vector

pytestmark = pytest.mark.slow

TEXTS = ["One text.", "Another text.", "漢字の文。"]


class Counting(HashingEmbedder):
    """Records the texts it embeds; returns an invalid vector for one of them."""

    def __init__(self, dimension: int = 16, wrong: str = "") -> None:
        super().__init__(dimension)
        self.shown: list[str] = []
        self._wrong = wrong

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        self.shown += texts
        spoilt = np.full(self.dimension, np.nan, np.float32)
        return [spoilt if text == self._wrong else self.embed_query(text) for text in texts]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.sqlite"


def cache(file: Path, megabytes: float = 10.0, now: float = 0.0) -> VectorCache:
    return VectorCache(file, int(megabytes * 1e6), lambda: now)


def test_what_was_embedded_once_is_looked_up(file: Path) -> None:
    first, second = Counting(), Counting()
    first_vectors = CachedEmbedder(first, cache(file)).embed_passages([*TEXTS, TEXTS[0]])
    assert first.shown == TEXTS  # the same text is embedded once
    found = CachedEmbedder(second, cache(file)).embed_passages([*TEXTS[::-1], "A new one."])
    assert second.shown == ["A new one."]
    assert np.array_equal(np.array(found[:3]), np.array(first_vectors[:3][::-1]))
    assert np.array_equal(first_vectors[0], first_vectors[3])
    assert found[0].dtype == np.float32


def test_models_are_kept_apart(file: Path) -> None:
    CachedEmbedder(Counting(16), cache(file)).embed_passages(TEXTS)
    other = Counting(8)
    assert {len(vector) for vector in CachedEmbedder(other, cache(file)).embed_passages(TEXTS)} == {8}
    assert other.shown == TEXTS


def test_it_has_the_properties_of_its_model(file: Path) -> None:
    inner = HashingEmbedder(16)
    kept = CachedEmbedder(inner, cache(file))
    assert (kept.space, kept.dimension, kept.supports_language("ja"), kept.inner) == ("hashing-16+2", 16, True, inner)
    assert np.array_equal(kept.embed_query("x"), inner.embed_query("x"))


def test_no_text_is_in_the_file_and_nobody_else_may_read_it(file: Path) -> None:
    kept = cache(file)
    CachedEmbedder(Counting(), kept).embed_passages(["a secret sentence"])
    kept.close()
    assert b"secret" not in file.read_bytes()
    if os.name == "posix":
        assert file.stat().st_mode & 0o077 == 0


def test_unusable_vectors_are_not_kept(file: Path) -> None:
    broken = CachedEmbedder(Counting(wrong=TEXTS[1]), cache(file))
    assert np.isnan(broken.embed_passages(TEXTS)[1]).all()
    again = Counting()
    CachedEmbedder(again, cache(file)).embed_passages(TEXTS)
    assert again.shown == [TEXTS[1]]


def test_a_model_that_returns_too_few_is_not_hidden(file: Path) -> None:
    class Losing(HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
            return super().embed_passages(texts)[1:]

    assert len(CachedEmbedder(Losing(16), cache(file)).embed_passages(TEXTS)) == 2


def test_what_was_not_used_for_longest_goes_first(file: Path) -> None:
    texts = [f"Text number {n}." for n in range(400)]
    CachedEmbedder(Counting(256), cache(file, 0.3)).embed_passages(texts[:200])
    CachedEmbedder(Counting(256), cache(file, 0.3, now=10_000)).embed_passages(texts[:20])  # used again
    CachedEmbedder(Counting(256), cache(file, 0.3, now=20_000)).embed_passages(texts[200:])
    last = cache(file, 0.3)
    last.close()
    assert sum(each.stat().st_size for each in file.parent.iterdir()) < 1_500_000
    with sqlite3.connect(file) as connection:
        used = dict(connection.execute("SELECT used, COUNT(*) FROM kept GROUP BY used"))
    connection.close()
    assert used[20_000] > 150
    assert used.get(10_000, 0) >= used.get(0, 0)


@pytest.mark.parametrize("damage", ["text", "half", "middle"])
def test_a_corrupt_file_is_deleted_with_a_warning(file: Path, damage: str) -> None:
    kept = cache(file)
    CachedEmbedder(Counting(256), kept).embed_passages([f"Text {n}." for n in range(300)])
    kept.close()
    content = file.read_bytes()
    if damage == "text":
        file.write_bytes(b"This is no database at all. " * 100)
    elif damage == "half":
        file.write_bytes(content[: len(content) // 2 // 4096 * 4096 + 100])
    else:
        file.write_bytes(content[:8192] + os.urandom(len(content) - 16384) + content[-8192:])
    again, inner = cache(file), Counting(256)
    found = CachedEmbedder(inner, again).embed_passages(TEXTS)
    assert np.array_equal(np.array(found), np.array(HashingEmbedder(256).embed_passages(TEXTS)))
    assert inner.shown == TEXTS
    for _ in range(3):  # it works again, at the latest after the damage was met
        CachedEmbedder(inner, again).embed_passages([f"Text {n}." for n in range(300)])
    inner.shown.clear()
    CachedEmbedder(inner, again).embed_passages([f"Text {n}." for n in range(300)])
    assert inner.shown == []
    assert [each for each in again.warnings if "was corrupt" in each]


def test_a_flipped_bit_in_a_vector_is_noticed(file: Path) -> None:
    kept = cache(file)
    CachedEmbedder(Counting(), kept).embed_passages(TEXTS)
    kept.close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE kept SET vector = zeroblob(64) WHERE id = 1")
    connection.close()
    again = Counting()
    found = CachedEmbedder(again, cache(file)).embed_passages(TEXTS)
    assert len(again.shown) == 1
    assert np.array_equal(np.array(found), np.array(HashingEmbedder(16).embed_passages(TEXTS)))


def test_a_place_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be", encoding="utf-8")
    useless = cache(tmp_path / "cache" / "vectors.sqlite")
    inner = Counting()
    embedder = CachedEmbedder(inner, useless)
    embedder.embed_passages(TEXTS)
    embedder.embed_passages(TEXTS)
    assert inner.shown == TEXTS * 2
    assert len(useless.warnings) == 1
    assert "cannot be used" in useless.warnings[0]


WORKER = """
import sys
from pathlib import Path
from waymeet.models.hashing import HashingEmbedder
from waymeet.models.vector_cache import CachedEmbedder, VectorCache
kept = CachedEmbedder(HashingEmbedder(64), VectorCache(Path(sys.argv[1]), 200_000))
for number in range(60):
    texts = [f"Text {(number * 7 + at) % 500}" for at in range(20)]
    found = kept.embed_passages(texts)
    assert all((a == b).all() for a, b in zip(found, HashingEmbedder(64).embed_passages(texts)))
print("well")
"""


def test_processes_share_it(file: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(file)], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [each.communicate(timeout=300)[0] for each in running] == ["well\n"] * 3


def test_a_file_that_cannot_be_made_smaller_costs_time_only(file: Path) -> None:
    CachedEmbedder(Counting(), cache(file)).embed_passages(TEXTS)
    other = sqlite3.connect(file)
    with other:
        other.execute("CREATE TRIGGER never BEFORE DELETE ON kept BEGIN SELECT RAISE(ABORT, 'never'); END")
    other.close()
    small = cache(file, megabytes=0.001)
    found = CachedEmbedder(Counting(), small).embed_passages(["Something new."])
    assert np.array_equal(np.array(found), np.array(HashingEmbedder(16).embed_passages(["Something new."])))
    assert "cannot be used" in small.warnings[0]
