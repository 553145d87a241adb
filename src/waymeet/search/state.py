"""What travels along the road of one query: an immutable state, the tools, the recipe, and the fold that runs it."""

from collections.abc import Callable, Mapping, MutableMapping
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.ports import Embedder, Expander, Reranker, Store
from waymeet.search.feedback.votes import Feedback
from waymeet.settings import Bm25, Settings
from waymeet.types import (
    Candidate,
    Degraded,
    Evidence,
    Explanation,
    Filters,
    Query,
    Ranking,
    Reached,
    Variant,
    Word,
)

if TYPE_CHECKING:
    from waymeet.ports import Vector


class Tools(NamedTuple):
    """What stages may use."""

    store: Store
    embedders: tuple[Embedder, ...] = ()
    """Models of meaning, the main one first; a text is embedded by the first that suits its language."""
    reranker: Reranker | None = None
    expander: Expander | None = None
    now: Callable[[], int] = time_ns
    """The time, in nanoseconds since 1970."""
    last_read: Mapping[str, int] = {}
    """When documents were last read or confirmed, by id."""
    feedback: Feedback = Feedback()
    """What people said about answers."""
    failed_chunks: int = 0
    """Sections that these models give no usable vector for."""
    save_vectors: Callable[[str, Mapping[str, "Vector"], Mapping[str, str]], None] | None = None
    """Takes vectors that were made on the spot, to be kept after the answer: space, vectors and digests by chunk."""
    reranker_cache: MutableMapping[str, tuple[float, ...]] | None = None
    """What the reranker said before, by what it was asked."""


class RerankerScore(NamedTuple):
    """What a reranker thinks of a text, and how long the text is."""

    score: float
    characters: int


class Search(Struct, frozen=True):
    """How far a query has come. A stage returns a new one and leaves the old one as it was."""

    query: Query
    mode: str = ""
    filters: Filters = Filters()
    deferred_filters: Filters = Filters()
    """Filters that act only on the result, for recipes that walk through what they do not show."""
    text: str = ""
    """The query without its operators."""
    vector_text: str = ""
    """What a model of meaning is asked, if that differs: the same before slips were put right, for it knows more words
    than an index, and with what acronyms stand for."""
    quoted: tuple[str, ...] = ()
    """Phrases that the query itself insists on."""
    intent: str = ""
    """What the asker is up to, for recipes that care."""
    words: tuple[Word, ...] = ()
    bm25: Bm25 | None = None
    """The numbers of the lexical score, where those of the settings do not suit the texts."""
    lists: Mapping[str, Ranking] = {}
    """Ranked chunks by source: `lexical`, `vector`."""
    other_language: frozenset[str] = frozenset()
    """Chunks in the list `vector` that are in another language than the question."""
    vector_coverage: float | None = None
    """Which part of the sections the list `vector` was made from; None if there is no such list."""
    similarity_steps: float | None = None
    """How many steps the nearest in it is above what has nothing to do with the question; None if nobody can tell."""
    top_coverage: float = 0.0
    """Which part of the likeliest by words is in it, those included that were embedded on the spot."""
    evidence: Mapping[str, tuple[Evidence, ...]] = {}
    """What made the lexical scores, by chunk; only when an explanation is asked for."""
    reached: tuple[Reached, ...] = ()
    """Documents found along links."""
    link_explanations: Mapping[str, Explanation] = {}
    """How documents were reached along links and what that is worth, where a list is made of it."""
    variants: tuple[Variant, ...] = ()
    """Other ways to put the question, the asker's own or a model's."""
    strong_signal: bool | None = None
    """Whether words alone have answered clearly; None if nobody looked."""
    reranker_scores: Mapping[str, RerankerScore] = {}
    """What a reranker thinks, by chunk."""
    candidates: tuple[Candidate, ...] = ()
    """Best first."""
    search_type: str = "hybrid"
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str | None = None
    """Why the stage that just ran did nothing."""

    def skip(self, reason: str) -> "Search":
        """Go on unchanged, saying why."""
        return replace(self, skipped=reason)

    def degrade(self, stage: str, code: str, detail: str) -> "Search":
        """Go on, telling the asker that the answer is less than it could be."""
        return replace(self, degraded=(*self.degraded, Degraded(stage, code, detail)))

    def miss(self, stage: str, code: str, detail: str) -> "Search":
        """Go on without this stage, telling both the record of steps and the asker why."""
        return self.degrade(stage, code, detail).skip(code)

    @property
    def vector_share(self) -> float:
        """How much the list `vector` is to count where it is mixed with others: as much as has a vector."""
        return 1.0 if self.vector_coverage is None else max(self.vector_coverage, self.top_coverage)

    def ranking(self, source: str) -> Ranking:
        """Give the ranked list of a source, empty if there is none."""
        return self.lists.get(source, ())


Stage = Callable[[Search, Tools, Settings], Search]


class Recipe(Struct, frozen=True):
    """A ranking, written down: stages in order and the numbers they use."""

    name: str
    description: str
    stages: tuple[Stage, ...]
    overrides: Mapping[str, Any] = {}
    """The recipe's own numbers, laid over the defaults and under the user's settings."""
    modes: tuple[str, ...] = ()
    """The modes a caller may choose."""
