"""What is asked: the request, and the words and filters understood from it."""

from typing import Literal

from msgspec import Struct


class Filters(Struct, frozen=True):
    """What an answer may contain. Values of one filter are alternatives; different filters must all hold."""

    paths: tuple[str, ...] = ()
    """Folders or files: a document passes if its id equals one or lies below it."""
    kinds: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    """Pairs of a key and a value; a document passes if the property is the value or lists it. Pairs of one key are
    alternatives."""
    changed_from: int = 0
    changed_before: int = 0
    """When a document's file must have changed, in nanoseconds since 1970; 0 for no bound."""
    phrases: tuple[str, ...] = ()
    """Texts that a chunk must contain, each of them, compared after `analysis.plain`."""
    without: tuple[tuple[str, ...], ...] = ()
    """Groups of terms; a chunk that has all terms of any group is left out."""
    without_kinds: tuple[str, ...] = ()
    """Kinds of documents that are left out."""


class Variant(Struct, frozen=True):
    """Another way to put the question, by the asker or by a model."""

    text: str
    kind: Literal["both", "lex", "vec", "hyde"] = "both"
    """What it is for: words, meaning, or both; `hyde` is a passage such as would answer, for meaning."""


class Query(Struct, frozen=True):
    """One question with everything the asker may set."""

    text: str
    limit: int = 10
    recipe: str = "auto"
    mode: str = ""
    """For recipes that know several; empty for the recipe's default."""
    filters: Filters = Filters()
    explain: bool = False
    depth: int | None = None
    """How far to walk the graph; None for the recipe's own depth."""
    link_types: tuple[str, ...] = ()
    """Edge kinds the walk may use; empty for all."""
    intent: str = ""
    """What the asker is up to, for recipes that care; empty to have it guessed from the words."""
    variants: tuple[Variant, ...] = ()
    """The asker's own other wordings, used instead of a model's."""
    expand: bool = True
    """Whether a recipe may ask a model for other wordings."""
    include_linked: bool = False
    """Name the pages that each hit links to and is linked from."""


class Word(Struct, frozen=True):
    """One thing to look for: any of its terms counts as an occurrence of it."""

    terms: tuple[str, ...]
    weight: float = 1.0
    text: str = ""
    """How the asker wrote it."""
