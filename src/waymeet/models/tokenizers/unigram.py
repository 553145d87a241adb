"""Unigram tokenizer (Kudo, 2018) with the `nmt_nfkc` normalisation of SentencePiece.

Characters are normalised by the model's own table, runs of spaces become one `▁`, and each word is split into the
pieces with the highest sum of scores.
"""

import re
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_ASCII = re.compile(r"[!-~ ]+")  # not changed by the table, but the last character may begin a longer match
_SPACE = "▁"
_CACHED_WORDS = 50_000  # more than the vocabulary of a project; a few megabytes


class Normaliser(NamedTuple):
    """The normalisation table of a SentencePiece model.

    It is a double-array trie over UTF-8 (Aoe, 1989) in the format of darts-clone.
    """

    units: "array[int]"
    """The trie. Bits 0–7 of a unit: its label; bit 8: a value follows; bits 9–31: offset of its children."""
    texts: bytes
    """Replacements, each ended by a zero byte."""

    @classmethod
    def parse(cls, table: bytes) -> "Normaliser":
        """Parse a table as models store it: length of the trie, trie, replacements."""
        size = int.from_bytes(table[:4], "little")
        return cls(array("I", table[4 : 4 + size]), table[4 + size :])

    def normalise(self, text: str) -> str:
        """Replace the longest matches from left to right.

        Unmatched characters stay.
        """
        encoded, position, result = text.encode("utf-8", "replace"), 0, bytearray()
        while position < len(encoded):
            length, value = self._match_longest(encoded, position)
            if length:
                result += self.texts[value : self.texts.index(0, value)]
            else:
                length = _character_length(encoded[position])
                result += encoded[position : position + length]
            position += length
        return result.decode("utf-8", "replace")

    def _match_longest(self, encoded: bytes, start: int) -> tuple[int, int]:
        """Return the length in bytes of the longest match and the position of its replacement."""
        units, node = self.units, _child_offset(self.units[0])
        length = value = 0
        for position in range(start, len(encoded)):
            byte = encoded[position]
            node ^= byte
            unit = units[node]
            if unit & 0x800000FF != byte:  # bit 31 marks a value, which is no child
                break
            node ^= _child_offset(unit)
            if unit & 0x100:
                length, value = position - start + 1, units[node] & 0x7FFFFFFF
        return length, value


def _child_offset(unit: int) -> int:
    """Decode the offset of a unit's children: bits 10–31, times 256 if bit 9 is set."""
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _character_length(first: int) -> int:
    """Return the number of bytes of a UTF-8 character by its first byte."""
    return 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


class Unigram(NamedTuple):
    """A vocabulary with a score (log-probability) for every piece."""

    ids: Mapping[str, int]
    scores: Sequence[float]
    max_lengths: Mapping[str, int]
    """Length of the longest piece that begins with a character."""
    unknown_score: float
    """Score of a character that no piece covers; its id is 0."""
    normaliser: Normaliser
    cache: dict[str, list[int]]
    """Pieces of words that were split before."""

    def encode(self, text: str) -> list[int]:
        """Split a text into pieces.

        A blank text is one unknown character.

        No piece contains a space except at its beginning, so words are split independently.
        """
        return [piece for word in self._split_words(text) for piece in self._encode_word(_SPACE + word)] or [0]

    def _encode_word(self, word: str) -> list[int]:
        pieces = self.cache.get(word)
        if pieces is None:
            pieces = self._find_best_pieces(word)
            if len(self.cache) >= _CACHED_WORDS:
                self.cache.clear()
            if len(word) < 40:
                self.cache[word] = pieces
        return pieces

    def _split_words(self, text: str) -> list[str]:
        """Normalise a text and split it at spaces.

        Runs of ASCII skip the normaliser.
        """
        parts, position = [], 0
        for plain in _ASCII.finditer(text):
            end = plain.end() if plain.end() == len(text) else plain.end() - 1
            if plain.start() > position:
                parts.append(self.normaliser.normalise(text[position : plain.start()]))
            parts.append(text[plain.start() : end])
            position = end
        if position < len(text):
            parts.append(self.normaliser.normalise(text[position:]))
        return [word for word in "".join(parts).split(" ") if word]

    def _find_best_pieces(self, text: str) -> list[int]:
        """Find the split with the highest sum of scores by the Viterbi algorithm.

        Of equal ones, the first.
        """
        size, ids, scores, max_lengths = len(text), self.ids, self.scores, self.max_lengths
        best = [0.0] + [float("-inf")] * size
        last_piece: list[tuple[int, int]] = [(0, 0)] * (size + 1)  # of the best split up to here: start and id
        for start in range(size):
            score, max_length = best[start], max_lengths.get(text[start], 0)
            is_covered = False
            for end in range(start + 1, min(start + max_length, size) + 1):
                piece = ids.get(text[start:end])
                if piece is not None:
                    is_covered = is_covered or end == start + 1
                    if score + scores[piece] > best[end]:
                        best[end], last_piece[end] = score + scores[piece], (start, piece)
            if not is_covered and score + self.unknown_score > best[start + 1]:
                best[start + 1], last_piece[start + 1] = score + self.unknown_score, (start, 0)
        pieces = []
        while size:
            size, piece = last_piece[size]
            pieces.append(piece)
        return pieces[::-1]
