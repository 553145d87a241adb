"""Our byte-pair encoding splits every text exactly as the usual library does."""

import json
import sys
import unicodedata
from pathlib import Path
from random import Random

import pytest
from tokenizers import Tokenizer

from waymeet.errors import EmbeddingError
from waymeet.models.files.checksums import find_package_file
from waymeet.models.files.granite_file import read_granite_file
from waymeet.models.local.granite import FILE, PACKAGE
from waymeet.models.tokenizers.bpe import BytePairs

pytestmark = pytest.mark.slow

HERE = Path(__file__)
POOLS = [
    "abc XYZ  \n\t'sdt.,-_/",
    "日本語検索のテスト。中文文档",
    "😀👍🏽🇯🇵👩‍👩‍👧",
    "\x00\x01\x1b\x1c\x1f\x7f\x85\u200b\u00a0\u3000\u2028",
    "éüßñÅ١٢٣²½Ⅷ一二〇ꙮ",
]
PHRASES = [" the", " function", "_name", " search", "'re", "'s", "12 ", "</s>", "<mask>", " \n\n"]


@pytest.fixture(scope="module")
def written() -> bytes:
    return read_granite_file(find_package_file(PACKAGE, FILE)).tokenizer


@pytest.fixture(scope="module")
def ours(written: bytes) -> BytePairs:
    return BytePairs(written)


@pytest.fixture(scope="module")
def theirs(written: bytes) -> Tokenizer:
    tokenizer = Tokenizer.from_str(written.decode())
    tokenizer.encode_special_tokens = True
    return tokenizer


def _assigned(random: Random) -> str:
    """Draw any character that this Python knows; later ones have another class in the library."""
    while True:
        character = chr(random.randrange(sys.maxunicode + 1))
        if unicodedata.category(character) not in {"Cn", "Cs"}:
            return character


def _drawn(random: Random) -> str:
    kinds = (
        lambda: random.choice(random.choice(POOLS)),
        lambda: random.choice(PHRASES),
        lambda: _assigned(random),
    )
    return "".join(random.choices(kinds, (5, 4, 1))[0]() for _ in range(random.randrange(1, 80)))


def test_2000_drawn_texts_are_split_alike(ours: BytePairs, theirs: Tokenizer) -> None:
    random = Random(6)  # noqa: S311 - the same texts every time
    for text in (_drawn(random) for _ in range(2000)):
        assert ours.encode(text, 10_000) == theirs.encode(text, add_special_tokens=False).ids, text


def test_real_texts_are_split_alike(ours: BytePairs, theirs: Tokenizer) -> None:
    sources = [path.read_text(encoding="utf-8") for path in HERE.parents[2].rglob("*.py")]
    texts: list[str] = json.loads((HERE.parents[3] / "fixtures/models/texts.json").read_text(encoding="utf-8"))
    for text in [*sources, *texts, "a" * 3000, "-" * 5000, "日" * 2000]:
        assert ours.encode(text, 10**6) == theirs.encode(text, add_special_tokens=False).ids


def test_the_limit_cuts_and_hostile_lengths_cost_little(ours: BytePairs) -> None:
    whole = ours.encode("one two three four five six seven", 100)
    assert ours.encode("one two three four five six seven", 3) == whole[:3]
    assert len(ours.encode("x" * 10_000_000, 510)) == 510
    assert ours.encode("", 510) == []


def test_what_is_no_tokenizer_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="tokenizer cannot be read"):
        BytePairs(b'{"model": 1}')


def test_ordinary_words_are_known_and_misspelt_ones_are_not(ours: BytePairs) -> None:
    known = ("market", "several", "hearing", "brackets", "london", "London")
    assert [word for word in known if not ours.is_word(word)] == []
    assert [word for word in ("markt", "severl", "perodic", "shedule", "seperate") if ours.is_word(word)] == []
