"""Outline of a document, which the parsers of all markup languages fill."""

from collections.abc import Callable, Iterable

from waymeet.ingest.parse.markup.code_blocks import CodeBlocks
from waymeet.ingest.parse.metadata.properties import DocumentMetadata
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.anchors import Anchors
from waymeet.ingest.parse.references.mentions import MentionCollector

MAX_LINKS = 5_000
"""Links that are kept of one file. A file with more is generated, or made to exhaust memory."""
_MAX_LABELS = 1_000
_MAX_DOCUMENTED = 3_000


class Outline:
    """Headings, links, labels, code blocks and mentions of one document, collected in one pass."""

    def __init__(self, path: str, strip_markup: Callable[[str], str] = str) -> None:
        self.headings: list[Heading] = []
        self.links: list[RawLink] = []
        self.labels: dict[str, None] = {}
        """Keys of labels, as an ordered set."""
        self.documented: dict[str, None] = {}
        """Keys of names that directives describe, as an ordered set."""
        self.unsplittable: list[tuple[int, int]] = []
        self.code_blocks = CodeBlocks(path)
        self.mentions = MentionCollector(path, strip_markup)
        self._anchors = Anchors()
        self._section = ""
        """Anchor of the current section."""

    def to_parsed(
        self, metadata: DocumentMetadata, title: str, *, body_line: int = 1, warnings: Iterable[str] = ()
    ) -> Parsed:
        """Combine the outline with the metadata of the document, whose title takes precedence."""
        return Parsed(
            title=metadata.title or title,
            doc_type=metadata.doc_type,
            tags=metadata.tags,
            aliases=metadata.aliases,
            triggers=metadata.triggers,
            properties=metadata.properties,
            headings=tuple(self.headings),
            unsplittable=tuple(self.unsplittable),
            body_line=body_line,
            links=(*metadata.links, *self.links[:MAX_LINKS], *self.code_blocks.links, *self.mentions.links),
            symbols=tuple(self.code_blocks.symbols),
            keys=(*tuple(self.labels)[:_MAX_LABELS], *tuple(self.documented)[:_MAX_DOCUMENTED]),
            warnings=tuple(warnings),
        )
