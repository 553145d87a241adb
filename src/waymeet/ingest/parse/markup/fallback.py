"""Parser of files without a parser of their own: title and document type from the path."""

from waymeet.ingest.parse.metadata.guess_doc_type import guess_doc_type
from waymeet.ingest.parse.parsed import Parsed


def parse(path: str, _text: str, kind: str, language: str) -> Parsed:
    """Parse only the path of a file.

    >>> parse("src/app.py", "", "code", "python").title
    'app'
    """
    return Parsed(title=stem(path), doc_type=guess_doc_type(path, kind, language))


def stem(path: str) -> str:
    """Return the name of a file without its folders and its last extension.

    >>> stem("docs/setup.guide.md"), stem(".gitignore")
    ('setup.guide', '.gitignore')
    """
    name = path.rpartition("/")[2]
    before = name.rpartition(".")[0]
    return before if before.strip(".") else name
