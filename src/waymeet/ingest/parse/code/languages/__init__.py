"""Programming languages. A new one is a module in this folder and a line in the table."""

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
"""Module of each language in the table of file types."""
_EXTENSIONS = {"tsx": "typescript:TSX", "fish": "", "zsh": "bash", "pyx": ""}
"""Extensions whose files need another module than their language, or none."""
_CPLUSPLUS = re.compile(r"^\s*(?:class|namespace|template|using|public:|private:)\b", re.MULTILINE)


def find_language(path: str, language: str, text: str) -> Language | None:
    """Return the rules for a file's language, or None if there are none.

    >>> find_language("a.sql", "sql", "") is None, find_language("a.h", "c", "class A {};").grammar
    (True, 'tree_sitter_cpp.language')
    """
    extension = path.rpartition(".")[2].lower()
    module = _EXTENSIONS.get(extension, LANGUAGES.get(language, ""))
    if extension == "h" and _CPLUSPLUS.search(text):
        module = "cpp"
    if not module:
        return None
    module, _, attribute = module.partition(":")
    rules: Language = getattr(import_module(f"{__name__}.{module}"), attribute or "LANGUAGE")
    return rules
