"""Parser of AsciiDoc: titles, anchors, cross-references and code blocks, without includes."""

import re

from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.markup.outline import Outline
from waymeet.ingest.parse.metadata.properties import read_metadata
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.anchors import label_key, slug
from waymeet.ingest.parse.references.link_syntax import REFERENCES, parse_inline_link
from waymeet.ingest.parse.references.sentence import LineIndex, extract_sentence

_TITLE = re.compile(r"(?P<level>={1,6}|#{1,6})[ \t]+(?P<text>\S.*)")
_RULE = re.compile(r"([=\-~^+])\1{2,}")
_RULE_LEVELS = "=-~^+"
"""Rules below titles, in the order of their levels."""
_MAX_RULE_DIFFERENCE = 2
"""Difference between the lengths of a title and of the rule below it."""
_FIELD = re.compile(r":(?P<key>[A-Za-z][\w-]*):(?:[ \t]+(?P<value>.*))?")
_ANCHOR = re.compile(r"\[\[(?P<double>[\w:.-]+)(?:,[^\]]*)?\]\]|\[#(?P<hash>[\w:.-]+)[^\]]*\]")
_STYLE = re.compile(r"\[(?:source)?,\s*(?P<language>[\w+#-]+)[^\]]*\]|\[source[^\]]*\]")
_FENCE = re.compile(r"-{4,}|\.{4,}|`{3,}(?P<language>\w*)|\+{4,}|/{4,}")
_REFERENCE = re.compile(
    r"(?:xref|link):(?P<target>[^\s\[\]]{1,400})\[(?P<text>[^\]]{0,400})\]|<<(?P<inner>[^<>,\n]+)(?:,(?P<label>[^<>]*))?>>"
)
_SYNTAX = (
    (2, r"\b(?:link\w*|xref|include|image|ifdef|ifndef|endif):{1,2}[\w./-]*\[|<<[\w-]+(?:,[^<>]*)?>>"),
    (1, r"^\[\[[\w:.-]+\]\]$|^\[(?:verse|preface|horizontal|quote|source|listing|NOTE|TIP|WARNING)[^\]]*\]$"),
    (1, r"^\S.*::$"),
    (1, r"^(?:={1,6} \S|\+$|:[A-Za-z][\w-]*: \S)"),
    (1, r"^\w.*\n([=\-~^])\1{3,}$"),
)
"""Marks of AsciiDoc with their weights. Each may also occur in plain text."""
_MIN_WEIGHT = 3
_SAMPLE_CHARS = 20_000
_LITERAL = re.compile(r"(?<![\w`])`\+?(?P<code>[^`\n+]+)\+?`(?![\w`])")


