"""Small folders that change at random, and the contents of their indexes."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Any

from support.index_process import EMBEDDER, bring_up_to_date

from waymeet.analysis import count_terms
from waymeet.settings import Bm25
from waymeet.stores.memory.store import MemoryStore
from waymeet.stores.sqlite.segments import registry
from waymeet.types import Filters, Word

if TYPE_CHECKING:
    from pathlib import Path

    from waymeet.ports import Store
    from waymeet.stores.sqlite import SqliteStore

_WORDS = "rank fusion key index merge buffer segment vector graph link walk query token page crash disk".split()
QUERIES = ("rank fusion", "merge segment of buffer", "page", "crash disk key", "nothing of this")
LONG = os.environ.get("TORTURE") == "1"
"""Whether there is time for the long run (`make torture`)."""


def dice(name: str) -> Random:
    """Create a random generator and print its seed.

    A failure is repeated with `TORTURE_SEED`.
    """
    seed = os.environ.get("TORTURE_SEED") or (f"{name}-{os.urandom(4).hex()}" if LONG else name)
    print(f"seed: TORTURE_SEED='{seed}'")  # noqa: T201 - pytest shows it with a failure
    return Random(seed)  # noqa: S311 - no secrets here


def write(root: Path, rng: Random, number: int) -> None:
    """Write one page with links to others, sometimes with several sections."""
    sections = []
    for section in range(rng.choice((1, 1, 2, 4))):
        text = " ".join(rng.choices(_WORDS, k=rng.randint(3, 40)))
        sections.append(f"## Part {section}\n\n{text}, see [[page{rng.randrange(60)}]].\n")
    page = root / f"folder{number % 3}" / f"page{number}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# {rng.choice(_WORDS)} {number}\n\n" + "\n".join(sections), encoding="utf-8")


def change(root: Path, rng: Random, number: int) -> None:
    """Change so many pages: most are edited or new, some are removed."""
    for _ in range(number):
        which = rng.randrange(60)
        page = root / f"folder{which % 3}" / f"page{which}.md"
        if page.exists() and rng.random() < 0.2:
            page.unlink()
        else:
            write(root, rng, which)


def contents(store: Store) -> dict[str, Any]:
    """Read everything that must not depend on the history of an index."""
    ids = sorted(store.fingerprints())
    result = {
        "documents": store.documents(ids),
        "chunks": store.chunks_of(ids),
        "edges": list(store.edges(ids)),
        "counts": store.counts(),
        "vectors": len(store.chunks_without_vector([EMBEDDER.space], 10_000)),
        "names": store.documents_by_key([f"n:page{n}" for n in range(60)]),
    }
    for query in QUERIES:
        words = [Word((term,), text=term) for term in count_terms(query)]
        result[query] = [(hit.chunk, hit.score) for hit in store.rank_lexical(words, 50, Filters(), Bm25())]
        near = store.rank_vectors(EMBEDDER.space, EMBEDDER.embed_query(query), 50, Filters())
        result[f"near {query}"] = [(hit.chunk, round(hit.score, 5)) for hit in near]
    return result


def fresh_contents(root: Path) -> dict[str, Any]:
    """Read the contents of an index built now."""
    store = MemoryStore()
    bring_up_to_date(root, store)  # type: ignore[arg-type]
    return contents(store)


def strays(file: Path, store: SqliteStore) -> set[str]:
    """Return the names of unused files beside an index."""
    with store._sessions.reading() as session:
        registered = registry.registered_files(session.connection)
    folder = file.with_name(f"{file.name}.segments")
    unused = {file.name for file in folder.iterdir()} - registered if folder.is_dir() else set()
    sides = ("", "-wal", "-shm", ".segments", ".segments.lock", ".lock", ".embedding.json", ".embedding.lock")
    expected = {f"{file.name}{end}" for end in sides}
    return unused | {path.name for path in file.parent.iterdir()} - expected
