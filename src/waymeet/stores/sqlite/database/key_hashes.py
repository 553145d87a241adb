"""Hashes of keys: names of documents, and the keys that links look for.

Keys are long and each occurs in several rows, so the tables contain hashes and the texts are compressed elsewhere. The
hash of a name has 64 bits: among a million names two are equal with a probability below one in ten million. The hash of
a key of a link has 32 bits: it only selects the documents whose links are then compared with the key itself.
"""

import zlib
from functools import lru_cache
from hashlib import blake2b


@lru_cache(maxsize=20_000)
def hash_name(key: str) -> int:
    """Compute the hash of a document's name."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little", signed=True)


def hash_link_key(key: str) -> int:
    """Compute the hash of a key that a link looks for."""
    return zlib.crc32(key.encode())