def is_asciidoc(text: str) -> bool:
    r"""Check whether the text of a file without a known extension is AsciiDoc.

    >>> is_asciidoc("git-add(1)\n==========\n\n[verse]\n'git add'\n\n-n::\n\tSee linkgit:git-rm[1].\n")
    True
    >>> is_asciidoc("Title\n=====\n\ntext\n\nNote::\n\n    code\n")
    False
    """
    sample = text[:_SAMPLE_CHARS]
    return sum(weight for weight, pattern in _SYNTAX if re.search(pattern, sample, re.MULTILINE)) >= _MIN_WEIGHT


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Parse an AsciiDoc file."""
    outline = _AsciidocOutline(path, text.split("\n"))
    metadata = read_metadata(outline.fields, path, kind, language, text)
    return outline.to_parsed(metadata, outline.headings[0].text if outline.headings else stem(path))


class _AsciidocOutline(Outline):
    """Outline of an AsciiDoc file."""

    def __init__(self, path: str, lines: list[str]) -> None:
        super().__init__(path)
        self.fields: dict[str, str] = {}
        self._block_language = ""
        self._anchor = ""
        """Anchor in the line above."""
        prose: list[str] = []
        index = 0
        while index < len(lines):
            consumed = (
                self._parse_block(lines, index)
                or self._parse_two_line_title(lines, index)
                or self._parse_line(lines[index], index + 1)
            )
            if (consumed or not lines[index].strip()) and prose:
                self._parse_paragraph("\n".join(prose), index - len(prose) + 1)
                prose = []
            elif not consumed and lines[index].strip():
                prose.append(lines[index])
            index += max(consumed, 1)
        if prose:
            self._parse_paragraph("\n".join(prose), len(lines) - len(prose) + 1)

    def _parse_block(self, lines: list[str], index: int) -> int:
        """Parse a block between two equal fences, and return the number of lines."""
        fence = _FENCE.fullmatch(lines[index].rstrip())
        if not fence:
            return 0
        closing = lines[index].rstrip() if not fence["language"] else lines[index].rstrip()[: -len(fence["language"])]
        end = next((n for n in range(index + 1, len(lines)) if lines[n].rstrip() == closing), len(lines) - 1)
        self.unsplittable.append((index + 1, end + 1))
        if closing[0] in "-`":
            language = self.code_blocks.add(
                fence["language"] or self._block_language, self._section, index + 1, end + 1
            )
            self.mentions.add_code(language, "\n".join(lines[index + 1 : end]), index + 1, self._section)
        self._block_language = ""
        return end - index + 1

    def _parse_two_line_title(self, lines: list[str], index: int) -> int:
        """Parse a title with a rule of about its length below it, and return the number of lines."""
        text, above = lines[index].rstrip(), lines[index - 1].strip() if index else ""
        rule = _RULE.fullmatch(lines[index + 1].rstrip()) if index + 1 < len(lines) else None
        if rule is None or not text[:1].strip() or not any(map(str.isalnum, text)):
            return 0
        if abs(len(text) - len(rule[0])) > _MAX_RULE_DIFFERENCE or (above and not above.endswith("]")):
            return 0
        self._add_title(_RULE_LEVELS.index(rule[1]) + 1, text, index + 1)
        return 2

    def _add_title(self, level: int, text: str, number: int) -> None:
        self._section = self._anchors.next(self._anchor or text)
        self._anchor = ""
        self.headings.append(Heading(level, text, self._section, number))

    def _parse_line(self, line: str, number: int) -> int:
        """Parse a title, an anchor, a field or a block's language, and return the number of lines."""
        if title := _TITLE.fullmatch(line):
            text = title["text"].rstrip().rstrip("=").rstrip() or title["text"].strip()
            self._add_title(len(title["level"]), text, number)
        elif anchor := _ANCHOR.fullmatch(line.strip()):
            self._anchor = anchor["double"] or anchor["hash"]
            self.labels[label_key(self._anchor)] = None
        elif style := _STYLE.fullmatch(line.strip()):
            self._block_language = style["language"] or ""
        elif (field := _FIELD.fullmatch(line)) and len(self.headings) <= 1:
            self.fields.setdefault(field["key"], (field["value"] or "true").strip())
        else:
            return 0
        return 1

    def _parse_paragraph(self, text: str, first: int) -> None:
        self._anchor = ""
        lines = LineIndex(text, first)
        linked: list[tuple[int, int]] = []
        for match in _REFERENCE.finditer(text):
            linked.append(match.span())
            self._add_reference(match, text, lines.line(match.start()))
        spans = [
            (match.start("code"), match.end("code"), lines.line(match.start())) for match in _LITERAL.finditer(text)
        ]
        self.mentions.add_text(text, spans, linked, first, self._section)

    def _add_reference(self, match: re.Match[str], text: str, line: int) -> None:
        """Add a cross-reference. One without a page names an anchor of this or of another file."""
        target = match["target"] or match["inner"]
        label = (match["text"] or match["label"] or target).strip()
        sentence = extract_sentence(text, *match.span())
        if not target.startswith("#") and ("." in target or "/" in target):
            link = parse_inline_link(target, "", embedded=False)
            if link:
                self.links.append(RawLink(link.target, link.anchor, REFERENCES, label, sentence, line, self._section))
            return
        name = slug(target.lstrip("#"))
        self.links.append(RawLink("", name, REFERENCES, label, sentence, line, self._section, (label_key(name),)))
