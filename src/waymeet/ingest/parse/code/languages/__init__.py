"""The table of languages: a new one is a file in this folder and a line in the table."""

import re
from importlib import import_module

from waymeet.ingest.parse.code.language import Language

LANGUAGES = {
    "c": "c",
    "cpp": "cpp",
    "csharp": "csharp",
    "go": "go",
    "java": "java",
    "javascript": "javascript",
    "kotlin": "kotlin",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
    "rust": "rust",
    "scala": "scala",
    "shell": "bash",
    "swift": "swift",
    "typescript": "typescript",
}
"""For each language of the table of file types, the module that knows it."""
_ENDINGS = {"tsx": "typescript:TSX", "fish": "", "zsh": "bash", "pyx": ""}
"""Endings whose files need another module than their language, or none."""
_CPLUSPLUS = re.compile(r"^\s*(?:class|namespace|template|using|public:|private:)\b", re.MULTILINE)


def language_of(path: str, language: str, text: str) -> Language | None:
    """Give what is known of a file's language, or None.

    >>> language_of("a.sql", "sql", "") is None, language_of("a.h", "c", "class A {};").grammar
    (True, 'tree_sitter_cpp.language')
    """
    ending = path.rpartition(".")[2].lower()
    module = _ENDINGS.get(ending, LANGUAGES.get(language, ""))
    if ending == "h" and _CPLUSPLUS.search(text):
        module = "cpp"
    if not module:
        return None
    module, _, attribute = module.partition(":")
    found: Language = getattr(import_module(f"{__name__}.{module}"), attribute or "LANGUAGE")
    return found
