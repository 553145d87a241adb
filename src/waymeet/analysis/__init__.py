"""Text → terms: identifiers, stemming, stop words, CJK. One analyzer for documents and queries."""

from waymeet.analysis.scripts import has_cjk
from waymeet.analysis.terms import VERSION, contains, count, plain, spans, terms, words

__all__ = ["VERSION", "contains", "count", "has_cjk", "plain", "spans", "terms", "words"]
