"""The two ways to search for words and tokens find the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planted_secrets import dice
from support.secret_corpus import fourth_part, open_half, second_half, third_part

from waymeet.ingest.read.secrets import find_by_words, find_tokens, mask_secrets
from waymeet.ingest.read.secrets.word_search import find_prefixes

PARTS = (open_half, second_half, third_part, fourth_part)
words = st.lists(st.text("abc", min_size=2, max_size=8).map(str.encode), min_size=1, max_size=5).map(tuple)


@given(words, st.text("abcd", max_size=40).map(str.encode), st.sampled_from([b"", b"a", b"cd"]))
def test_the_positions_are_those_at_which_the_beginning_of_a_word_is(
    searched: tuple[bytes, ...], raw: bytes, not_after: bytes
) -> None:
    expected = [
        position
        for position in range(len(raw))
        if any(raw.startswith(word[:6], position) for word in searched)
        and (position == 0 or raw[position - 1] not in not_after)
    ]
    assert find_prefixes(raw, searched, not_after) == expected


def test_both_searches_mask_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case for part in PARTS for case in (*part.secrets(dice(0)), *part.look_alikes(dice(0)))]
    masked = []
    for can_scan in (True, False):
        for module in (find_by_words, find_tokens):
            monkeypatch.setattr(module, "can_scan", lambda can=can_scan: can)
        masked.append([mask_secrets(case.text, case.path) for case in cases])
    assert masked[0] == masked[1]
    assert any(text.number for text in masked[0])
