"""What is asked: the request, and the words and filters understood from it."""

from msgspec import Struct


class Filters(Struct, frozen=True):
    """What an answer may contain. Values of one filter are alternatives; different filters must all hold."""

    paths: tuple[str, ...] = ()
    """Folders or files: a document passes if its id equals one or lies below it."""
    kinds: tuple[str, ...] = ()
    doc_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    """Texts that a chunk must contain, each of them, compared after `analysis.plain`."""
    without: tuple[tuple[str, ...], ...] = ()
    """Groups of terms; a chunk that has all terms of any group is left out."""


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
    include_linked: bool = False
    """Name the pages that each hit links to and is linked from."""


class Word(Struct, frozen=True):
    """One thing to look for: any of its terms counts as an occurrence of it."""

    terms: tuple[str, ...]
    weight: float = 1.0
    text: str = ""
    """How the asker wrote it."""
