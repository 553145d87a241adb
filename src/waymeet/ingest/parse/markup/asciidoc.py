"""AsciiDoc: titles, anchors, cross-references and blocks of code, by their outward form. Nothing is included."""

import re

from waymeet.ingest.parse.markup.code_blocks import Blocks
from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.markup.markdown_outline import MOST_LINKS
from waymeet.ingest.parse.metadata.properties import about
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.anchors import Anchors, label_key, slug
from waymeet.ingest.parse.references.link_syntax import REFERENCES, inline
from waymeet.ingest.parse.references.mentions import Mentioned
from waymeet.ingest.parse.references.sentence import Rows, around

MOST_LABELS = 1_000
_TITLE = re.compile(r"(?P<level>={1,6}|#{1,6})[ \t]+(?P<text>\S.*)")
_FIELD = re.compile(r":(?P<key>[A-Za-z][\w-]*):(?:[ \t]+(?P<value>.*))?")
_ANCHOR = re.compile(r"\[\[(?P<double>[\w:.-]+)(?:,[^\]]*)?\]\]|\[#(?P<hash>[\w:.-]+)[^\]]*\]")
_STYLE = re.compile(r"\[(?:source)?,\s*(?P<language>[\w+#-]+)[^\]]*\]|\[source[^\]]*\]")
_FENCE = re.compile(r"-{4,}|\.{4,}|`{3,}(?P<language>\w*)|\+{4,}|/{4,}")
_REFERENCE = re.compile(
    r"(?:xref|link):(?P<target>[^\s\[\]]{1,400})\[(?P<text>[^\]]{0,400})\]|<<(?P<inner>[^<>,\n]+)(?:,(?P<label>[^<>]*))?>>"
)
_LITERAL = re.compile(r"(?<![\w`])`\+?(?P<said>[^`\n+]+)\+?`(?![\w`])")


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Read an AsciiDoc file."""
    outline = _Outline(path, text.split("\n"))
    said = about(outline.fields, path, kind, language, text)
    return Parsed(
        title=said.title or (outline.headings[0].text if outline.headings else stem(path)),
        doc_type=said.doc_type,
        tags=said.tags,
        aliases=said.aliases,
        triggers=said.triggers,
        properties=said.properties,
        headings=tuple(outline.headings),
        unsplittable=tuple(outline.unbroken),
        links=(*said.links, *outline.links[:MOST_LINKS], *outline.blocks.links, *outline.mentioned.links),
        symbols=tuple(outline.blocks.symbols),
        keys=tuple(outline.labels)[:MOST_LABELS],
    )


class _Outline:
    """What stands in the lines, collected in one pass."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.headings: list[Heading] = []
        self.links: list[RawLink] = []
        self.labels: dict[str, None] = {}
        self.unbroken: list[tuple[int, int]] = []
        self.fields: dict[str, str] = {}
        self.blocks = Blocks(path)
        self.mentioned = Mentioned(path)
        self._anchors = Anchors()
        self._section = ""
        self._language = ""
        self._given = ""
        prose: list[str] = []
        at = 0
        while at < len(lines):
            took = self._block(lines, at) or self._single(lines[at], at + 1)
            if (took or not lines[at].strip()) and prose:
                self._paragraph("\n".join(prose), at - len(prose) + 1)
                prose = []
            elif not took and lines[at].strip():
                prose.append(lines[at])
            at += max(took, 1)
        if prose:
            self._paragraph("\n".join(prose), len(lines) - len(prose) + 1)

    def _block(self, lines: list[str], at: int) -> int:
        """Take a block from its fence to the next of the same form."""
        fence = _FENCE.fullmatch(lines[at].rstrip())
        if not fence:
            return 0
        closing = lines[at].rstrip() if not fence["language"] else lines[at].rstrip()[: -len(fence["language"])]
        end = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == closing), len(lines) - 1)
        self.unbroken.append((at + 1, end + 1))
        if closing[0] in "-`":
            language = self.blocks.add(fence["language"] or self._language, self._section, at + 1, end + 1)
            self.mentioned.in_code(language, "\n".join(lines[at + 1 : end]), at + 1, self._section)
        self._language = ""
        return end - at + 1

    def _single(self, line: str, number: int) -> int:
        """Take a line that means something by itself: a title, an anchor, a field, the language of a block."""
        if title := _TITLE.fullmatch(line):
            text = title["text"].rstrip().rstrip("=").rstrip() or title["text"].strip()
            self._section = self._anchors.next(self._given or text)
            self._given = ""
            self.headings.append(Heading(len(title["level"]), text, self._section, number))
        elif anchor := _ANCHOR.fullmatch(line.strip()):
            self._given = anchor["double"] or anchor["hash"]
            self.labels[label_key(self._given)] = None
        elif style := _STYLE.fullmatch(line.strip()):
            self._language = style["language"] or ""
        elif (field := _FIELD.fullmatch(line)) and len(self.headings) <= 1:
            self.fields.setdefault(field["key"], (field["value"] or "true").strip())
        else:
            return 0
        return 1

    def _paragraph(self, text: str, first: int) -> None:
        self._given = ""
        rows = Rows(text, first)
        linked: list[tuple[int, int]] = []
        for found in _REFERENCE.finditer(text):
            linked.append(found.span())
            self._refer(found, text, rows.line(found.start()))
        spans = [
            (found.start("said"), found.end("said"), rows.line(found.start())) for found in _LITERAL.finditer(text)
        ]
        self.mentioned.in_text(text, spans, linked, first, self._section)

    def _refer(self, found: re.Match[str], text: str, line: int) -> None:
        """Take a cross-reference; one without a page names an anchor, of this file or of another."""
        target = found["target"] or found["inner"]
        shown = (found["text"] or found["label"] or target).strip()
        sentence = around(text, *found.span())
        if not target.startswith("#") and ("." in target or "/" in target):
            meant = inline(target, "", embedded=False)
            if meant:
                self.links.append(RawLink(meant.target, meant.anchor, REFERENCES, shown, sentence, line, self._section))
            return
        name = slug(target.lstrip("#"))
        self.links.append(RawLink("", name, REFERENCES, shown, sentence, line, self._section, (label_key(name),)))
