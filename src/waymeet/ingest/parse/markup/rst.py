"""Parser of reStructuredText: titles, labels, roles, links and code blocks.

Directives are parsed, never executed: nothing is included, and nothing is run.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import path_key
from waymeet.analysis.identifiers import documented_names
from waymeet.analysis.keys import documented_key, name_endings
from waymeet.ingest.filetypes import has_known_extension
from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.markup.outline import Outline
from waymeet.ingest.parse.metadata.properties import read_metadata
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.anchors import label_key, slug
from waymeet.ingest.parse.references.link_syntax import REFERENCES, parse_inline_link
from waymeet.ingest.parse.references.mentions import Mention, parse_code_span
from waymeet.ingest.parse.references.paths import join_below_root, parent_folders
from waymeet.ingest.parse.references.sentence import LineIndex, extract_sentence

_MAX_REFS = 6
"""Folders from the root down in which a page given by an absolute path is looked for."""
_MAX_LEVEL = 6
_MARKS = "=-`:.'\"~^_*+#"
_RULE = re.compile(rf"([{re.escape(_MARKS)}])\1+\s*")
_FIELD = re.compile(r":(?P<key>[A-Za-z][\w -]*):(?:[ \t]+(?P<value>.*))?")
_LABEL = re.compile(r"\.\. _(?P<name>[^:`]+|`[^`]+`):[ \t]*(?P<target>\S.*)?")
_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. (?P<name>[\w:-]+)::(?:[ \t]+(?P<text>.*))?")
_CODE = frozenset({"code", "code-block", "sourcecode", "highlight"})
_TOCTREE = frozenset({"toctree"})
_AUTODOC = re.compile(
    r"auto(?:module|class|function|method|attribute|exception|data)|(?:py|js|c|cpp):\w+|currentmodule|module"
)
_ROLE = re.compile(r"(?<![\w:`]):(?P<role>[\w:+-]{1,40}):`(?P<text>[^`\n]+(?:\n[^`\n]+)?)`")
_LINK = re.compile(r"(?<![\w:`])`(?P<label>[^`<>]+)<(?P<target>[^`<>]+)>`__?")
_LITERAL = re.compile(r"``(?P<text>[^`\n]+)``")
_RST_SYNTAX = re.compile(r"^[ ]*\.\. (?:_[\w-]+:|[\w:-]+::)|:(?:ref|doc|class|func|meth|mod|attr|term):`", re.MULTILINE)
_SAMPLE_CHARS = 20_000
_WITH_TARGET = re.compile(r"(?P<label>[^<>]+)<(?P<target>[^<>]+)>")
_DOTTED = re.compile(r"\w+(?:\.\w+)*")
_ROLE_START = re.compile(r":[\w:+-]+:`")
_LINK_TEXT = re.compile(r"`([^`<>]*)<[^`<>]*>`_{0,2}")
_QUOTED = re.compile(r"`{1,2}([^`]*)`{1,2}_{0,2}")
_SYMBOL_ROLES = frozenset("func function class meth method attr mod exc data const obj any type macro member".split())


class _Paragraph(NamedTuple):
    """A paragraph of prose."""

    text: str
    line: int
    section: str


def is_rst(text: str) -> bool:
    r"""Check whether the text of a file without a known extension is reStructuredText.

    >>> is_rst("Title\n=====\n\n.. note::\n   See :ref:`x`."), is_rst("Title\n=====\n\ntext")
    (True, False)
    """
    return len(_RST_SYNTAX.findall(text, 0, _SAMPLE_CHARS)) > 1


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Parse a reStructuredText file."""
    outline = _RstOutline(path, text.split("\n"))
    metadata = read_metadata(outline.fields, path, kind, language, text)
    return outline.to_parsed(metadata, next((each.text for each in outline.headings if each.text), stem(path)))


