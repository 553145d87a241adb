"""The numbers of each recipe."""

from typing import Literal

from msgspec import Struct

from waymeet.settings.bounds import Count, Number, Part, Shares, Ways, Weight


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
    supersedes: Weight = 1.5
    caused: Weight = 1.3
    enabled: Weight = 1.1
    supports: Weight = 1.0
    derived_from: Weight = 1.0
    contradicts: Weight = 0.8
    other: Weight = 1.0
    """Weight of a link of any other kind."""
    add_feature: Shares = (0.3, 0.4, 0.3)
    fix_bug: Shares = (0.5, 0.2, 0.3)
    refactor: Shares = (0.2, 0.3, 0.5)
    security_audit: Shares = (0.1, 0.5, 0.4)
    understand: Shares = (0.2, 0.3, 0.5)
    find_spec: Shares = (0.1, 0.5, 0.4)
    find_decision: Shares = (0.1, 0.5, 0.4)
    preferred: Weight = 1.1
    """Factor for kinds of documents that the intent prefers."""
    constitutional: Weight = 2.0
    spec: Weight = 1.4
    decision_record: Weight = 1.4
    plan: Weight = 1.3
    tasks: Weight = 1.1
    implementation_summary: Weight = 1.1
    scratch: Weight = 0.6
    """Factors for types of documents; any other counts once."""

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
    max_results: Number = 5
    min_score: Part = 0.5
    """What is left out, as a part of the best."""
    decay: Part = 0.8
    """What is left of a score behind an edge of a kind that is not named below."""
    contains: Part = 0.95
    extends: Part = 0.85
    implements: Part = 0.85
    imports: Part = 0.7
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


class LinkParts(Struct, frozen=True, forbid_unknown_fields=True):
    """How much a link counts by its kind: outward, and inward."""

    contains: Ways = (0.0, 0.0)
    translation: Ways = (0.0, 0.0)
    imports: Ways = (1.0, 1.0)
    calls: Ways = (1.0, 1.0)
    extends: Ways = (1.0, 1.0)
    implements: Ways = (1.0, 1.0)
    mentions: Ways = (1.0, 1.0)
    source: Ways = (1.0, 1.0)
    other: Ways = (1.0, 1.0)
    """Every kind that is not named here, such as `references`."""


class Auto(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `auto`."""

    vector: Part = 0.6
    """Weight of meaning beside words, which get the rest."""
    exact: Weight = 0.6
    """Bonus for a document whose title or file name stands in the query, times the part of the query it covers."""
    out_link: Weight = 0.3
    """Part of its score that a document hands to those it links to, divided by 1 + ln(degree)."""
    in_link: Weight = 0.1
    """The same for those that link to it."""
    links: LinkParts = LinkParts()
    per_document: Number = 3
    """Most sections of one document in an answer."""
    twin: Part = 0.5
    """Part of its translation's score that a document in the query's own language needs to be shown instead of it."""


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
    tail_trust: Part = 0.4
    """How much it counts at all further positions."""
