"""Settings of results: number, snippets, relevance, context for a task."""

from msgspec import Struct

from waymeet.settings.constraints import Count, Number, Part


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of an answer."""

    limit: Number = 10
    """Number of results, unless the request sets it."""
    snippet_chars: Number = 240
    """Length of the snippet of a result, in characters."""
    linked_pages: Count = 10
    """Maximum number of linked pages listed with a result."""
    whole_text: bool = False
    """Whether results include the whole text of sections, in addition to the snippet."""


class Relevance(Struct, frozen=True, forbid_unknown_fields=True):
    """Estimated relevance of the results."""

    min: Part = 0.5
    """Estimated chance that one of the ten best results answers the query, below which the answer is marked as low
    relevance. 0 disables the check."""


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Text collected for a task (`context`)."""

    budget: Number = 4000
    """Approximate size of the result in tokens, unless the request sets it."""
    results: Number = 20
    """Maximum number of search results whose sections are included."""
    linked: Part = 0.2
    """Share of the budget reserved for summaries of linked pages."""
    linked_pages: Count = 10
    """Maximum number of linked pages that are summarised."""
    summary_chars: Number = 240
    """Length of such a summary, in characters."""
