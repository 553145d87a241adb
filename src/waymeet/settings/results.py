"""Settings of results: number, snippets, copies, relevance, context for a task."""

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


class Copies(Struct, frozen=True, forbid_unknown_fields=True):
    """Sections that repeat another one, of which one is shown."""

    candidates: Count = 15
    """Number of leading candidates among which the copy to show is selected; 0 shows all copies as results."""
    similarity: Part = 0.9
    """Share of common text, of the text of both, from which sections of vendored, generated and compiled files and of
    licences are copies; 0 requires equal text."""
    overlap: Part = 0.5
    """Share of common text, of the shorter text, from which sections in two formats of one file are copies, such as
    HTML beside text; 0 does not compare these."""
    score_share: Part = 0.5
    """Share of a copy's score that a section of a preferred file, such as the source, needs to be shown instead."""


class Relevance(Struct, frozen=True, forbid_unknown_fields=True):
    """Estimated relevance of the results."""

    min: Part = 0.45
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
