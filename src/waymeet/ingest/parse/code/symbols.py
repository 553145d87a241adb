"""From what a query marked to what a file defines: one pass over the marks in the order of the text."""

import re
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.ingest.parse.code.language import CALLABLE, CLASSLIKE, KINDS, Language, Seen
from waymeet.ingest.parse.code.node_text import head, plain_name, type_name, word, written
from waymeet.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node


LONGEST_DOC = 500
_LONGEST_COMMENT = 4_000
_MARKS = re.compile(
    r"^\s*(?:/\*\*?!?|\*+/|\*(?!\S*\*)|///?!?|#(?!\w)|--)\s?|\*+/\s*$|^\s*[rRbBuUfF]{0,2}(?:\"{3}|'{3}|\"|')",
    re.MULTILINE,
)
_CLOSING = re.compile(r"(?:\"{3}|'{3}|\"|')\s*$")
_TAGS = re.compile(r"</?[a-zA-Z][^<>]*>")
_FIELDS = re.compile(r"^\s*[@\\][a-z]\w*\b", re.MULTILINE)
_NO_DOC = re.compile(r"^\s*(?:#!|#\s*(?:-\*-|noqa|type:|pylint|frozen_string)|//\s*(?:eslint|@ts-|nolint|go:))")


class Comments:
    """The comments of a file that have lines to themselves, ready to be asked for by the line below them."""

    def __init__(self, found: "list[dict[str, list[Node]]]", text: bytes) -> None:
        self._ending: dict[int, tuple[int, Node | None]] = {}
        for captured in found:
            for what in ("comment", "attribute"):
                for node in captured.get(what, ()):
                    start, end = node.start_point, node.end_point
                    line = text.rfind(b"\n", 0, node.start_byte) + 1
                    if not text[line : node.start_byte].strip():
                        # A comment may take the line's end with it.
                        last = end.row - (end.column == 0 and end.row > start.row)
                        self._ending[last] = (start.row, node if what == "comment" else None)

    def before(self, row: int) -> tuple[int, str]:
        """Say at which row the comment before a row begins (that row itself if there is none), and what it says."""
        said: list[str] = []
        length = 0
        while (above := self._ending.pop(row - 1, None)) is not None:
            row, node = above
            text = (node.text or b"").decode("utf-8", "replace") if node and length < _LONGEST_COMMENT else ""
            length += len(text)
            if not _NO_DOC.match(text):
                said.append(text)
        return row, documented("\n".join(reversed(said)))


def documented(text: str) -> str:
    r'''Give the first paragraph of a comment, without what makes it one.

    >>> documented('/**\n * Adds up.\n * All of it.\n *\n * @param a one\n */')
    'Adds up. All of it.'
    >>> documented('"""Say hello.\n\n    Loudly."""'), documented('/// <summary>Says.</summary>'), documented('# Says.')
    ('Say hello.', 'Says.', 'Says.')
    '''
    text = text[:_LONGEST_COMMENT]
    plain = _CLOSING.sub("", _MARKS.sub("", text).strip()) if text else ""
    plain = _FIELDS.split(_TAGS.sub(" ", plain), maxsplit=1)[0].strip()
    paragraph = re.split(r"\n\s*\n", plain, maxsplit=1)[0]
    said = " ".join(paragraph.split())
    return said if len(said) <= LONGEST_DOC else said[: LONGEST_DOC - 1] + "…"


MOST_SYMBOLS = 5_000
"""Symbols that are kept of one file. One with more is generated."""
_SCOPES = frozenset({"scope", "namespace"})
_REGIONS = KINDS | _SCOPES | {"outer", "local"}
_CALLS = frozenset({"call", "make", "bare"})
_BASES = ("extends", "implements", "inherits")
_ORDER = {"package": 0, "import": 0, "outer": 1, "class": 4, "type": 5, "constant": 6}
"""Which of several marks on the same text counts first: what says more about it."""


