"""Small projects in many languages, each in one file of text with the edges that a reader finds in them."""

from pathlib import Path

from waymeet.ingest.build.entry import build_entry
from waymeet.ingest.read.decode import Decoded
from waymeet.settings import Chunking
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Edge, Fingerprint, IndexEntry, Node

FOLDER = Path(__file__).parents[1] / "fixtures" / "code"
LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.txt"))
_EDGES = "edges"


def files(language: str) -> dict[str, str]:
    """Give the files of a project by their paths."""
    return {path: text for path, text in _parts(language).items() if path != _EDGES}


def edges(language: str) -> list[str]:
    """Give the edges of a project as they were checked by hand; behind `?` stands the key of one that dangles."""
    return [line for line in _parts(language)[_EDGES].splitlines() if line]


def _parts(language: str) -> dict[str, str]:
    text = (FOLDER / f"{language}.txt").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in f"\n{text}".split("\n=== ")[1:])
    return {path: f"{content}\n" for path, _, content in parts}


def entry(path: str, text: str) -> IndexEntry:
    """Read one file."""
    return build_entry(path, Decoded(text, "utf-8"), Fingerprint("d", len(text), 7), Chunking()).entry


def indexed(texts: dict[str, str]) -> MemoryStore:
    """Put files into a store."""
    store = MemoryStore()
    store.put([entry(path, text) for path, text in texts.items()])
    return store


def told(edge: Edge) -> str:
    """Write an edge as the lists do."""
    return f"{edge.kind} {_end(edge.source)} -> {_end(edge.target) if edge.target else f'? {edge.ref}'}"


def _end(node: Node) -> str:
    return f"{node.document}#{node.anchor}" if node.anchor else node.document
