"""Plain text meant to be read: no markup, but the paths it names and the language it is written in."""

from waymeet.ingest.parse.markup import rst
from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.metadata.properties import about
from waymeet.ingest.parse.parsed import Parsed
from waymeet.ingest.parse.references.mentions import Mentioned

_MOST = 500_000
"""Characters that are looked through for paths."""


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Read a file without markup, unless its text shows that it has some."""
    if kind == "docs" and rst.looks_like_it(text):
        return rst.parse(path, text, kind, language)
    said = about({}, path, kind, language, text)
    mentioned = Mentioned(path)
    if kind == "docs":
        first, lines = 0, text[:_MOST].split("\n")
        for at, line in enumerate([*lines, ""]):
            if not line.strip():
                mentioned.in_text("\n".join(lines[first:at]), (), (), first + 1, "")
                first = at + 1
    return Parsed(
        title=stem(path),
        doc_type=said.doc_type,
        properties=said.properties,
        links=(*said.links, *mentioned.links),
    )
