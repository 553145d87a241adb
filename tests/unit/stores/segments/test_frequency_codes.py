"""Frequencies in one byte."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from waymeet.stores.segments.frequency_codes import decode_frequencies, encode_frequencies
from waymeet.stores.segments.posting_codec import MAX_FREQUENCY
from waymeet.stores.segments.posting_lists import ESCAPE

frequency = st.one_of(st.integers(0, 3), st.integers(0, MAX_FREQUENCY))


@given(
    st.integers(1, 6).flatmap(
        lambda fields: st.lists(st.lists(frequency, min_size=fields, max_size=fields), min_size=1)
    )
)
def test_decoding_reverses_encoding(rows: list[list[int]]) -> None:
    frequencies = np.array(rows, dtype=np.uint32)
    encoded = encode_frequencies(frequencies)
    assert np.array_equal(decode_frequencies(encoded, np.arange(len(rows))), frequencies)
    assert np.array_equal(decode_frequencies(encoded, np.arange(len(rows))[::-1]), frequencies[::-1])


def test_rare_combinations_are_listed_separately() -> None:
    frequencies = np.array([[number, 1] for number in range(400) for _ in range(1 + (number < 200))], dtype=np.uint32)
    encoded = encode_frequencies(frequencies)
    assert len(encoded.codebook) == ESCAPE
    assert len(encoded.escaped) == 400 - ESCAPE
    assert encoded.escaped_frequencies[:, 0].min() >= 200
    assert np.array_equal(decode_frequencies(encoded, np.arange(len(frequencies))), frequencies)


def test_no_entries() -> None:
    encoded = encode_frequencies(np.zeros((0, 2), dtype=np.uint32))
    assert (len(encoded.codes), len(encoded.escaped)) == (0, 0)
