"""Plain text, source code and everything else that is not understood any further."""

from waymeet.ingest.parse.metadata.guess_doc_type import guessed
from waymeet.ingest.parse.parsed import Parsed


def parse(path: str, _text: str, kind: str, language: str) -> Parsed:
    """Understand nothing but where the file lies.

    >>> parse("src/app.py", "", "code", "python").title
    'app'
    """
    return Parsed(title=stem(path), doc_type=guessed(path, kind, language))


def stem(path: str) -> str:
    """Name a file without its folders and its last ending.

    >>> stem("docs/setup.guide.md"), stem(".gitignore")
    ('setup.guide', '.gitignore')
    """
    name = path.rpartition("/")[2]
    before = name.rpartition(".")[0]
    return before if before.strip(".") else name
