"""Files whose content is not indexed: they are known by their path, so that they can be found and linked to."""

from waymeet.analysis import count
from waymeet.ingest.build.link_keys import names
from waymeet.ingest.parse import Parsed
from waymeet.types import Chunk, Document, Entry, Fingerprint

_NOTHING = Parsed("", "other")


def bare(path: str, fingerprint: Fingerprint) -> Entry:
    """Make the entry of a file of which nothing but its path, size and time is known."""
    name = path.rpartition("/")[2]
    return Entry(
        document=Document(
            id=path,
            kind="files",
            title=name,
            names=path_keys(path),
            digest=fingerprint.digest,
            size=fingerprint.size,
            modified_ns=fingerprint.modified_ns,
        ),
        chunks=(Chunk(f"{path}#L1-L1", path, 0, 1, 1, ""),),
        terms={"title": count(name), "path": count(path)},
        chunk_terms=({},),
    )


def path_keys(path: str) -> tuple[str, ...]:
    """List the keys that a file has by its path alone.

    >>> path_keys("docs/Setup.md"), path_keys("img/Logo.png")
    (('p:docs/setup.md', 'n:setup.md', 'n:setup'), ('p:img/logo.png', 'n:logo.png'))
    """
    return names(path, _NOTHING)