class Region(NamedTuple):
    """Something that is open while its inside is read."""

    end: int
    name: str
    """The qualified name that its members begin with."""
    kind: str
    symbol: str
    """The innermost symbol at this place."""
    owner: str
    """The innermost class or the like at this place."""


class Call(NamedTuple):
    """Something that is called."""

    symbol: str
    owner: str
    name: str
    on: str
    line: int
    how: str
    """`call`, `make` for a type that an object is made of, or `bare` for what may be a variable as well."""


class Base(NamedTuple):
    """Something that a class or the like builds upon."""

    symbol: str
    name: str
    relation: str
    """`extends`, `implements` or, where the text does not tell, `inherits`."""
    line: int


class Outline:
    """What a file defines, and what it says of other files."""

    def __init__(self, language: Language, found: "list[dict[str, list[Node]]]", text: bytes) -> None:
        self.symbols: dict[str, Symbol] = {}
        self.parents: dict[str, str] = {}
        """For each symbol, the one it is a member of; empty at the top of the file."""
        self.imports: list[tuple[Node, int]] = []
        self.calls: list[Call] = []
        self.bases: list[Base] = []
        self.types: dict[tuple[str, str], str] = {}
        """The types of variables, by the symbol that they belong to and their name."""
        self.locals: set[tuple[str, str]] = set()
        """Names that are defined inside of a symbol and known only there."""
        self.declared: set[str] = set()
        """Symbols whose definition is elsewhere."""
        self.package = ""
        self.too_many = False
        self._language = language
        self._text = text
        self._comments = Comments(found, text)
        self._open = [Region(len(text) + 1, "", "", "", "")]
        self._outer: Node | None = None
        self._seen: set[int] = set()
        self._times: dict[str, int] = {}
        for what, node, captured in _marks(found):
            self._read(what, node, captured)
        del self._text, self._comments, self._outer, self._open

    def _read(self, what: str, node: "Node", captured: "dict[str, list[Node]]") -> None:
        start = node.start_byte
        while self._open[-1].end <= start:
            self._open.pop()
        here = self._open[-1]
        line = node.start_point.row + 1
        if what in _REGIONS:
            self._enter(what, node, captured)
        elif what in _CALLS:
            on = word(captured["on"][0]) if "on" in captured else ""
            self.calls.append(Call(here.symbol, here.owner, word(node), on, line, what))
        elif what == "import":
            self.imports.append((node, line))
            self._seen.add(node.id)
        elif what == "var":
            self._type(here, plain_name(word(node)), type_name(word(captured["type"][0])))
        elif what in _BASES:
            owner = plain_name(word(captured["owner"][0])) if "owner" in captured else here.owner
            self.bases.append(Base(owner, plain_name(word(node)), what, line))
        elif what == "package":
            self.package = ".".join(filter(None, (self.package, plain_name(word(node)))))
        elif what == "doc":
            self._document(here, written(node))

    def _type(self, here: Region, name: str, kind: str) -> None:
        """Remember the type of a variable; one of the object (`self.x`) belongs to its class.

        What is assigned may be a variable, whose type is known already.
        """
        kind = self.types.get((here.symbol, kind), kind)
        on, _, last = name.rpartition(".")
        fields = here.kind in {"constructor", "property", "constant"}  # what one is given mostly becomes a field
        if not on:
            self.types.setdefault((here.symbol, last), kind)
        if on in self._language.selves or (not on and fields):
            self.types.setdefault((here.owner, last), kind)

    def _document(self, here: Region, text: str) -> None:
        symbol = self.symbols.get(here.symbol)
        if symbol and here.name == here.symbol and not symbol.doc:
            self.symbols[here.symbol] = replace(symbol, doc=documented(text))

    def _enter(self, what: str, node: "Node", captured: "dict[str, list[Node]]") -> None:
        here = self._open[-1]
        if what == "outer":
            self._outer = node
            return
        named = captured.get("name")
        if what == "local" or not named:
            self._open.append(Region(node.end_byte, "", "local", here.symbol, here.owner))
            return
        if named[0].id in self._seen or node.id in self._seen:
            return  # two patterns mean the same: the wider one counts; what is imported is not defined here
        self._seen.add(named[0].id)
        simple = plain_name(word(named[0]))
        if here.kind in CALLABLE or here.kind == "local":
            self.locals.add((here.symbol, simple))
            self._open.append(Region(node.end_byte, "", "local", here.symbol, here.owner))
            return
        owner = plain_name(word(captured["owner"][0])) if "owner" in captured else ""
        name = ".".join(filter(None, (here.name, owner, simple)))
        if what in _SCOPES:
            inside = name if name in self.symbols else here.symbol
            owner = name if what == "scope" else here.owner
            self._open.append(Region(node.end_byte, name, what, inside, owner))
        elif what == "constant" and name in self.symbols:
            return  # given another value, it still is the same
        elif simple and len(self.symbols) < MOST_SYMBOLS:
            self._define(what, simple, name, node, captured)
        else:
            self.too_many = self.too_many or bool(simple)

    def _define(self, kind: str, simple: str, name: str, node: "Node", captured: "dict[str, list[Node]]") -> None:
        """Add a symbol, and read on inside of it."""
        here, language = self._open[-1], self._language
        prefix = name.rpartition(".")[0]
        parent = prefix if prefix in self.symbols else here.symbol
        inside = self.symbols[parent].kind if parent else "class" if "owner" in captured or here.kind == "scope" else ""
        if kind == "function" and inside in CLASSLIKE and (inside != "module" or self._methods_in_modules()):
            kind = "method"
        if kind == "method" and not inside:
            kind = "function"
        if kind == "method" and (simple in language.constructors or simple == prefix.rpartition(".")[2]):
            kind = "constructor"
        outer = self._outer if self._outer and self._outer.end_byte >= node.end_byte else None
        self._outer = None
        whole = outer or node
        end = (whole if whole.end_point.row <= node.end_point.row + 1 else node).end_point  # it may define more
        signature = head(node, captured, self._text)
        first, doc = self._comments.before(whole.start_point.row)
        seen = Seen(simple, kind, signature, outer.type if outer else "", inside)
        last = end.row + (end.column > 0 or end.row == whole.start_point.row)
        new = Symbol(name, kind, first + 1, max(last, first + 1), signature, doc, exported=language.exported(seen))
        unique = self._added(new, parent)
        if "declared" in captured:
            self.declared.add(unique)
        owner = unique if kind in CLASSLIKE else prefix if "owner" in captured else here.owner
        self._open.append(Region(node.end_byte, name, kind, unique, owner))

    def _added(self, new: Symbol, parent: str) -> str:
        """Keep a symbol under a name of its own. What was declared in the lines before is defined by it."""
        name = new.name
        old = self.symbols.get(name)
        if old and name in self.declared and old.end + 2 >= new.start and self.parents[name] == parent:
            self.declared.discard(name)
            self.symbols[name] = replace(new, start=old.start, doc=old.doc or new.doc, exported=old.exported)
            return name
        self._times[name] = number = self._times.get(name, 0) + 1
        if number > 1:
            name = f"{name}~{number}"
        self.symbols[name] = replace(new, name=name)
        self.parents[name] = parent
        return name

    def _methods_in_modules(self) -> bool:
        return "self" in self._language.selves and self._language.implicit


def _marks(found: "list[dict[str, list[Node]]]") -> "list[tuple[str, Node, dict[str, list[Node]]]]":
    """Sort what was marked by where it begins, what lies around something before it."""
    marks = []
    for captured in found:
        for what, nodes in captured.items():
            if what in _WORTH and (what != "type" or "var" not in captured):  # there it is the type of a variable
                node = nodes[0]
                start, end = node.byte_range
                marks.append(((start, -end, _ORDER.get(what, 3)), what, node, captured))
    marks.sort(key=itemgetter(0))
    return [(what, node, captured) for _, what, node, captured in marks]


_WORTH = _REGIONS | _CALLS | set(_BASES) | {"import", "var", "package", "doc"}
