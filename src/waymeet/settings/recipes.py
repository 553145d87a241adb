"""The numbers of each recipe."""

from typing import Literal

from msgspec import Struct

from waymeet.settings.constraints import Count, Number, Part, Shares, Ways, Weight


class Threeway(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `threeway`."""

    alpha: Part = 0.7
    """Weight of vector similarity."""
    fulltext_share: Part = 0.3
    """Full text's part of what alpha leaves over."""
    sections: Number = 3
    """Sections shown for a document."""
    opening_chars: Number = 500
    """Length of the opening shown for a document found without a vector hit."""


class Classic(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `classic`."""

    fusion: Literal["rrf", "linear"] = "rrf"
    """How the two lists become one: by ranks, or by scores."""
    lexical: Weight = 0.7
    """Weight of words in `linear` fusion."""
    vector: Weight = 0.3
    """Weight of meaning in `linear` fusion."""


class Memory(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `memory`. Intents weigh recency, importance and similarity, in this order."""

    lexical: bool = True
    """Whether words are asked; without them an answer says so."""
    rrf: bool = True
    """Whether lists are fused; if not, meaning alone decides."""
    graph: Weight = 1.5
    """Weight of the list that links make."""
    convergence: Weight = 1.1
    """Factor for what two or more lists found."""
    reached: Number = 20
    """Entries in the list that links make."""
    hop: Part = 0.5
    """What is left of a score behind a link, beside the link's own weight."""
    together: Count = 2
    """Sittings in which two entries must have been read together to count as linked; 0 leaves reading aside."""
    supersedes: Weight = 1.5
    """Weight of a link of the kind `supersedes`."""
    caused: Weight = 1.3
    """Weight of a link of the kind `caused`."""
    enabled: Weight = 1.1
    """Weight of a link of the kind `enabled`."""
    supports: Weight = 1.0
    """Weight of a link of the kind `supports`."""
    derived_from: Weight = 1.0
    """Weight of a link of the kind `derived_from`."""
    contradicts: Weight = 0.8
    """Weight of a link of the kind `contradicts`."""
    other: Weight = 1.0
    """Weight of a link of any other kind."""
    add_feature: Shares = (0.3, 0.4, 0.3)
    """Recency, importance and similarity for questions about something to be added."""
    fix_bug: Shares = (0.5, 0.2, 0.3)
    """The same for questions about a fault."""
    refactor: Shares = (0.2, 0.3, 0.5)
    """The same for questions about changing the shape of code."""
    security_audit: Shares = (0.1, 0.5, 0.4)
    """The same for questions about security."""
    understand: Shares = (0.2, 0.3, 0.5)
    """The same for questions whose intent is not clear, or that want to understand something."""
    find_spec: Shares = (0.1, 0.5, 0.4)
    """The same for questions that look for a specification."""
    find_decision: Shares = (0.1, 0.5, 0.4)
    """The same for questions that look for a decision."""
    preferred: Weight = 1.1
    """Factor for kinds of documents that the intent prefers."""
    constitutional: Weight = 2.0
    """Factor for documents of the type `constitutional`."""
    spec: Weight = 1.4
    """Factor for documents of the type `spec`."""
    decision_record: Weight = 1.4
    """Factor for documents of the type `decision_record`."""
    plan: Weight = 1.3
    """Factor for documents of the type `plan`."""
    tasks: Weight = 1.1
    """Factor for documents of the type `tasks`."""
    implementation_summary: Weight = 1.1
    """Factor for documents of the type `implementation_summary`."""
    scratch: Weight = 0.6
    """Factor for documents of the type `scratch`; any other type counts once."""

    def edge(self, kind: str) -> float:
        """Weigh a link by its kind."""
        known = ("supersedes", "caused", "enabled", "supports", "derived_from", "contradicts")
        return float(getattr(self, kind)) if kind in known else self.other

    def weights(self, intent: str) -> Shares:
        """Give the weights of recency, importance and similarity."""
        shares: Shares = getattr(self, intent, self.understand)
        return shares

    def doc_type(self, doc_type: str) -> float:
        """Give the factor of a type of documents."""
        known = ("constitutional", "spec", "decision_record", "plan", "tasks", "implementation_summary", "scratch")
        return float(getattr(self, doc_type)) if doc_type in known else 1.0


class Neighbours(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipes `neighbours`, `files` and `skills_recall`."""

    top_k: Number = 5
    """Nodes that a walk starts from."""
    depth: Count = 1
    """Edges that a walk follows one after the other."""
    max_results: Number = 5
    """Most results that are shown."""
    min_score: Part = 0.5
    """What is left out, as a part of the best."""
    decay: Part = 0.8
    """What is left of a score behind an edge of a kind that is not named below."""
    contains: Part = 0.95
    """What is left of a score behind an edge of the kind `contains`."""
    extends: Part = 0.85
    """What is left of a score behind an edge of the kind `extends`."""
    implements: Part = 0.85
    """What is left of a score behind an edge of the kind `implements`."""
    imports: Part = 0.7
    """What is left of a score behind an edge of the kind `imports`."""
    uniform: Part | None = None
    """One decay for all kinds of edges, in place of all of these."""

    def part(self, kind: str) -> float:
        """Say what is left of a score behind an edge."""
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
    """How much a link counts by its kind: outward, and inward."""

    contains: Ways = (0.0, 0.0)
    """Links of the kind `contains`: a folder and what lies in it."""
    translation: Ways = (0.0, 0.0)
    """Links of the kind `translation`: a page and the same page in another language."""
    code: Ways = (1.0, 1.0)
    """Links between source files: `imports`, `calls`, `extends` and `implements`."""
    other: Ways = (1.0, 1.0)
    """Every kind that is not named here, such as `references`."""

    def of(self, kind: str) -> Ways:
        """Give the parts of a kind of link."""
        if kind in _BETWEEN_FILES:
            return self.code
        return {"contains": self.contains, "translation": self.translation}.get(kind, self.other)


class Auto(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `auto`."""

    vector_weight: Part | None = None
    """Weight of meaning beside words, which get the rest; if it is not set, by kind of text as follows."""
    vector_weight_prose: Part = 0.55
    """In documents and source files of sections that say enough about themselves."""
    vector_weight_short_text: Part = 0.2
    """In texts of a few words each, such as turns of a conversation."""
    vector_weight_single_function: Part = 0.9
    """In source code that was cut into one function or so for each document."""
    vector_weight_non_english: Part = 0.3
    """In other languages than English, if the question is in one of them."""
    vector_weight_cross_lingual: Part = 0.9
    """Where everything is in another language than the question and has its words by chance only; it counts by the
    square of the part that is."""
    min_similarity_steps: Weight = 1.2
    """How far the nearest must be above what has nothing to do with a question for meaning to count in full, in steps
    of its scale; 0 trusts it always. Known of the default models."""
    short_text_b: Part = 0.2
    """How much the length of a text counts, like `bm25.b.body`, where all texts are remarks of a few words."""
    document_share: Part = 0.3
    """Which part of a section's score depends on how many sections of its document are as good."""
    document_sections: Number = 5
    """Sections of a document that are looked at for that."""
    name_bonus: Weight = 0.6
    """Bonus for a document whose title or file name stands in the query, times the root of the part of the query it
    covers."""
    definition_bonus: Weight = 0.3
    """Bonus for a section that defines a symbol which stands in the query, times the part of the query it covers."""
    shared_name_weight: Weight = 0.5
    """Part of its score that a document hands to those that name the same rare things, divided by 1 + ln(degree)."""
    shared_name_cap: Part = 0.8
    """How far that lifts a document at most, as a part of the score of the one that hands it over."""
    shared_name_max_documents: Number = 5
    """Documents up to which a name is rare."""
    outlink_weight: Weight = 0.45
    """Part of its squared score that a document hands to those it links to, divided by 1 + ln(degree)."""
    inlink_weight: Weight = 0.15
    """The same for those that link to it."""
    links: LinkParts = LinkParts()
    per_document: Number = 3
    """Most sections of one document in an answer."""


class Deep(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `deep`."""

    clear_score: Part = 0.85
    """Part of what the query's words reach at best that the first must have for the words to be enough."""
    clear_gap: Part = 0.15
    """How far the first must be ahead of the second for that."""
    original: Weight = 2.0
    """Weight of lists that answer the question as it was asked."""
    alternative: Weight = 1.0
    """Weight of lists that answer another wording."""
    lists: Number = 6
    """Most lists that are fused."""
    bonus: tuple[Weight, ...] = (0.05, 0.02, 0.02)
    """Added once for the best rank in any list: for the first, the second and so on."""
    keep: Number = 20
    """Candidates kept after fusion, or as many as are asked for if that is more."""
    first: Count = 3
    """Positions in the fused list at which the fused score counts most."""
    first_trust: Part = 0.75
    """How much it counts there; the reranker gets the rest."""
    middle: Count = 10
    """Positions at which it counts less."""
    middle_trust: Part = 0.6
    """How much it counts there."""
    tail_trust: Part = 0.4
    """How much it counts at all further positions."""
