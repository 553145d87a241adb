"""Queries, their filters, variants and words."""

from typing import Literal

from msgspec import Struct


class Filters(Struct, frozen=True):
    """Filters of the results.

    Values of one filter are alternatives. Different filters must all match.
    """

    paths: tuple[str, ...] = ()
    """Folders or files: a document matches if its id is one of them or is below one."""
    kinds: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    """Pairs of key and value. A document matches if the property is the value or a list with it. Pairs of one key are
    alternatives."""
    changed_from: int = 0
    changed_before: int = 0
    """Bounds of `Document.changed_ns`; 0 for no bound."""
    phrases: tuple[str, ...] = ()
    """Texts that a chunk must all contain, compared after `analysis.plain`."""
    without: tuple[tuple[str, ...], ...] = ()
    """Groups of terms; a chunk with all terms of a group is excluded."""
    without_kinds: tuple[str, ...] = ()
    """Excluded kinds of documents."""


class Variant(Struct, frozen=True):
    """A rephrasing of the query, by the user or by a model."""

    text: str
    kind: Literal["both", "lex", "vec", "hyde"] = "both"
    """`lex` for lexical, `vec` for vector search, or both; `hyde` is a hypothetical answer, for vector search."""


class Query(Struct, frozen=True):
    """A query with all its options."""

    text: str
    limit: int = 10
    recipe: str = "auto"
    mode: str = ""
    """Mode of the recipe; empty for its default."""
    filters: Filters = Filters()
    explain: bool = False
    depth: int | None = None
    """Maximum number of links to follow; None for the recipe's default."""
    link_types: tuple[str, ...] = ()
    """Kinds of links to follow; empty for all."""
    intent: str = ""
    """Intent, for recipes that use it; empty to classify it by the words."""
    variants: tuple[Variant, ...] = ()
    """Rephrasings by the user, instead of those of a model."""
    expand: bool = True
    """Whether a recipe may let a model rephrase the query."""
    include_linked: bool = False
    """Whether hits list the pages they link to and are linked from."""
    facets: bool = False
    """Whether the answer counts its results by kind, folder, tag, language and type."""


class Word(Struct, frozen=True):
    """A query word. An occurrence of any of its terms counts."""

    terms: tuple[str, ...]
    weight: float = 1.0
    text: str = ""
    """As written in the query, followed by `(term …)` if the term is only a part or a stem of it."""

    @property
    def token(self) -> str:
        """Return the word as written in the query."""
        return self.text.partition(" (term ")[0]
