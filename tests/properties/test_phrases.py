"""What has a phrase has the words by which a store narrows down where to look for it."""

from hypothesis import assume, given
from hypothesis import strategies as st

from waymeet.analysis import contains_phrase, count_terms, normalise_text
from waymeet.stores.shared.filters import required_words

letters = st.sampled_from(list("aAbBzZ019_-./'’ ,:#é\u0301ßİıﬁ²全検索のカｶﾞ가한\u200b\n$ς"))
parts = st.sampled_from(
    ["GitHub-hosted runners", "user's guide", "don't", "getUserById", "snake_case", "x-fooBar", " "]
)


@given(st.lists(letters | parts, min_size=1, max_size=14).map("".join), st.integers(0, 20), st.integers(1, 12))
def test_a_phrase_is_never_looked_for_in_the_wrong_place(text: str, start: int, length: int) -> None:
    plain = normalise_text(text)
    start %= max(len(plain), 1)  # a start behind the end would leave nothing to look for
    phrase = normalise_text(plain[start : start + length])
    assume(phrase and contains_phrase(plain, phrase))
    held = count_terms(text)
    assert all(any(term in held for term in group) for group in required_words([phrase]))
