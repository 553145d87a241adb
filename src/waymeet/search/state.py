"""Data types of the search pipeline: state, tools, stages and recipes."""

from collections.abc import Callable, Mapping, MutableMapping
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.ports import Embedder, Expander, Reranker, Store, Vocabulary
from waymeet.search.feedback.reviews import Review
from waymeet.search.feedback.votes import Feedback
from waymeet.settings import Bm25, Settings
from waymeet.types import (
    Candidate,
    Degraded,
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


_JUDGED_ROWS = 20
"""Most similar chunks whose languages decide whether words can match."""


class Tools(NamedTuple):
    """The store, the models and the user data that stages use."""

    store: Store
    embedders: tuple[Embedder, ...] = ()
    """Embedding models, the main one first; a text is embedded by the first that supports its language."""
    reranker: Reranker | None = None
    expander: Expander | None = None
    now: Callable[[], int] = time_ns
    """The clock: nanoseconds since 1970."""
    reviews: Mapping[str, Review] = {}
    """When and how often each document was read or confirmed, by id."""
    feedback: Feedback = Feedback()
    """Stored feedback on results."""
    failed_chunks: int = 0
    """Number of chunks for which these models return no usable vector."""
    save_vectors: Callable[[str, Mapping[str, "Vector"], Mapping[str, str]], None] | None = None
    """Stores vectors that were embedded on demand, after the answer: space, vectors and digests by chunk."""
    reranker_cache: MutableMapping[str, tuple[float, ...]] | None = None
    """Earlier scores of the reranker, by the fingerprint of query and texts."""
    vocabulary: Vocabulary | None = None
    """The words that the main embedding model knows."""


class RerankerScore(NamedTuple):
    """A reranker's score of a text, with the length of the text."""

    score: float
    characters: int


class Search(Struct, frozen=True):
    """The state of a query between two stages. It is immutable: a stage returns a changed copy."""

    query: Query
    mode: str = ""
    filters: Filters = Filters()
    pool_limit: int = 0
    """Number of results that the sizes of lists and pools are computed from; 0 for the limit of the query."""
    deferred_filters: Filters = Filters()
    """Filters that apply to the result only, so that a walk may pass through excluded documents."""
    text: str = ""
    """The query without its operators and filters."""
    vector_text: str = ""
    """The text to embed, if it differs from `text`: in the original spelling, because a model has more words than
    the index, and with expanded acronyms."""
    quoted: tuple[str, ...] = ()
    """Phrases in quotes, which a result must contain."""
    intent: str = ""
    """The intent of the query, for recipes that use it, such as `fix_bug`."""
    words: tuple[Word, ...] = ()
    unknown_names: tuple[str, ...] = ()
    """Names like code in the query that occur nowhere in the index."""
    bm25: Bm25 | None = None
    """Parameters of BM25, if they were adapted to the corpus; None uses the settings."""
    lists: Mapping[str, Ranking] = {}
    """Ranked chunks by source: `lexical`, `vector`."""
    unfused: frozenset[str] = frozenset()
    """Sources whose lists are not fused, and only used to estimate relevance."""
    other_language: frozenset[str] = frozenset()
    """Chunks in the list `vector` that are in another language than the query."""
    approximate: frozenset[str] = frozenset()
    """Chunks in the list `vector` whose vector was predicted by a student."""
    vector_coverage: float | None = None
    """Share of all chunks that had a vector when the list `vector` was made; None if there is no such list."""
    student_share: float = 0.0
    """Weight of the chunks that have an approximate vector, as a share of that of all chunks with true vectors."""
    similarity_steps: float | None = None
    """Best cosine in that list, in steps above the noise level of its model; None if the model is not calibrated."""
    sentence_similarities: Mapping[str, float] = {}
    """How similar the sentences of chunks of documentation in that list are to the query, by the multilingual model."""
    top_coverage: float = 0.0
    """Share of the best lexical results that have a vector, including those embedded on demand."""
    lexical_explanations: Mapping[str, Explanation] = {}
    """Explanations of the scores in the list `lexical`, by chunk; only if the query requests explanations."""
    reached: tuple[Reached, ...] = ()
    """Documents reached along links, with their distance."""
    link_explanations: Mapping[str, Explanation] = {}
    """Explanations of the scores in the list `graph`, by document."""
    variants: tuple[Variant, ...] = ()
    """Alternative wordings of the query, from the caller or from a model."""
    strong_signal: bool | None = None
    """Whether the lexical list has a clear winner; None if that was not checked."""
    reranker_scores: Mapping[str, RerankerScore] = {}
    """Scores of the reranker, by chunk."""
    candidates: tuple[Candidate, ...] = ()
    """Best first."""
    replaced: Mapping[str, str] = {}
    """Documents left out in favour of another one, such as translations, with the one that is shown."""
    copies: Mapping[str, tuple[Candidate, ...]] = {}
    """Candidates left out because they have the content of another one, by the chunk that is shown, best first."""
    search_type: str = "hybrid"
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str | None = None
    """Reason for which the last stage did nothing; None if it ran."""

    def skip(self, reason: str) -> "Search":
        """Return the state unchanged, with the reason why the stage was skipped."""
        return replace(self, skipped=reason)

    def degrade(self, stage: str, code: str, detail: str) -> "Search":
        """Add a note that the answer is incomplete, and why."""
        return replace(self, degraded=(*self.degraded, Degraded(stage, code, detail)))

    def miss(self, stage: str, code: str, detail: str) -> "Search":
        """Skip the stage and note that the answer is incomplete without it."""
        return self.degrade(stage, code, detail).skip(code)

    @property
    def pool_results(self) -> int:
        """Number of results that the sizes of lists and pools are computed from."""
        return self.pool_limit or self.query.limit

    @property
    def is_cross_lingual(self) -> bool:
        """Whether most similar chunks are in another language than the query."""
        first = self.ranking("vector")[:_JUDGED_ROWS]
        return bool(first) and 2 * sum(row.chunk in self.other_language for row in first) >= len(first)

    @property
    def vector_share(self) -> float:
        """Weight factor of the list `vector` in a fusion: the share of chunks that have a vector.

        Approximate vectors count by their trust.
        """
        if self.vector_coverage is None:
            return 1.0
        return max(min(self.vector_coverage + self.student_share, 1.0), self.top_coverage)

    def ranking(self, source: str) -> Ranking:
        """Give the ranked list of a source, or an empty list."""
        return self.lists.get(source, ())


Stage = Callable[[Search, Tools, Settings], Search]


class Recipe(Struct, frozen=True):
    """A ranking: its stages in order and the settings in which it differs from the defaults."""

    name: str
    description: str
    stages: tuple[Stage, ...]
    overrides: Mapping[str, Any] = {}
    """The recipe's own settings: they override the defaults, and the user's settings override them."""
    modes: tuple[str, ...] = ()
    """Modes that a caller may choose; the first is the default."""
    pool_limit: int = 0
    """Number of results that the sizes of lists and pools are computed from, whatever limit a query has, so that the
    limit never changes the order of the results; 0 for the limit of the query."""
