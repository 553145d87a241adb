"""Bytes → text."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.errors import NotFoundError
from waymeet.ingest.read.decode import content_digest, decode
from waymeet.ingest.read.load import load_file

JAPANESE = "これは日本語のテキストです。検索エンジンの設定について説明します。\n"
CHINESE = "这是一个中文文档,用来测试编码检测功能。搜索引擎。\n"
FRENCH = "Le café est très bon, déjà vu à la Noël. Garçon, où êtes-vous?\n"
RUSSIAN = "Это русский текст для проверки кодировки.\n"


def text(data: bytes) -> str:
    decoded = decode(data)
    assert decoded is not None
    return decoded.text


@pytest.mark.parametrize(
    ("written", "encoding"),
    [
        ("plain\n", "ascii"),
        (JAPANESE, "utf-8"),
        (JAPANESE, "utf-8-sig"),
        (JAPANESE, "utf-16"),
        (JAPANESE, "utf-32"),
        ("plain text\n", "utf-16-le"),
        ("plain text\n", "utf-16-be"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        ("def f():\n    # コメント\n" * 3, "shift_jis"),
        (CHINESE, "gb18030"),
        (FRENCH, "latin-1"),
        ("café\n", "latin-1"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        ("안녕하세요 이것은 한국어 문서입니다.\n", "euc_kr"),
    ],
)
def test_real_encodings_are_recognised(written: str, encoding: str) -> None:
    decoded = decode(written.encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.replaced) == (written, False)


def test_long_text_is_judged_by_its_beginning() -> None:
    long = JAPANESE * 5_000
    assert text(long.encode("shift_jis")) == long


def test_a_few_broken_bytes_do_not_change_the_encoding() -> None:
    decoded = decode(JAPANESE.encode() + b"\xff\n" + JAPANESE.encode())
    assert decoded is not None
    assert decoded.text == f"{JAPANESE}\ufffd\n{JAPANESE}"
    assert (decoded.encoding, decoded.replaced) == ("utf-8", True)


def test_a_broken_mark_of_utf16_is_told() -> None:
    decoded = decode("ab".encode("utf-16") + b"\x00")
    assert decoded is not None
    assert decoded.text == "ab\ufffd"
    assert decoded.replaced


@pytest.mark.parametrize(
    "data",
    [b"\x00", b"text\x00more", b"\x7fELF\x02\x01\x01\x00", b"\xff\xfe\x00\x00\x00\x00\x00\x00", bytes(range(256)) * 4],
)
def test_what_is_not_text_is_recognised(data: bytes) -> None:
    assert decode(data) is None


def test_compressed_bytes_without_a_zero_are_not_text() -> None:
    assert decode(bytes(byte for byte in os.urandom(5_000) if byte)) is None


def test_lines_end_in_one_way() -> None:
    assert text(b"a\r\nb\rc\n") == "a\nb\nc\n"


def test_an_empty_file_is_empty_text() -> None:
    assert text(b"") == ""


@given(st.binary(max_size=400))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    decoded = decode(data)
    if decoded is not None:
        decoded.text.encode()
        assert "\r" not in decoded.text
        assert "\x00" not in decoded.text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r")))
def test_utf8_comes_back_as_it_was(written: str) -> None:
    assert text(written.encode()) == written.removeprefix("\ufeff")


def test_a_file_is_loaded_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"one\r\ntwo")
    loaded = load_file(tmp_path, "a.md")
    assert (loaded.text, loaded.digest) == ("one\ntwo", content_digest(b"one\r\ntwo"))


def test_loading_what_is_gone_or_no_text_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(b"\x00")
    for path in ("a.md", "b.md", "../a.md"):
        with pytest.raises(NotFoundError) as error:
            load_file(tmp_path, path)
        assert error.value.hint