class _RstOutline(Outline):
    """Outline of a reStructuredText file."""

    def __init__(self, path: str, lines: list[str]) -> None:
        super().__init__(path, _strip_markup)
        self.fields: dict[str, str] = {}
        self._lines = lines
        self._path = path
        self._extension = f".{path.rpartition('.')[2]}" if path.lower().endswith((".rst", ".rest", ".txt")) else ".rst"
        self._title_styles: list[str] = []
        """Rules of titles in the order of their first use, which is that of their levels."""
        self._label = ""
        """Label in the line above."""
        names = (name for _, name in documented_names(lines))
        self.documented = {documented_key(ending): None for name in names for ending in name_endings(name)}
        self._parse_lines()

    def _parse_lines(self) -> None:
        """Parse all lines once. Each parsing method returns how many lines it consumed."""
        index, start = 0, 0
        prose: list[str] = []
        while index < len(self._lines):
            consumed = (
                self._parse_title(index)
                or self._parse_label(index)
                or self._parse_directive(index)
                or self._parse_field(index)
                or self._parse_literal(index)
            )
            is_blank = not self._lines[index].strip()
            if (consumed or is_blank) and prose:
                self._parse_paragraph(_Paragraph("\n".join(prose), start + 1, self._section))
                prose = []
            if not consumed and not is_blank:
                start = start if prose else index
                prose.append(self._lines[index])
            index += max(consumed, 1)
        if prose:
            self._parse_paragraph(_Paragraph("\n".join(prose), start + 1, self._section))

    def _line(self, index: int) -> str:
        return self._lines[index] if index < len(self._lines) else ""

    def _parse_title(self, index: int) -> int:
        """Parse a title with a rule below it, or above and below it."""
        over, text = self._line(index), self._line(index + 1)
        if over[:1] not in _MARKS and text[:1] not in _MARKS:  # most lines
            return 0
        under = self._line(index + 2)
        if _RULE.fullmatch(over) and text.strip() and over.rstrip() == under.rstrip() and not _RULE.fullmatch(text):
            self._begin_section(text.strip(), over[0] * 2, index + 1)
            return 3
        if not over.strip() or over[0].isspace() or not _RULE.fullmatch(text) or _RULE.fullmatch(over):
            return 0
        if len(text.rstrip()) < min(len(over.rstrip()), 4):
            return 0
        self._begin_section(over.strip(), text[0], index + 1)
        return 2

    def _begin_section(self, text: str, style: str, line: int) -> None:
        """Begin a section, with the level of its title style."""
        if style not in self._title_styles:
            self._title_styles.append(style)
        text = _strip_markup(text)
        self._section = self._anchors.next(self._label or text)
        self._label = ""
        level = min(self._title_styles.index(style) + 1, _MAX_LEVEL)
        self.headings.append(Heading(level, text, self._section, line, self._count_label_lines(line)))

    def _count_label_lines(self, line: int) -> int:
        """Count the lines from the first label directly above a title to the title."""
        lines = 0
        for distance in range(1, line):
            above = self._lines[line - 1 - distance]
            match = _LABEL.match(above) if above.startswith(".. _") else None
            if match and not match["target"]:
                lines = distance
            elif above.strip():
                break
        return lines

    def _parse_label(self, index: int) -> int:
        line = self._lines[index]
        match = _LABEL.match(line) if line.startswith(".. _") else None
        if not match:
            return 0
        name = match["name"].strip("`").strip()
        if not match["target"] and name:
            self._label = name
            self.labels[label_key(name)] = None
        return 1

    def _parse_directive(self, index: int) -> int:
        """Parse a directive with its body if that is code or a table of contents, not prose."""
        line = self._lines[index]
        match = _DIRECTIVE.match(line) if "::" in line else None
        if not match:
            return 0
        name, argument = match["name"], (match["text"] or "").strip()
        if name in _CODE or name in _TOCTREE:
            end = self._find_body_end(index + 1, len(match["indent"]))
            if name in _TOCTREE:
                self._add_toctree(index + 1, end)
            elif end > index + 1:
                self._add_code(argument, index, end)
            return end - index
        is_module = name.endswith("module")
        if _AUTODOC.fullmatch(name) and (mention := _parse_symbol(argument.partition("(")[0], is_module=is_module)):
            self.mentions.add(mention, "", index + 1, self._section)
        return 1

    def _parse_literal(self, index: int) -> int:
        """Parse the indented block after a line that ends in two colons."""
        line = self._lines[index]
        if not line.rstrip().endswith("::") or line.lstrip().startswith(".. "):
            return 0
        if self._line(index + 1).strip():
            return 0
        indent = len(line) - len(line.lstrip())
        end = self._find_body_end(index + 1, indent)
        if end <= index + 2:
            return 0
        if line.strip() != "::":
            self._parse_paragraph(_Paragraph(line, index + 1, self._section))
        self._add_code("", index, end)
        return end - index

    def _add_code(self, language_name: str, index: int, end: int) -> None:
        self.unsplittable.append((index + 1, end))
        language = self.code_blocks.add(language_name, self._section, index + 1, end)
        code = "\n".join(line.strip() for line in self._lines[index + 1 : end])
        self.mentions.add_code(language, code, index + 1, self._section)

    def _find_body_end(self, index: int, indent: int) -> int:
        """Find the line after an indented body."""
        end = index
        while index < len(self._lines):
            line = self._lines[index]
            if line.strip():
                if len(line) - len(line.lstrip()) <= indent:
                    break
                end = index + 1
            index += 1
        return end

    def _parse_field(self, index: int) -> int:
        """Parse a field above the first title, which serves as front matter."""
        match = _FIELD.fullmatch(self._lines[index]) if not self.headings and not self.links else None
        if not match:
            return 0
        self.fields[match["key"].strip().replace(" ", "_")] = (match["value"] or "true").strip()
        return 1

    def _add_toctree(self, index: int, end: int) -> None:
        for number in range(index, end):
            entry = self._lines[number].strip()
            if not entry or entry.startswith(":") or entry == "self":
                continue
            match = _WITH_TARGET.fullmatch(entry)
            target, label = (match["target"], match["label"].strip()) if match else (entry, entry)
            self._add_reference(target, label, "", number + 1)

    def _add_reference(self, target: str, text: str, sentence: str, line: int) -> None:
        link = parse_inline_link(target.strip(), "", embedded=False)
        if link is None:
            return
        page = link.target.rstrip("/")
        refs: tuple[str, ...] = ()
        if page.endswith("_"):
            return  # the name of a link target that is defined elsewhere
        if not has_known_extension(page):
            page += self._extension  # pages are named without it
        if page.startswith("/"):  # relative to the root of the documentation, which may be any folder above
            folders = parent_folders(self._path)
            refs = tuple(path_key(path) for folder in folders if (path := join_below_root(folder, page)))
        refs = refs[-_MAX_REFS:]
        self.links.append(RawLink(page, link.anchor, REFERENCES, text, sentence, line, self._section, refs))

    def _parse_paragraph(self, prose: _Paragraph) -> None:
        """Add the links and mentions of a paragraph."""
        self._label = ""
        if "`" not in prose.text:
            self.mentions.add_text(prose.text, (), (), prose.line, prose.section)
            return
        lines = LineIndex(prose.text, prose.line)
        linked: list[tuple[int, int]] = []
        spans = [
            (match.start("text"), match.end("text"), lines.line(match.start()))
            for match in _LITERAL.finditer(prose.text)
        ]
        for match in _LINK.finditer(prose.text):
            linked.append(match.span())
            sentence = _strip_markup(extract_sentence(prose.text, *match.span()))
            label = " ".join(match["label"].split())
            self._add_reference(match["target"], label, sentence, lines.line(match.start()))
        for match in _ROLE.finditer(prose.text):
            linked.append(match.span())
            sentence = _strip_markup(extract_sentence(prose.text, *match.span()))
            self._add_role(match, sentence, lines.line(match.start()))
        self.mentions.add_text(prose.text, spans, linked, prose.line, prose.section)

    def _add_role(self, match: re.Match[str], sentence: str, line: int) -> None:
        role, text = match["role"].rpartition(":")[2], " ".join(match["text"].split())
        inner = _WITH_TARGET.fullmatch(text)
        label, target = (inner["label"].strip(), inner["target"]) if inner else (text, text)
        if role == "doc":
            self._add_reference(target, label, sentence, line)
        elif role in {"ref", "numref"}:
            refs = (label_key(target),)
            self.links.append(RawLink("", slug(target), REFERENCES, label, sentence, line, self._section, refs))
        elif role in _SYMBOL_ROLES or role in {"file", "source"}:
            name = target.lstrip("~!.")
            is_file = role in {"file", "source"}
            mention = parse_code_span(name, self._path) if is_file else _parse_symbol(name, is_module=role == "mod")
            if mention:
                self.mentions.add(mention, sentence, line, self._section)


@lru_cache(maxsize=2_000)
def _parse_symbol(name: str, *, is_module: bool = False) -> Mention | None:
    """Parse the name of a symbol or module in a role or directive."""
    name = name.strip().removesuffix("()")
    if not _DOTTED.fullmatch(name):
        return None
    mention = parse_code_span(name if is_module else f"{name}()", "")
    return replace(mention, text=name) if mention else None


@lru_cache(maxsize=200)  # a sentence may have many links
def _strip_markup(text: str) -> str:
    """Remove the markup of a line: roles, backticks, targets of links.

    >>> _strip_markup("See :ref:`the guide <guide>` and ``Store.put`` in `x <y.rst>`_.")
    'See the guide and Store.put in x.'
    """
    if "`" in text:
        text = _ROLE_START.sub("`", text)
        text = _LINK_TEXT.sub(lambda match: match[1].strip(), text)
        text = _QUOTED.sub(r"\1", text)
    return " ".join(text.split())
