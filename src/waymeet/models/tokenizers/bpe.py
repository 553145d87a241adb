"""Byte-level byte-pair encoding of RoBERTa (Sennrich et al., 2016, Radford et al., 2019).

It is read from the tokenizer's JSON in a few milliseconds; loading the package `tokenizers` takes longer than embedding
a query. Names of special tokens in a text are encoded like other words: `</s>` is also an HTML tag.
"""

import re
import unicodedata
from heapq import heapify, heappop, heappush
from itertools import pairwise

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError

# The pattern of GPT-2 with the most frequent class first; the classes exclude each other, so the order is free.
_WORD = re.compile(r" ?[A-Za-z]+| ?[0-9]+|'(?:s|t|re|ve|m|ll|d)| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
_CACHED_WORDS = 50_000  # more than the vocabulary of a project; a few megabytes
_SHORT_WORD = 24
"""Bytes up to which scanning all pairs is faster than a heap."""
_SPACE = "Ġ"
"""How a space before a word is written in the vocabulary."""
_MAX_WORD_BYTES = 16_384  # longer than any word of a language, and enough of a long run of hex digits


class _Model(Struct, frozen=True):
    vocab: dict[str, int]
    merges: list[str]


class _File(Struct, frozen=True):
    model: _Model


class _Classes(dict[int, str]):
    r"""Maps characters to ASCII characters of their class, so that `_WORD` splits all scripts.

    The pattern of GPT-2 uses the classes \p{L} and \p{N}, which Python's `re` does not have.
    """

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        # separators and U+0085 are white space; U+001C to U+001F are not, although str.isspace says so
        if category[0] in "LN":
            kind = "A" if category[0] == "L" else "0"
        else:
            kind = "\t" if category[0] == "Z" or code == 0x85 else "!"
        self[code] = kind
        return kind


class BytePairs:
    """A byte-level vocabulary with its merges."""

    def __init__(self, tokenizer_json: bytes) -> None:
        try:
            model = msgspec.json.decode(tokenizer_json, type=_File).model
        except msgspec.MsgspecError as error:
            raise EmbeddingError(f"The model's tokenizer cannot be read: {error}.") from error
        self._ids = model.vocab
        self._ranks = {pair: rank for rank, pair in enumerate(model.merges)}
        self._byte_characters = _name_bytes()
        self._classes = _Classes({code: chr(code) for code in range(128)} | dict.fromkeys(range(0x1C, 0x20), "!"))
        self._cache: dict[str, tuple[int, ...]] = {}

    def is_word(self, word: str) -> bool:
        """Check whether a word, as written or with a capital letter, is one token.

        Misspelt words are several tokens.
        """
        return any(f"{_SPACE}{form}" in self._ids for form in (word, word.capitalize()))

    def encode(self, text: str, limit: int) -> list[int]:
        """Return the first tokens of a text, up to a limit."""
        ids: list[int] = []
        for word in _WORD.finditer(text.translate(self._classes)):
            ids += self.encode_word(text[word.start() : word.end()])
            if len(ids) >= limit:
                break
        return ids[:limit]

    def encode_word(self, word: str) -> tuple[int, ...]:
        """Return the tokens of one word."""
        ids = self._cache.get(word)
        if ids is None:
            encoded = word.encode("utf-8", "replace")[:_MAX_WORD_BYTES]  # lone surrogates become "?"
            ids = self._encode_characters(encoded.decode("latin-1").translate(self._byte_characters))
            if len(self._cache) >= _CACHED_WORDS:
                self._cache.clear()
            if len(word) < 100:
                self._cache[word] = ids
        return ids

    def _encode_characters(self, characters: str) -> tuple[int, ...]:
        whole = self._ids.get(characters)
        if whole is not None:  # merging every token of the vocabulary gives that token
            return (whole,)
        merge = self._merge_short if len(characters) <= _SHORT_WORD else self._merge
        return tuple(map(self._ids.__getitem__, merge([*characters])))

    def _merge_short(self, parts: list[str]) -> list[str]:
        """Merge adjacent parts like `_merge`, by scanning the ranks of all pairs."""
        get, none = self._ranks.get, len(self._ranks)
        ranks = [get(f"{left} {right}", none) for left, right in pairwise(parts)]
        while ranks and (rank := min(ranks)) < none:
            index = ranks.index(rank)
            del ranks[index]
            merged = parts[index] + parts.pop(index + 1)
            parts[index] = merged
            if index:
                ranks[index - 1] = get(f"{parts[index - 1]} {merged}", none)
            if index < len(ranks):
                ranks[index] = get(f"{merged} {parts[index + 1]}", none)
        return parts

    def _merge(self, parts: list[str]) -> list[str]:
        """Merge adjacent parts by rank, the leftmost first, until no pair is in the list of merges.

        The parts form a linked list (`after`, `before`) and a heap holds the pairs, so a word of n bytes takes
        O(n log n) instead of the O(n²) of scanning all pairs for every merge.
        """
        ranks = self._ranks
        after = [*range(1, len(parts)), -1]
        before = list(range(-1, len(parts) - 1))
        heap = [
            (rank, index, pair)
            for index, (left, right) in enumerate(pairwise(parts))
            if (rank := ranks.get(pair := f"{left} {right}")) is not None
        ]
        heapify(heap)
        while heap:
            _, index, pair = heappop(heap)
            following = after[index]
            if following < 0 or not parts[index] or f"{parts[index]} {parts[following]}" != pair:
                continue  # outdated: one of the two was merged with another part since
            parts[index] += parts[following]
            parts[following] = ""
            after[index] = beyond = after[following]
            if beyond >= 0:
                before[beyond] = index
            for left, right in ((before[index], index), (index, beyond)):
                if left >= 0 and right >= 0:
                    pair = f"{parts[left]} {parts[right]}"
                    if (rank := ranks.get(pair)) is not None:
                        heappush(heap, (rank, left, pair))
        return [part for part in parts if part]


def _name_bytes() -> dict[int, str]:
    """Map every byte to a visible character, as GPT-2 does: itself, else one from U+0100 on."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return {byte: chr(byte) if byte in visible else chr(next(others)) for byte in range(256)}
