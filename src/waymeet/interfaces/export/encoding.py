"""Compact encodings of the exported index. `static/index_files.js` decodes them.

A number is a varint: seven bits a byte, the lowest first, with the high bit set in all bytes but the last. A text is
its length in bytes, then UTF-8. Sorted texts are front-coded: the number of characters shared with the text before,
then the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_HASH_START, _HASH_FACTOR = 0x811C9DC5, 0x01000193


class Posting(NamedTuple):
    """The occurrences of a term in a document or section."""

    owner: int
    """Number of the document or section."""
    frequencies: tuple[int, ...]
    """By field."""


class WordEntry(NamedTuple):
    """What is known about a word: its stem, if it occurs in a text, and itself as a term."""

    stem: str | None
    chunks: int
    """Sections that contain it as a term; 0 if it is none."""
    endings: int = 0
    """Bits of the endings with which it makes further words of this stem."""


def pack_number(number: int) -> bytes:
    r"""Encode a number from 0 on.

    >>> pack_number(5), pack_number(300)
    (b'\x05', b'\xac\x02')
    """
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Encode several numbers."""
    return b"".join(map(pack_number, numbers))


def pack_text(text: str) -> bytes:
    r"""Encode a text with its length.

    >>> pack_text("é")
    b'\x02\xc3\xa9'
    """
    encoded = text.encode("utf-8", "replace")
    return pack_number(len(encoded)) + encoded


def pack_after(text: str, previous: str) -> bytes:
    r"""Encode a text after another one, without the beginning that both share.

    >>> pack_after("searching", "search")
    b'\x06\x03ing'
    """
    shared = 0
    for one, other in zip(text, previous, strict=False):
        if one != other:
            break
        shared += 1
    return pack_number(shared) + pack_text(text[shared:])


def pack_postings(postings: Sequence[Posting], fields: int) -> bytes:
    r"""Encode postings in the order of their owners.

    The step from the owner before, the fields with the term, and whether it occurs once in each are one number.

    >>> pack_postings([Posting(3, (0, 1)), Posting(5, (2, 1))], 2)
    b'\x02\x1e\x13\x02\x01'
    """
    encoded, previous = bytearray(pack_number(len(postings))), 0
    for owner, frequencies in postings:
        present = [frequency for frequency in frequencies if frequency]
        mask = sum(1 << field for field, frequency in enumerate(frequencies) if frequency)
        is_single = max(present) == 1
        encoded += pack_number((owner - previous) << (fields + 1) | is_single << fields | mask)
        if not is_single:
            encoded += pack_numbers(present)
        previous = owner
    return bytes(encoded)


def hash_term(term: str) -> int:
    """Compute the hash that selects the file of a term: FNV-1a of its UTF-8, 32 bits.

    >>> hash_term(""), hash_term("a")
    (2166136261, 3826002220)
    """
    value = _HASH_START
    for byte in term.encode("utf-8", "replace"):
        value = (value ^ byte) * _HASH_FACTOR & 0xFFFFFFFF
    return value


def pack_shards(records: Mapping[str, bytes], shard_bytes: int) -> list[bytes]:
    """Distribute the records of terms over files of about a size, by the hash of the term."""
    total = sum(len(record) + 6 for record in records.values())
    count = max(round(total / shard_bytes), 1)
    terms: list[list[str]] = [[] for _ in range(count)]
    for term in sorted(records):
        terms[hash_term(term) % count].append(term)
    return [_pack_shard(shard, records) for shard in terms]


def _pack_shard(terms: Sequence[str], records: Mapping[str, bytes]) -> bytes:
    encoded, previous = bytearray(), ""
    for term in terms:
        encoded += pack_after(term, previous) + pack_number(len(records[term])) + records[term]
        previous = term
    return bytes(encoded)


def order_utf16(text: str) -> bytes:
    """Give the key by which JavaScript orders texts."""
    return text.encode("utf-16-be", "surrogatepass")


def pack_words(words: Mapping[str, WordEntry], block_bytes: int) -> tuple[list[str], list[bytes]]:
    """Encode the table of words as the first word of each block, and the blocks."""
    firsts: list[str] = []
    blocks: list[bytearray] = []
    previous = ""
    for word in sorted(words, key=order_utf16):
        if not blocks or len(blocks[-1]) >= block_bytes:
            firsts.append(word)
            blocks.append(bytearray())
            previous = ""
        entry = words[word]
        blocks[-1] += pack_after(word, previous) + _pack_stem(word, entry.stem)
        blocks[-1] += pack_numbers((entry.chunks, entry.endings))
        previous = word
    return firsts, list(map(bytes, blocks))


def _pack_stem(word: str, stem: str | None) -> bytes:
    r"""Encode a stem as the number of characters to drop from the word, and those to add.

    >>> _pack_stem("tea", None), _pack_stem("tea", "tea"), _pack_stem("happily", "happili")
    (b'\x00', b'\x01', b'\x03\x01i')
    """
    if stem is None:
        return b"\0"
    if stem == word:
        return b"\1"
    shared = 0
    while shared < min(len(word), len(stem)) and word[shared] == stem[shared]:
        shared += 1
    return pack_number(len(word) - shared + 2) + pack_text(stem[shared:])
