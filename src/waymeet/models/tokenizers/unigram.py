"""Splitting text by a unigram vocabulary (Kudo, 2018), as SentencePiece does with its `nmt_nfkc` rules.

Characters are rewritten by a table of the model's own (a double-array trie over UTF-8), spaces are made one and
visible, and the cheapest way to cut what is left into known pieces is found.
"""

import re
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_PLAIN = re.compile(r"[!-~ ]+")  # stays as it is, except that its last character may begin a longer match
_SPACE = "▁"
_KNOWN = 50_000  # words whose pieces are remembered: more than a project's vocabulary, a few megabytes


class Rewriting(NamedTuple):
    """The table that characters are rewritten by."""

    units: "array[int]"
    """The trie: each unit has a label (8 bits), whether a value follows (bit 8) and the way to its children."""
    texts: bytes
    """What matches are replaced with, each ended by a zero byte."""

    @classmethod
    def read(cls, held: bytes) -> "Rewriting":
        """Read the table as models hold it: the trie's length, the trie, the texts."""
        size = int.from_bytes(held[:4], "little")
        return cls(array("I", held[4 : 4 + size]), held[4 + size :])

    def rewrite(self, text: str) -> str:
        """Replace the longest matches from left to right; what matches nothing stays."""
        held, at, written = text.encode("utf-8", "replace"), 0, bytearray()
        while at < len(held):
            length, value = self._longest(held, at)
            if length:
                written += self.texts[value : self.texts.index(0, value)]
            else:
                length = _character(held[at])
                written += held[at : at + length]
            at += length
        return written.decode("utf-8", "replace")

    def _longest(self, held: bytes, at: int) -> tuple[int, int]:
        """Walk down the trie; give how many bytes the longest match has and where its text begins."""
        units, node = self.units, _children(self.units[0])
        length = value = 0
        for reached in range(at, len(held)):
            byte = held[reached]
            node ^= byte
            unit = units[node]
            if unit & 0x800000FF != byte:
                break
            node ^= _children(unit)
            if unit & 0x100:
                length, value = reached - at + 1, units[node] & 0x7FFFFFFF
        return length, value


def _children(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _character(first: int) -> int:
    """Say how many bytes a character has, by its first."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


class Unigram(NamedTuple):
    """A vocabulary with the price of every piece."""

    ids: Mapping[str, int]
    scores: Sequence[float]
    longest: Mapping[str, int]
    """How long pieces get that begin with a character."""
    unknown: float
    """The score of a character that no piece covers; its id is 0."""
    rewriting: Rewriting
    known: dict[str, list[int]]
    """The pieces of words that came before."""

    def encode(self, text: str) -> list[int]:
        """Cut a text into pieces; one of nothing visible is one unknown character.

        No piece reaches over a space, so the best cut of a text is made of those of its words.
        """
        return [piece for word in self._words(text) for piece in self._word(_SPACE + word)] or [0]

    def _word(self, word: str) -> list[int]:
        found = self.known.get(word)
        if found is None:
            found = self._cheapest(word)
            if len(self.known) >= _KNOWN:
                self.known.clear()
            if len(word) < 40:
                self.known[word] = found
        return found

    def _words(self, text: str) -> list[str]:
        parts, at = [], 0
        for plain in _PLAIN.finditer(text):
            end = plain.end() if plain.end() == len(text) else plain.end() - 1
            if plain.start() > at:
                parts.append(self.rewriting.rewrite(text[at : plain.start()]))
            parts.append(text[plain.start() : end])
            at = end
        if at < len(text):
            parts.append(self.rewriting.rewrite(text[at:]))
        return [word for word in "".join(parts).split(" ") if word]

    def _cheapest(self, text: str) -> list[int]:
        """Find the best cut ending at every character, from left to right; of equal ones, the one found first."""
        size, ids, scores, longest = len(text), self.ids, self.scores, self.longest
        best = [0.0] + [float("-inf")] * size
        cut: list[tuple[int, int]] = [(0, 0)] * (size + 1)
        for start in range(size):
            here, most = best[start], longest.get(text[start], 0)
            covered = False
            for end in range(start + 1, min(start + most, size) + 1):
                piece = ids.get(text[start:end])
                if piece is not None:
                    covered = covered or end == start + 1
                    if here + scores[piece] > best[end]:
                        best[end], cut[end] = here + scores[piece], (start, piece)
            if not covered and here + self.unknown > best[start + 1]:
                best[start + 1], cut[start + 1] = here + self.unknown, (start, 0)
        found = []
        while size:
            size, piece = cut[size]
            found.append(piece)
        return found[::-1]
