"""Any input becomes a request or a clear error."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.errors import CursorError, RequestError
from waymeet.interfaces.requests import cursor
from waymeet.interfaces.requests.decode import convert, decode_json
from waymeet.interfaces.requests.operation_table import OPERATIONS

KINDS = [each.request for each in OPERATIONS.values()]
NAMES = sorted({name for kind in KINDS for name in kind.__struct_fields__})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def _request_or_refusal(kind: type[msgspec.Struct], raw: bytes | str) -> None:
    try:
        found = decode_json(kind, raw)
    except RequestError as error:
        refusal = error.message, error.hint
        assert all(refusal)
        return
    assert isinstance(found, kind)
    assert decode_json(kind, msgspec.json.encode(found)) == found


@given(st.sampled_from(KINDS), st.binary(max_size=200) | st.text(max_size=60))
def test_any_bytes(kind: type[msgspec.Struct], raw: bytes | str) -> None:
    _request_or_refusal(kind, raw)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), VALUES, max_size=6))
def test_any_object(kind: type[msgspec.Struct], value: dict[str, object]) -> None:
    _request_or_refusal(kind, msgspec.json.encode(value))
    for lax in (False, True):
        with suppress(RequestError):
            assert isinstance(convert(kind, value, lax=lax), kind)


@pytest.mark.parametrize("raw", [b"[" * 200_000, b'{"query":' * 50_000, b"\xff\xfe", b"", b'{"query":"\\ud800"}'])
def test_hostile_bytes(raw: bytes) -> None:
    for kind in KINDS:
        _request_or_refusal(kind, raw)


@given(st.text(max_size=60) | st.binary(max_size=60).map(bytes.hex))
def test_any_cursor(text: str) -> None:
    with suppress(CursorError):
        assert cursor.decode_cursor(text, b"question") == cursor.FIRST
        assert not text


@given(st.lists(st.text(max_size=20), max_size=30), st.integers(0, 2**60))
def test_a_cursor_remembers_what_was_shown(ids: list[str], generation: int) -> None:
    asked = b"12345678"
    written = cursor.encode_cursor(cursor.Page(generation), asked, ids)
    assert cursor.decode_cursor(written, asked) == cursor.Page(generation, frozenset(map(cursor.hash_id, ids)))
    with pytest.raises(CursorError):
        cursor.decode_cursor(written, b"another.")
