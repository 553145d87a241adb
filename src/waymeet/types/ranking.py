"""Explanations, rankings, candidates, hits and answers."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Operation = Literal["value", "sum", "product", "max", "mean", "quotient"]
SignalGroup = Literal["lexical", "vector", "links", "bonuses"]
"""What a part of a score comes from: words, vectors, links, or names, feedback and so on."""


class Explanation(Struct, frozen=True, gc=False):
    """A value with a description and its computation from parts.

    `gc=False`, because there are thousands per answer, without reference cycles.
    """

    value: float
    description: str
    operation: Operation = "value"
    parts: tuple["Explanation", ...] = ()
    group: SignalGroup | UnsetType = UNSET
    """Where the value comes from, if the formula knows; the parts of a node belong to its group."""


class ScoredChunk(Struct, frozen=True, gc=False):
    """A chunk in a ranked list (`gc=False`: hundreds per query, without reference cycles)."""

    chunk: str
    document: str
    score: float


Ranking = tuple[ScoredChunk, ...]
"""Chunks, the best first; ties in the order of document and position."""


class Evidence(Struct, frozen=True):
    """The contribution of a query word to the lexical score of a chunk."""

    word: str
    weight: float
    idf: float
    saturation: float
    fields: tuple[str, ...]
    """The fields in which it occurs."""


class SourceRank(Struct, frozen=True, gc=False):
    """The rank and score of a candidate in one list."""

    source: str
    rank: int
    score: float


class Candidate(Struct, frozen=True, gc=False):
    """A possible hit: a chunk, or a document with its best chunks."""

    document: str
    chunks: tuple[str, ...]
    """Its chunks, the best first; empty if the document was found by links only."""
    score: Explanation
    sources: tuple[SourceRank, ...] = ()


class Section(Struct, frozen=True):
    """A section shown with a hit."""

    id: str
    start: int
    end: int
    headings: tuple[str, ...]
    snippet: str
    highlights: tuple[tuple[int, int], ...] = ()
    """Matches in the snippet, as half-open ranges of character offsets."""
    text: str = ""
    """The whole text, for recipes that include it."""


class LinkedPage(Struct, frozen=True):
    """A page linked with a hit."""

    document: str
    title: str
    kind: str
    direction: Literal["out", "in"]


class Translation(Struct, frozen=True):
    """The same section in another language."""

    id: str
    """As that of the hit."""
    document: str
    title: str
    lang: str
    """Language code; empty if unknown."""


class Hit(Struct, frozen=True):
    """One result."""

    id: str
    """`path#L10-L24`."""
    document: str
    title: str
    kind: str
    doc_type: str
    start: int
    end: int
    score: float
    """Sort key, comparable only within one answer."""
    relevance_reason: str
    sources: tuple[SourceRank, ...]
    sections: tuple[Section, ...]
    staleness: Literal["fresh", "possibly_stale", "stale", "unknown"] = "unknown"
    """Whether the document is older than the sources it names and the code it mentions."""
    staleness_reason: str = ""
    context: tuple[str, ...] = ()
    """Descriptions of its folders from the settings, the outermost first."""
    translations: tuple[Translation, ...] = ()
    """The same section in other languages."""
    copies: tuple[str, ...] = ()
    """Sections with the same content that are left out, such as those of a compiled file: at most eight ids."""
    copy_count: int = 0
    """Number of sections left out."""
    linked_pages: tuple[LinkedPage, ...] = ()
    namespace: str = ""
    """Package or extra folder."""
    role: str = ""
    """Role of the file: source, test, documentation, changelog and so on."""
    relevance: float | None = None
    """Estimated probability that it is relevant, comparable between queries and projects; None if unknown."""
    explanation: Explanation | None = None
    """Computation of the score, if requested."""
    relevance_explanation: Explanation | None = None
    """Computation of the relevance, if requested."""
    project: str = ""
    """Name of its project, if several were searched; then all ids begin with it: `tea::docs/water.md#L1-L3`."""


FacetName = Literal["kind", "folder", "tag", "language", "type"]


class FacetValue(Struct, frozen=True):
    """A value of a facet, with the number of results that have it."""

    value: str
    count: int


class Facet(Struct, frozen=True):
    """A property of documents, with its values among the results."""

    name: FacetName
    values: tuple[FacetValue, ...]
    """The most frequent first."""


class Degraded(Struct, frozen=True):
    """A reason why the answer may be incomplete."""

    stage: str
    code: str
    detail: str


class Step(Struct, frozen=True):
    """The duration of a stage, and what it did or the reason if it was skipped."""

    stage: str
    seconds: float
    skipped: str | None = None
    effect: str = ""
    """What it changed, such as `lexical list of 50 sections`; empty if nothing."""


LOW_RELEVANCE_NOTE = "no result looks relevant; showing the closest matches"
"""Note of an answer whose `low_relevance` is set."""


class Answer(Struct, frozen=True):
    """The hits of a query, with notes and the record of the stages."""

    query: str
    recipe: str
    mode: str
    search_type: str
    """`hybrid`, `lexical`, `vector`, `links`, `fulltext_fallback` or `none`."""
    hits: tuple[Hit, ...]
    total_found: int
    intent: str = ""
    """Intent that the recipe used, such as `fix_bug`; empty if the recipe does not use one."""
    low_relevance: bool = False
    """Whether the estimated chance that one of the ten best results answers the query is below `relevance.min`."""
    has_word_match: bool = True
    """Whether one of the ten best results contains a word of the query that is no function word."""
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    """Notes on the interpretation of the query and on the ranking."""
    expanded: tuple[str, ...] = ()
    """Rephrasings of the query that were searched, too."""
    strong_signal: bool | None = None
    """Whether the lexical results were so clear that the query was not rephrased; None if not checked."""
    reranked: bool = False
    """Whether a reranker was used."""
    vector_coverage: float | None = None
    """Share of sections with a vector; None without vector search."""
    facets: tuple[Facet, ...] = ()
    """Counts over all `total_found` results, if requested."""
    steps: tuple[Step, ...] = ()
    generation: int = 0
    seconds: float = 0.0
