"""Languages of texts: codes and names, and detection."""

from waymeet.analysis.languages.codes import language_name, normalise_language, parse_language_name
from waymeet.analysis.languages.detection import detect_language, is_english
from waymeet.analysis.languages.script import detect_cjk_language

__all__ = [
    "detect_cjk_language",
    "detect_language",
    "is_english",
    "language_name",
    "normalise_language",
    "parse_language_name",
]
