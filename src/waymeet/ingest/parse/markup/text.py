"""Parser of plain text documents: mentioned paths and the language."""

from waymeet.ingest.parse.markup import asciidoc, rst
from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.metadata.properties import read_metadata
from waymeet.ingest.parse.parsed import Parsed
from waymeet.ingest.parse.references.mentions import MentionCollector

_MAX_CHARS = 500_000
"""Only so many characters are searched for paths."""


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Parse a file as the markup that its text looks like, else as plain text."""
    if kind == "docs" and rst.is_rst(text):
        return rst.parse(path, text, kind, language)
    if kind == "docs" and asciidoc.is_asciidoc(text):
        return asciidoc.parse(path, text, kind, language)
    metadata = read_metadata({}, path, kind, language, text)
    mentions = MentionCollector(path)
    if kind == "docs":
        first, lines = 0, text[:_MAX_CHARS].split("\n")
        for index, line in enumerate([*lines, ""]):
            if not line.strip():
                mentions.add_text("\n".join(lines[first:index]), (), (), first + 1, "")
                first = index + 1
    return Parsed(
        title=stem(path),
        doc_type=metadata.doc_type,
        properties=metadata.properties,
        links=(*metadata.links, *mentions.links),
    )
