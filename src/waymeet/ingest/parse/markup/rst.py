"""reStructuredText: titles, labels, roles, links and blocks of code, by their outward form.

Directives are read, never carried out: nothing is included, and nothing is run.
"""

import re
from typing import NamedTuple

from msgspec.structs import replace

from waymeet.analysis import path_key
from waymeet.ingest.filetypes import has_known_extension
from waymeet.ingest.parse.markup.code_blocks import Blocks
from waymeet.ingest.parse.markup.fallback import stem
from waymeet.ingest.parse.markup.markdown_outline import MOST_LINKS
from waymeet.ingest.parse.metadata.properties import about
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink
from waymeet.ingest.parse.references.anchors import Anchors, label_key, slug
from waymeet.ingest.parse.references.link_syntax import REFERENCES, inline
from waymeet.ingest.parse.references.mentions import Mention, Mentioned, quoted
from waymeet.ingest.parse.references.paths import above, below_root
from waymeet.ingest.parse.references.sentence import Rows, around

MOST_LABELS = 1_000
_DEEPEST = 6
_MARKS = "=-`:.'\"~^_*+#"
_RULE = re.compile(rf"([{re.escape(_MARKS)}])\1+\s*")
_FIELD = re.compile(r":(?P<key>[A-Za-z][\w -]*):(?:[ \t]+(?P<value>.*))?")
_LABEL = re.compile(r"\.\. _(?P<name>[^:`]+|`[^`]+`):[ \t]*(?P<target>\S.*)?")
_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. (?P<name>[\w:-]+)::(?:[ \t]+(?P<said>.*))?")
_CODE = frozenset({"code", "code-block", "sourcecode", "highlight"})
_TREE = frozenset({"toctree"})
_AUTO = re.compile(
    r"auto(?:module|class|function|method|attribute|exception|data)|(?:py|js|c|cpp):\w+|currentmodule|module"
)
_ROLE = re.compile(r"(?<![\w:`]):(?P<role>[\w:+-]{1,40}):`(?P<said>[^`\n]+(?:\n[^`\n]+)?)`")
_LINK = re.compile(r"(?<![\w:`])`(?P<text>[^`<>]+)<(?P<target>[^`<>]+)>`__?")
_LITERAL = re.compile(r"``(?P<said>[^`\n]+)``")
_SIGN = re.compile(r"^[ ]*\.\. (?:_[\w-]+:|[\w:-]+::)|:(?:ref|doc|class|func|meth|mod|attr|term):`", re.MULTILINE)
_SAMPLE = 20_000
_WITH_TARGET = re.compile(r"(?P<text>[^<>]+)<(?P<target>[^<>]+)>")
_SYMBOLS = frozenset("func function class meth method attr mod exc data const obj any type macro member".split())


class _Paragraph(NamedTuple):
    """Lines of prose without a blank one between them."""

    text: str
    line: int
    section: str


