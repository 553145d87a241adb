"""Reading the content of chunks and the details of links from their blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from waymeet.stores.sqlite.database.errors import UnreadableError
from waymeet.stores.sqlite.database.text_blocks import LINKS_PER_BLOCK, unpack_chunks, unpack_link_keys, unpack_links

if TYPE_CHECKING:
    import apsw

    from waymeet.stores.sqlite.database.text_blocks import ChunkContent, LinkDetails

_CHUNK_BLOCK = "SELECT chunk, data FROM texts WHERE chunk <= ? ORDER BY chunk DESC LIMIT 1"
_LINK_BLOCK = "SELECT data FROM link_texts WHERE id = ?"
_LINK_BLOCKS = "SELECT id, data FROM link_texts WHERE id >= ? AND id < ? ORDER BY id"
_MAX_CHUNKS = 4000
_MAX_LINK_BLOCKS = 1000
_SOURCE_SHIFT = 32
"""The id of a block of links has the source in its upper bits and the ordinal of the first link in the lower ones."""


def link_block_id(source: int, first: int) -> int:
    """Return the id of the block of links that begins with an ordinal."""
    return source << _SOURCE_SHIFT | first


def source_of_block(block: int) -> int:
    """Return the document to which a block of links belongs."""
    return block >> _SOURCE_SHIFT


class ContentReader:
    """Reads blocks in one generation.

    Decoded blocks are cached, since the results of queries overlap. Threads share it without a lock: each keeps what it
    has read, and another one may clear the cache at any moment.
    """

    def __init__(self) -> None:
        self._chunks: dict[int, ChunkContent] = {}
        self._links: dict[int, list[LinkDetails]] = {}

    def chunk(self, connection: apsw.Connection, chunk: int) -> ChunkContent:
        """Read the content of a chunk."""
        content = self._chunks.get(chunk)
        if content is None:
            block = read_chunk_block(connection, chunk)
            if len(self._chunks) > _MAX_CHUNKS:
                self._chunks.clear()
            self._chunks.update(block)
            content = block[chunk]
        return content

    def link(self, connection: apsw.Connection, source: int, ordinal: int) -> LinkDetails:
        """Read the details of a link."""
        position = ordinal % LINKS_PER_BLOCK
        id_ = link_block_id(source, ordinal - position)
        block = self._links.get(id_)
        if block is None:
            data = connection.execute(_LINK_BLOCK, (id_,)).get
            block = unpack_links(data) if data is not None else []
            if len(self._links) > _MAX_LINK_BLOCKS:
                self._links.clear()
            self._links[id_] = block
        if position >= len(block):
            raise UnreadableError(f"the text of link {ordinal} of document {source} is missing")
        return block[position]


def read_chunk_block(connection: apsw.Connection, chunk: int) -> dict[int, ChunkContent]:
    """Read the block with the content of a chunk, by chunk."""
    row = connection.execute(_CHUNK_BLOCK, (chunk,)).fetchone()
    block = dict(enumerate(unpack_chunks(row[1]), row[0])) if row else {}
    if chunk not in block:
        raise UnreadableError(f"the text of section {chunk} is missing")
    return block


def read_link_keys(connection: apsw.Connection, source: int) -> list[tuple[str, ...]]:
    """Read the keys of all links of a document, in order."""
    links: list[tuple[str, ...]] = []
    bounds = (link_block_id(source, 0), link_block_id(source + 1, 0))
    for id_, data in connection.execute(_LINK_BLOCKS, bounds):
        if id_ != link_block_id(source, len(links)):
            raise UnreadableError(f"the texts of links of document {source} are incomplete")
        links += unpack_link_keys(data)
    return links
