"""Byte-level byte-pair encoding as RoBERTa uses it (Sennrich et al., 2016; Radford et al., 2019).

Small, and read from the tokenizer's own JSON in a few milliseconds, where the usual library loads for longer than a
question takes to embed and brings a client for downloads along. Text is only ever text: the names of special tokens in
it (`</s>` is also a tag of HTML) are spelled out like any other word.
"""

import re
import unicodedata
from heapq import heapify, heappop, heappush
from itertools import pairwise

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError

_WORD = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")
_KNOWN = 50_000  # words whose tokens are remembered: more than a project's vocabulary, a few megabytes
_LONGEST = 16_384  # bytes of one word that are looked at: no word of a language, and enough of a wall of hex digits


class _Model(Struct, frozen=True):
    vocab: dict[str, int]
    merges: list[str]


class _File(Struct, frozen=True):
    model: _Model


class _Classes(dict[int, str]):
    """Gives every character one in ASCII of the same class, so that one pattern splits all scripts."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        # the separators and U+0085 are white space; U+001C to U+001F are not, whatever Python says elsewhere
        if category[0] in "LN":
            kind = "A" if category[0] == "L" else "0"
        else:
            kind = "\t" if category[0] == "Z" or code == 0x85 else "!"
        self[code] = kind
        return kind


class BytePairs:
    """Splits text into the tokens of a byte-level vocabulary."""

    def __init__(self, written: bytes) -> None:
        try:
            model = msgspec.json.decode(written, type=_File).model
        except msgspec.MsgspecError as error:
            raise EmbeddingError(f"The model's tokenizer cannot be read: {error}.") from error
        self._ids = model.vocab
        self._ranks = {pair: rank for rank, pair in enumerate(model.merges)}
        self._letters = _letters()
        self._classes = _Classes({code: chr(code) for code in range(128)} | dict.fromkeys(range(0x1C, 0x20), "!"))
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, limit: int) -> list[int]:
        """Give the first tokens of a text, as many as the limit allows."""
        ids: list[int] = []
        for word in _WORD.finditer(text.translate(self._classes)):
            ids += self._word(text[word.start() : word.end()])
            if len(ids) >= limit:
                break
        return ids[:limit]

    def _word(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            held = word.encode("utf-8", "replace")[:_LONGEST]  # a lone surrogate is not text
            letters = [self._letters[byte] for byte in held]
            known = tuple(self._ids[token] for token in self._merged(letters))
            if len(self._known) >= _KNOWN:
                self._known.clear()
            if len(word) < 100:
                self._known[word] = known
        return known

    def _merged(self, parts: list[str]) -> list[str]:
        """Join the neighbours that were joined earliest in training, the leftmost first, until none is left to join."""
        ranks = self._ranks
        after = [*range(1, len(parts)), -1]
        before = list(range(-1, len(parts) - 1))
        waiting = [
            (rank, at, pair)
            for at, (left, right) in enumerate(pairwise(parts))
            if (rank := ranks.get(pair := f"{left} {right}")) is not None
        ]
        heapify(waiting)
        while waiting:
            _, at, pair = heappop(waiting)
            then = after[at]
            if then < 0 or not parts[at] or f"{parts[at]} {parts[then]}" != pair:
                continue  # one of the two was joined to something else meanwhile
            parts[at] += parts[then]
            parts[then] = ""
            after[at] = beyond = after[then]
            if beyond >= 0:
                before[beyond] = at
            for left, right in ((before[at], at), (at, beyond)):
                if left >= 0 and right >= 0:
                    pair = f"{parts[left]} {parts[right]}"
                    if (rank := ranks.get(pair)) is not None:
                        heappush(waiting, (rank, left, pair))
        return [part for part in parts if part]


def _letters() -> list[str]:
    """Name every byte by a visible character: itself if it is one in Latin-1, else one from U+0100 on."""
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in visible else chr(next(others)) for byte in range(256)]
