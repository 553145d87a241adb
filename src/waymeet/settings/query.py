"""Settings of query analysis and feedback."""

from collections.abc import Mapping

from msgspec import Struct

from waymeet.settings.constraints import Count, Number, Part


class Understand(Struct, frozen=True, forbid_unknown_fields=True):
    """Query analysis: spelling correction and acronyms."""

    fuzzy: bool = True
    """Whether spelling is corrected: query words that no document contains are replaced by similar indexed words."""
    repaired: Part = 1.0
    """Weight of a corrected word."""
    function_word: Part = 0.5
    """Weight of words that say little about the subject, such as “do” and “over”, in a query that has other words."""
    transliterated: Part = 1.0
    """Weight of an indexed word that sounds like a query word in another script, times their similarity; 0 disables
    it."""
    expand_acronyms: bool = True
    """Whether acronyms are expanded to their long forms, and long forms to acronyms."""
    acronym: Part = 0.5
    """Weight of an expansion, divided by the number of its words."""
    acronyms: Mapping[str, str] = {}
    """Acronyms and their long forms, in addition to those found in the indexed texts."""


class Feedback(Struct, frozen=True, forbid_unknown_fields=True):
    """Effect of feedback (`waymeet feedback`) on the results of similar queries."""

    max_bonus: Part = 0.15
    """Maximum bonus or penalty, as a share of the best score."""
    min_similarity: Part = 0.6
    """Share of common words from which two queries count as similar."""
    saturation_votes: Number = 3
    """Number of votes, weighted by similarity of the queries, that gives three quarters of the maximum."""


class SeveralProjects(Struct, frozen=True, forbid_unknown_fields=True):
    """Search over several projects (`search --all`)."""

    searched: Count = 2
    """Number of projects that are searched for ten results, if there are more than twice as many: those that are the
    likeliest to answer, by their best word score and nearest vector. Four times as many if vectors are missing. 0
    searches all."""
