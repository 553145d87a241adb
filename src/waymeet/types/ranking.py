"""What is answered: scores that explain themselves, hits, and the record of how the answer came about."""

from typing import Literal

from msgspec import Struct

Operation = Literal["value", "sum", "product", "max", "mean", "quotient"]


class Explanation(Struct, frozen=True, gc=False):
    """A number, what it means, and how it follows from its parts (`gc=False`: there are thousands in an answer)."""

    value: float
    description: str
    operation: Operation = "value"
    parts: tuple["Explanation", ...] = ()


class ScoredChunk(Struct, frozen=True, gc=False):
    """A chunk in a ranked list (`gc=False`: there are hundreds, and none can lead back to itself)."""

    chunk: str
    document: str
    score: float


Ranking = tuple[ScoredChunk, ...]
"""Chunks, best first; ties are in the order of document and position."""


class Evidence(Struct, frozen=True):
    """What one word of the query contributed to the lexical score of one chunk."""

    word: str
    weight: float
    idf: float
    saturation: float
    fields: tuple[str, ...]
    """The fields it stands in."""


class SourceRank(Struct, frozen=True, gc=False):
    """That a list contains a candidate, and where."""

    source: str
    rank: int
    score: float


class Candidate(Struct, frozen=True, gc=False):
    """Something that may become a hit: a chunk, or a document with its best chunks."""

    document: str
    chunks: tuple[str, ...]
    """Its chunks, best first; empty if the document was found by its links alone."""
    score: Explanation
    sources: tuple[SourceRank, ...] = ()


class Section(Struct, frozen=True):
    """A piece of text shown for a hit."""

    id: str
    start: int
    end: int
    headings: tuple[str, ...]
    snippet: str
    highlights: tuple[tuple[int, int], ...] = ()
    """Ranges of the snippet that match the query, as half-open character offsets."""
    text: str = ""
    """All of it, for recipes that give whole texts."""


class LinkedPage(Struct, frozen=True):
    """A page connected to a hit."""

    document: str
    title: str
    kind: str
    direction: Literal["out", "in"]


class Translation(Struct, frozen=True):
    """The same section in another language."""

    id: str
    """Citable, as that of the hit itself."""
    document: str
    title: str
    lang: str
    """The code of its language; empty if nothing tells."""


class Hit(Struct, frozen=True):
    """One result."""

    id: str
    """Citable: `path#L10-L24`."""
    document: str
    title: str
    kind: str
    doc_type: str
    start: int
    end: int
    score: float
    """What it is ordered by: comparable within one answer only."""
    relevance_reason: str
    sources: tuple[SourceRank, ...]
    sections: tuple[Section, ...]
    staleness: Literal["fresh", "possibly_stale", "stale", "unknown"] = "unknown"
    """How the document stands to the sources it names and the code it mentions."""
    staleness_reason: str = ""
    context: tuple[str, ...] = ()
    """What the project says of the folders it lies in, the outermost first."""
    translations: tuple[Translation, ...] = ()
    """Where the same is said in other languages."""
    linked_pages: tuple[LinkedPage, ...] = ()
    namespace: str = ""
    """The package or extra folder it belongs to."""
    relevance: float | None = None
    """The estimated chance that it answers the question, comparable between questions and projects; None if nothing
    tells."""
    explanation: Explanation | None = None
    """How the score came about, if asked for."""
    relevance_explanation: Explanation | None = None
    """What the relevance follows from, if asked for."""


class Degraded(Struct, frozen=True):
    """Something that made the answer less than it could be."""

    stage: str
    code: str
    detail: str


class Step(Struct, frozen=True):
    """What one stage cost, and why it did nothing if it did nothing."""

    stage: str
    seconds: float
    skipped: str | None = None


LOW_RELEVANCE_NOTE = "no result looks relevant; showing the closest matches"
"""Note of an answer whose `low_relevance` is set."""


class Answer(Struct, frozen=True):
    """Hits and how they came about."""

    query: str
    recipe: str
    mode: str
    search_type: str
    """`hybrid`, `lexical`, `vector`, `links`, `fulltext_fallback` or `none`: what the scores are made of."""
    hits: tuple[Hit, ...]
    total_found: int
    low_relevance: bool = False
    """Whether none of the ten best results has an estimated relevance of at least `relevance.min`."""
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    """What was read into the query or changed in it."""
    expanded: tuple[str, ...] = ()
    """Other wordings of the question that were asked, too."""
    strong_signal: bool | None = None
    """Whether words alone answered so clearly that no other wording was needed; None for recipes that do not look."""
    reranked: bool = False
    """Whether a model read the best candidates again."""
    vector_coverage: float | None = None
    """Which part of all sections had a vector when they were compared by meaning; None if they were not."""
    steps: tuple[Step, ...] = ()
    generation: int = 0
    seconds: float = 0.0
