"""Text analysis: terms, keys of names, languages. Documents and queries share it."""

from waymeet.analysis.cjk import has_cjk
from waymeet.analysis.keys import file_name_key, path_key, symbol_key, title_key
from waymeet.analysis.languages import detect_language
from waymeet.analysis.terms import (
    VERSION,
    contains_phrase,
    count_terms,
    list_terms,
    normalise_text,
    query_words,
    replace_surrogates,
    token_spans,
)

__all__ = [
    "VERSION",
    "contains_phrase",
    "count_terms",
    "detect_language",
    "file_name_key",
    "has_cjk",
    "list_terms",
    "normalise_text",
    "path_key",
    "query_words",
    "replace_surrogates",
    "symbol_key",
    "title_key",
    "token_spans",
]
