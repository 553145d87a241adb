"""Settings of each recipe."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from waymeet.settings.constraints import Count, Number, Part, Shares, Ways, Weight


class Threeway(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `threeway`."""

    alpha: Part = 0.7
    """Weight of vector similarity."""
    fulltext_share: Part = 0.3
    """Share of full text in the weight that alpha leaves; the rest is graph proximity."""
    sections: Number = 3
    """Sections shown for a document."""
    opening_chars: Number = 500
    """Length of the opening shown for a document without a vector hit, in characters."""


class Classic(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `classic`."""

    fusion: Literal["rrf", "linear"] = "rrf"
    """Fusion of the two lists: `rrf` by ranks, `linear` by scores."""
    lexical: Weight = 0.7
    """Weight of the lexical score in `linear` fusion."""
    vector: Weight = 0.3
    """Weight of the vector score in `linear` fusion."""


RELATIONS = frozenset({"supersedes", "caused", "enabled", "supports", "derived_from", "contradicts"})
"""Kinds of links that say how two documents are related; the recipe `memory` has a weight for each."""


class Memory(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `memory`.

    Intents set the weights of recency, importance and similarity, in this order.
    """

    lexical: bool = True
    """Whether the lexical list is used; without it, answers are marked as degraded."""
    rrf: bool = True
    """Whether the lists are fused; if not, the vector list alone decides."""
    graph: Weight = 1.5
    """Weight of the link list."""
    convergence: Weight = 1.1
    """Factor for candidates in two or more lists."""
    reached: Number = 20
    """Maximum length of the link list."""
    hop: Part = 0.5
    """Decay of a score for each link, in addition to the weight of its kind."""
    min_path: Part = 0.25
    """Score of a path, as a share of the best fused score, below which the link list ends."""
    strong: Part = 0.95
    """Fused score, as a share of the best, from which ordinary links such as `references` lead to a document that both
    other lists contain; relations such as `supersedes` lead to any."""
    together: Count = 2
    """Number of sessions in which two documents must have been read together to count as linked; 0 disables it."""
    spaced_repetition: bool = True
    """Whether reading and confirming a document makes its recency decay more slowly."""
    supersedes: Weight = 1.5
    """Weight of links of kind `supersedes`."""
    caused: Weight = 1.3
    """Weight of links of kind `caused`."""
    enabled: Weight = 1.1
    """Weight of links of kind `enabled`."""
    supports: Weight = 1.0
    """Weight of links of kind `supports`."""
    derived_from: Weight = 1.0
    """Weight of links of kind `derived_from`."""
    contradicts: Weight = 0.8
    """Weight of links of kind `contradicts`."""
    other: Weight = 1.0
    """Weight of links of any other kind."""
    add_feature: Shares = (0.3, 0.4, 0.3)
    """Weights of recency, importance and similarity for queries about a new feature."""
    fix_bug: Shares = (0.5, 0.2, 0.3)
    """Weights of recency, importance and similarity for queries about a bug."""
    refactor: Shares = (0.2, 0.3, 0.5)
    """Weights of recency, importance and similarity for queries about refactoring."""
    security_audit: Shares = (0.1, 0.5, 0.4)
    """Weights of recency, importance and similarity for queries about security."""
    understand: Shares = (0.2, 0.3, 0.5)
    """Weights of recency, importance and similarity for queries of any other intent."""
    find_spec: Shares = (0.1, 0.5, 0.4)
    """Weights of recency, importance and similarity for queries for a specification."""
    find_decision: Shares = (0.1, 0.5, 0.4)
    """Weights of recency, importance and similarity for queries for a decision."""
    preferred: Weight = 1.1
    """Factor for kinds of documents that the intent prefers."""
    constitutional: Weight = 2.0
    """Factor for documents of type `constitutional`."""
    spec: Weight = 1.4
    """Factor for documents of type `spec`."""
    decision_record: Weight = 1.4
    """Factor for documents of type `decision_record`."""
    plan: Weight = 1.3
    """Factor for documents of type `plan`."""
    tasks: Weight = 1.1
    """Factor for documents of type `tasks`."""
    implementation_summary: Weight = 1.1
    """Factor for documents of type `implementation_summary`."""
    scratch: Weight = 0.6
    """Factor for documents of type `scratch`; the factor of other types is 1."""

    def edge(self, kind: str) -> float:
        """Return the weight of a kind of link."""
        return float(getattr(self, kind)) if kind in RELATIONS else self.other

    def weights(self, intent: str) -> Shares:
        """Return the weights of recency, importance and similarity."""
        shares: Shares = getattr(self, intent, self.understand)
        return shares

    def doc_type(self, doc_type: str) -> float:
        """Return the factor of a document type."""
        known = ("constitutional", "spec", "decision_record", "plan", "tasks", "implementation_summary", "scratch")
        return float(getattr(self, doc_type)) if doc_type in known else 1.0


class Neighbours(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipes `neighbours`, `files` and `skills_recall`."""

    top_k: Number = 5
    """Number of direct hits: nodes that are results, and from which links are followed."""
    per_document: Number = 1
    """Maximum number of nodes of one document among them: further ones would follow the same links."""
    displace: bool = False
    """Whether nodes that links lead to may displace direct hits with a lower score; if not, they take the places that
    direct hits leave."""
    depth: Count = 1
    """Maximum number of edges followed in a row."""
    max_results: Number = 5
    """Maximum number of results."""
    min_score: Part = 0.5
    """Minimum score of a result, as a share of the best."""
    decay: Part = 0.8
    """Decay of a score along an edge of a kind not named below."""
    contains: Part = 0.95
    """Decay of a score along an edge of kind `contains`."""
    extends: Part = 0.85
    """Decay of a score along an edge of kind `extends`."""
    implements: Part = 0.85
    """Decay of a score along an edge of kind `implements`."""
    imports: Part = 0.7
    """Decay of a score along an edge of kind `imports`."""
    uniform: Part | None = None
    """Decay for all kinds of edges, instead of the values above."""

    def part(self, kind: str) -> float:
        """Return the decay along an edge."""
        if self.uniform is not None:
            return self.uniform
        named = {
            "contains": self.contains,
            "extends": self.extends,
            "implements": self.implements,
            "imports": self.imports,
        }
        return named.get(kind, self.decay)


_BETWEEN_FILES = frozenset({"imports", "calls", "extends", "implements"})


class LinkParts(Struct, frozen=True, forbid_unknown_fields=True):
    """Factors of links by kind: outgoing, incoming."""

    contains: Ways = (0.0, 0.0)
    """Factors of `contains` links, between a folder and its files."""
    translation: Ways = (0.0, 0.0)
    """Factors of `translation` links, between a page and its translations."""
    code: Ways = (1.0, 1.0)
    """Factors of links between source files: `imports`, `calls`, `extends` and `implements`."""
    other: Ways = (1.0, 1.0)
    """Factors of all other kinds, such as `references`."""

    def of(self, kind: str) -> Ways:
        """Return the outgoing and incoming factor of a kind of link."""
        if kind in _BETWEEN_FILES:
            return self.code
        return {"contains": self.contains, "translation": self.translation}.get(kind, self.other)


class RoleFactors(Struct, frozen=True, forbid_unknown_fields=True):
    """Factors of scores by the role of the file, unless the query refers to this role.

    Source code and documentation have the factor 1.
    """

    test: Part = 0.85
    """Factor of tests and their data."""
    example: Part = 0.95
    """Factor of examples and demonstrations."""
    benchmark: Part = 0.9
    """Factor of benchmarks."""
    changelog: Part = 0.8
    """Factor of lists of changes."""
    release_notes: Part = 0.8
    """Factor of release notes."""
    licence: Part = 0.7
    """Factor of licences."""
    locale_catalogue: Part = 0.5
    """Factor of translated messages."""
    generated: Part = 0.8
    """Factor of generated files."""
    minified: Part = 0.5
    """Factor of minified files."""
    vendored: Part = 0.7
    """Factor of copies of other projects."""
    build_output: Part = 0.8
    """Factor of compiled and bundled files."""
    lock_file: Part = 0.5
    """Factor of lock files."""
    data: Part = 0.9
    """Factor of data files."""
    image: Part = 0.5
    """Factor of images."""
    code_for_task: Part = 0.7
    """Further factor of source code, tests and benchmarks if the query asks how something is done ("how do I …"):
    documentation explains that. Used only if documentation is among the candidates."""
    code_for_prose: Part = 0.8
    """The same if the query is another sentence or phrase in plain words."""
    test_for_question: Part = 0.7
    """Further factor of tests in both cases, unless the query refers to tests: they repeat the words of what they
    test."""
    documentation_for_code: Part = 0.8
    """Factor of documentation and examples if the query asks where something is implemented ("which function …").
    Used only if source code is among the candidates."""
    dominant_share: Part = 0.9
    """Share of the files of an index from which the factor of their role is 1."""

    def of(self, role: str) -> float:
        """Return the factor of a role."""
        return float(getattr(self, role.replace(" ", "_"), 1.0))


class Auto(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `auto`."""

    vector_weight: Part | None = None
    """Weight of the vector score; the lexical score has the rest. Not set: by the type of text, as follows."""
    vector_weight_prose: Part = 0.55
    """Vector weight for documents and for source files with sections of normal length."""
    vector_weight_short_text: Part = 0.2
    """Vector weight for texts of a few words each, such as chat messages."""
    vector_weight_single_function: Part = 0.9
    """Vector weight for source code with about one function per document."""
    vector_weight_non_english: Part = 0.3
    """Vector weight for documents and queries in the same language other than English."""
    lexical_weight_cross_lingual: Part = 0.4
    """Lexical weight of sections in another language than the query, beside a vector weight of 1: words match names."""
    lexical_weight_english: Part = 1.0
    """The same for English queries, times the square of the share of the query's words that the best lexical hit
    contains, if that is more than the weight above times this share: English words occur in pages of all languages."""
    code_factor_cross_lingual: Part = 0.85
    """Factor of the score of source code that is not in the query's language: such a query is prose, and the
    multilingual model compares sentences."""
    vector_weight_mixed: Part = 0.98
    """Vector weight of sections in the query's language if the most similar ones are all in other languages;
    interpolated by the square of their share."""
    min_similarity_steps: Weight = 1.2
    """Similarity of the best vector hit, in steps above the noise level of its model, from which the vector score has
    its full weight; 0 disables the check. Calibrated for the default models only."""
    sentence_weight: Weight = 0.75
    """Weight of the similarity of sentences by the multilingual model beside the normalised cosine, for documentation
    and English queries; 0 disables it."""
    usual_sentence_similarity: Part = 0.15
    """Similarity of unrelated sentences, which is subtracted from the similarity before it is weighted."""
    sentence_sections: Count = 100
    """Leading sections of the vector list of which the documentation is compared by its sentences."""
    min_word_coverage: Part = 0.5
    """Share of the query's words, by their IDF, that the best lexical hit must contain for the lexical score to have
    its full weight beside vectors, in a query without spaces, such as a Chinese one; 0 disables the check."""
    short_text_b: Part = 0.2
    """BM25 length normalisation `bm25.b.body` for texts of a few words each."""
    document_share: Part = 0.3
    """Share of a section's score that depends on the other sections of its document."""
    document_sections: Number = 5
    """Number of sections of a document that count for this."""
    name_bonus: Weight = 0.6
    """Bonus for a document whose title or file name occurs in the query, times the square root of the share of the
    query that matches."""
    definition_bonus: Weight = 0.3
    """Bonus for a section that defines a symbol named in the query, times the share of the query that matches."""
    word_run_bonus: Weight = 0.3
    """Bonus for a section in which words of the query follow each other as in the query, times the square root of their
    share, from four words on."""
    speaker_factor: Weight = 1.5
    """Factor of the score of messages of a person whom the query names, in an index of conversations."""
    raised_definitions: Number = 3
    """Number of definitions of a name in the query that are ranked first, the section that describes it second."""
    raised_min_share: Part = 0.5
    """Share of the query's terms that a name must have for this. Those of a name are its words and itself."""
    raised_lead: Weight = 0.05
    """Lead in score of each section ranked first in this way over the next one; 0 disables it."""
    shared_name_weight: Weight = 0.5
    """Share of its score that a document passes to documents with the same rare names, divided by 1 + ln(degree)."""
    shared_name_cap: Part = 0.8
    """Maximum score from this bonus, as a share of the score of the passing document."""
    shared_name_max_documents: Number = 5
    """Number of documents up to which a name is rare."""
    outlink_weight: Weight = 0.45
    """Share of its squared score that a document passes to the documents it links to, divided by 1 + ln(degree)."""
    inlink_weight: Weight = 0.15
    """Share of its squared score that a document passes to the documents that link to it, divided by 1 + ln(degree)."""
    links: LinkParts = LinkParts()
    roles: RoleFactors = RoleFactors()
    per_document: Number = 3
    """Number of sections of one document before its further ones, which are placed behind all other results."""


class Deep(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `deep`."""

    clear_score: Part = 0.85
    """Lexical score of the first result, as a share of the maximum for the query, from which the query is not
    rephrased."""
    clear_gap: Part = 0.15
    """Lead of the first result over the second that is required, too."""
    original: Weight = 2.0
    """Weight of the lists for the original query."""
    alternative: Weight = 1.0
    """Weight of the lists for rephrased queries."""
    lists: Number = 6
    """Maximum number of lists that are fused."""
    bonus: tuple[Weight, ...] = (0.05, 0.02, 0.02)
    """Bonus for the best rank in any list: for the first rank, the second and so on."""
    keep: Number = 20
    """Candidates kept after fusion, or the number of requested results if that is more."""
    first: Count = 3
    """Number of positions in the fused list with the weight `first_trust`."""
    first_trust: Part = 0.75
    """Weight of the fused score at these positions; the reranker score has the rest."""
    middle: Count = 10
    """Positions up to which `middle_trust` applies."""
    middle_trust: Part = 0.6
    """Weight of the fused score at these positions."""
    tail_trust: Part = 0.4
    """Weight of the fused score at all later positions."""


class CustomRecipe(Struct, frozen=True, forbid_unknown_fields=True):
    """A recipe defined in a settings file."""

    base: str = ""
    """Recipe whose stages, settings and modes it inherits."""
    stages: tuple[str, ...] = ()
    """Its stages in order, instead of those of the base."""
    description: str = ""
    """Description shown by `waymeet recipes`."""
    modes: tuple[str, ...] = ()
    """Names of the modes for `--mode`."""
    settings: Mapping[str, Any] = {}
    """Settings that differ from the defaults, or from the base."""