def looks_like_it(text: str) -> bool:
    r"""Tell whether a text without a telling name is reStructuredText.

    >>> looks_like_it("Title\n=====\n\n.. note::\n   See :ref:`x`."), looks_like_it("Title\n=====\n\ntext")
    (True, False)
    """
    return len(_SIGN.findall(text, 0, _SAMPLE)) > 1


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Read a reStructuredText file."""
    outline = _Outline(path, text.split("\n"))
    said = about(outline.fields, path, kind, language, text)
    named = [heading for heading in outline.headings if heading.text]
    return Parsed(
        title=said.title or (named[0].text if named else stem(path)),
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
    """Headings, labels, links and blocks, collected line by line."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.headings: list[Heading] = []
        self.links: list[RawLink] = []
        self.labels: dict[str, None] = {}
        self.unbroken: list[tuple[int, int]] = []
        self.fields: dict[str, str] = {}
        self.blocks = Blocks(path)
        self.mentioned = Mentioned(path, _plain)
        self._lines = lines
        self._path = path
        self._ending = f".{path.rpartition('.')[2]}" if path.lower().endswith((".rst", ".rest", ".txt")) else ".rst"
        self._anchors = Anchors()
        self._levels: list[str] = []
        self._section = ""
        self._given = ""
        """The label that stands right above what comes next."""
        self._read()

    def _read(self) -> None:
        """Go through the lines once; each step says how many it took."""
        at, start = 0, 0
        prose: list[str] = []
        while at < len(self._lines):
            took = self._title(at) or self._label(at) or self._directive(at) or self._field(at) or self._literal(at)
            blank = not self._lines[at].strip()
            if (took or blank) and prose:
                self._paragraph(_Paragraph("\n".join(prose), start + 1, self._section))
                prose = []
            if not took and not blank:
                start = start if prose else at
                prose.append(self._lines[at])
            at += max(took, 1)
        if prose:
            self._paragraph(_Paragraph("\n".join(prose), start + 1, self._section))

    def _line(self, at: int) -> str:
        return self._lines[at] if at < len(self._lines) else ""

    def _title(self, at: int) -> int:
        """Recognise a title by the rule under it, and over it if there is one."""
        over, text, under = self._line(at), self._line(at + 1), self._line(at + 2)
        if _RULE.fullmatch(over) and text.strip() and over.rstrip() == under.rstrip() and not _RULE.fullmatch(text):
            self._begin(text.strip(), over[0] * 2, at + 1)
            return 3
        if not over.strip() or over[0].isspace() or not _RULE.fullmatch(text) or _RULE.fullmatch(over):
            return 0
        if len(text.rstrip()) < min(len(over.rstrip()), 4):
            return 0
        self._begin(over.strip(), text[0], at + 1)
        return 2

    def _begin(self, text: str, style: str, line: int) -> None:
        """Begin a section; its level is the order in which its style first appears."""
        if style not in self._levels:
            self._levels.append(style)
        text = _plain(text)
        self._section = self._anchors.next(self._given or text)
        self._given = ""
        self.headings.append(Heading(min(self._levels.index(style) + 1, 6), text, self._section, line))

    def _label(self, at: int) -> int:
        found = _LABEL.match(self._lines[at])
        if not found:
            return 0
        name = found["name"].strip("`").strip()
        if not found["target"] and name:
            self._given = name
            self.labels[label_key(name)] = None
        return 1

    def _directive(self, at: int) -> int:
        """Take a directive with its indented body, unless that is prose like any other."""
        found = _DIRECTIVE.match(self._lines[at])
        if not found:
            return 0
        name, said = found["name"], (found["said"] or "").strip()
        if name in _CODE or name in _TREE:
            end = self._end_of_body(at + 1, len(found["indent"]))
            if name in _TREE:
                self._tree(at + 1, end)
            elif end > at + 1:
                self._code(said, at, end)
            return end - at
        if _AUTO.fullmatch(name) and (mention := _symbol(said.partition("(")[0], module=name.endswith("module"))):
            self.mentioned.add(mention, "", at + 1, self._section)
        return 1

    def _literal(self, at: int) -> int:
        """Take the indented block behind a paragraph that ends in two colons."""
        line = self._lines[at]
        if not line.rstrip().endswith("::") or line.lstrip().startswith(".. "):
            return 0
        if self._line(at + 1).strip():
            return 0
        indent = len(line) - len(line.lstrip())
        end = self._end_of_body(at + 1, indent)
        if end <= at + 2:
            return 0
        if line.strip() != "::":
            self._paragraph(_Paragraph(line, at + 1, self._section))
        self._code("", at, end)
        return end - at

    def _code(self, said: str, at: int, end: int) -> None:
        self.unbroken.append((at + 1, end))
        language = self.blocks.add(said, self._section, at + 1, end)
        code = "\n".join(line.strip() for line in self._lines[at + 1 : end])
        self.mentioned.in_code(language, code, at + 1, self._section)

    def _end_of_body(self, at: int, indent: int) -> int:
        """Find the line behind an indented body."""
        end = at
        while at < len(self._lines):
            line = self._lines[at]
            if line.strip():
                if len(line) - len(line.lstrip()) <= indent:
                    break
                end = at + 1
            at += 1
        return end

    def _field(self, at: int) -> int:
        """Take the fields above the first title, which are what front matter is elsewhere."""
        found = _FIELD.fullmatch(self._lines[at]) if not self.headings and not self.links else None
        if not found:
            return 0
        self.fields[found["key"].strip().replace(" ", "_")] = (found["value"] or "true").strip()
        return 1

    def _tree(self, at: int, end: int) -> None:
        for number in range(at, end):
            entry = self._lines[number].strip()
            if not entry or entry.startswith(":") or entry == "self":
                continue
            found = _WITH_TARGET.fullmatch(entry)
            self._refer(found["target"] if found else entry, found["text"].strip() if found else entry, "", number + 1)

    def _refer(self, target: str, text: str, sentence: str, line: int) -> None:
        meant = inline(target.strip(), "", embedded=False)
        if meant is None:
            return
        page = meant.target.rstrip("/")
        refs: tuple[str, ...] = ()
        if page.endswith("_"):
            return  # the name of an address that is given elsewhere
        if not has_known_extension(page):
            page += self._ending  # pages are named without it
        if page.startswith("/"):  # from where the documentation begins, which may be any folder above
            refs = tuple(path_key(place) for folder in above(self._path) if (place := below_root(folder, page)))
        self.links.append(
            RawLink(page, meant.anchor, REFERENCES, text, sentence, line, self._section, refs[-_DEEPEST:])
        )

    def _paragraph(self, prose: _Paragraph) -> None:
        """Take the links and mentions of a paragraph."""
        self._given = ""
        rows = Rows(prose.text, prose.line)
        linked: list[tuple[int, int]] = []
        spans = [
            (found.start("said"), found.end("said"), rows.line(found.start()))
            for found in _LITERAL.finditer(prose.text)
        ]
        for found in _LINK.finditer(prose.text):
            linked.append(found.span())
            sentence = _plain(around(prose.text, *found.span()))
            self._refer(found["target"], " ".join(found["text"].split()), sentence, rows.line(found.start()))
        for found in _ROLE.finditer(prose.text):
            linked.append(found.span())
            self._role(found, _plain(around(prose.text, *found.span())), rows.line(found.start()))
        self.mentioned.in_text(prose.text, spans, linked, prose.line, prose.section)

    def _role(self, found: re.Match[str], sentence: str, line: int) -> None:
        role, said = found["role"].rpartition(":")[2], " ".join(found["said"].split())
        inner = _WITH_TARGET.fullmatch(said)
        text, target = (inner["text"].strip(), inner["target"]) if inner else (said, said)
        if role == "doc":
            self._refer(target, text, sentence, line)
        elif role in {"ref", "numref"}:
            refs = (label_key(target),)
            self.links.append(RawLink("", slug(target), REFERENCES, text, sentence, line, self._section, refs))
        elif role in _SYMBOLS or role in {"file", "source"}:
            name = target.lstrip("~!.")
            file = role in {"file", "source"}
            mention = quoted(name, self._path) if file else _symbol(name, module=role == "mod")
            if mention:
                self.mentioned.add(mention, sentence, line, self._section)


def _symbol(name: str, *, module: bool = False) -> Mention | None:
    """Understand the name of a symbol or module that its role says is one."""
    name = name.strip().removesuffix("()")
    if not re.fullmatch(r"\w+(?:\.\w+)*", name):
        return None
    mention = quoted(name if module else f"{name}()", "")
    return replace(mention, text=name) if mention else None


def _plain(text: str) -> str:
    """Take the markup out of a line: roles, backticks, targets of links.

    >>> _plain("See :ref:`the guide <guide>` and ``Store.put`` in `x <y.rst>`_.")
    'See the guide and Store.put in x.'
    """
    text = re.sub(r":[\w:+-]+:`", "`", text)
    text = re.sub(r"`([^`<>]*)<[^`<>]*>`_{0,2}", lambda found: found[1].strip(), text)
    return " ".join(re.sub(r"`{1,2}([^`]*)`{1,2}_{0,2}", r"\1", text).split())
