"""Text → terms: identifiers, stemming, stop words, CJK. One analyzer for documents and queries."""

from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.keys import called, defined, located, titled
from waymeet.analysis.languages import spoken
from waymeet.analysis.terms import VERSION, contains, count, plain, spans, terms, well_formed, words

__all__ = [
    "VERSION",
    "called",
    "contains",
    "count",
    "defined",
    "has_cjk",
    "located",
    "plain",
    "spans",
    "spoken",
    "terms",
    "titled",
    "well_formed",
    "words",
]
