"""Blocks of compressed texts of chunks and links, and compressed names of documents.

Chunks of one document that follow each other share a block, so that what repeats in them is stored once. A block is
small enough to be read for a single chunk.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Raw, Struct, json

from waymeet.stores.sqlite.database.compression import compress, compress_short, decompress, decompress_short
from waymeet.types import Chunk, Link, Symbol

_MAX_CHARACTERS = 18_432
"""Text in a block, unless a single chunk is longer: decoding takes about 0.05 ms."""
LINKS_PER_BLOCK = 128
"""Links in a block. A change of this number is a change of the format."""
_NAME_PREFIXES = b'["m:python:/","h:","e:","t:","s:","n:","p:'
"""What names of documents begin with; the most frequent last, as the dictionary of a compressor expects."""


class ChunkContent(Struct, frozen=True, array_like=True, gc=False):
    """What a chunk says, as opposed to where it is."""

    text: str
    headings: tuple[str, ...]
    anchors: tuple[str, ...]
    symbols: tuple[Symbol, ...]


class LinkDetails(NamedTuple):
    """What a link says, as opposed to where it leads."""

    source_anchor: str
    anchor: str
    text: str
    sentence: str
    line: int
    refs: tuple[str, ...]


_contents = json.Decoder(tuple[ChunkContent, ...])
_links = json.Decoder(
    tuple[
        tuple[str, ...],
        tuple[str, ...],
        tuple[str, ...],
        tuple[str, ...],
        tuple[int, ...],
        tuple[tuple[str, ...], ...],
    ]
)
_refs = json.Decoder(tuple[Raw, Raw, Raw, Raw, Raw, tuple[tuple[str, ...], ...]])
_names = json.Decoder(tuple[str, ...])


def pack_chunks(chunks: Sequence[Chunk]) -> Iterator[tuple[int, bytes]]:
    """Encode chunks in blocks, each with the position of its first chunk."""
    first = characters = 0
    for position, chunk in enumerate(chunks):
        if position > first and characters + len(chunk.text) > _MAX_CHARACTERS:
            yield first, _pack_block(chunks[first:position])
            first, characters = position, 0
        characters += len(chunk.text)
    if chunks:
        yield first, _pack_block(chunks[first:])


def _pack_block(chunks: Sequence[Chunk]) -> bytes:
    contents = [ChunkContent(chunk.text, chunk.headings, chunk.anchors, chunk.symbols) for chunk in chunks]
    return compress(json.encode(contents))


def unpack_chunks(data: bytes) -> tuple[ChunkContent, ...]:
    """Decode a block of chunks."""
    return _contents.decode(decompress(data))


def pack_links(links: Sequence[Link]) -> Iterator[tuple[int, bytes]]:
    """Encode the details of links in blocks, each with the position of its first link.

    Values of one kind stand together, which compresses better.
    """
    for first in range(0, len(links), LINKS_PER_BLOCK):
        rows = [
            (link.source_anchor, link.anchor, link.text, link.sentence, link.line, link.refs)
            for link in links[first : first + LINKS_PER_BLOCK]
        ]
        yield first, compress(json.encode(list(zip(*rows, strict=True))))


def unpack_links(data: bytes) -> list[LinkDetails]:
    """Decode a block of links."""
    return list(map(LinkDetails, *_links.decode(decompress(data))))


def unpack_link_keys(data: bytes) -> tuple[tuple[str, ...], ...]:
    """Decode only the keys of a block of links, in a third of the time."""
    return _refs.decode(decompress(data))[-1]


def pack_names(path: str, names: Sequence[str]) -> bytes:
    """Encode the names of a document, most of which repeat its path.

    >>> unpack_names("docs/a.md", pack_names("docs/a.md", ["p:docs/a.md", "n:a.md"]))
    ('p:docs/a.md', 'n:a.md')
    """
    return compress_short(json.encode(names), _name_dictionary(path))


def unpack_names(path: str, data: bytes) -> tuple[str, ...]:
    """Decode the names of a document."""
    return _names.decode(decompress_short(data, _name_dictionary(path)))


def _name_dictionary(path: str) -> bytes:
    return path.encode() + path.casefold().encode() + _NAME_PREFIXES
