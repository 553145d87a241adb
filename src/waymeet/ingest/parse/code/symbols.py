"""Symbols, imports, calls and types of a file, from the matches of a language's query."""

import re
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from waymeet.ingest.parse.code.language import CALLABLE, CLASSLIKE, KINDS, Definition, Language
from waymeet.ingest.parse.code.node_text import format_signature, name_text, node_text, normalise_name, normalise_type
from waymeet.types import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node


MAX_DOC_CHARS = 500
_MAX_COMMENT_CHARS = 4_000
_COMMENT_MARKS = re.compile(
    r"^\s*(?:/\*\*?!?|\*+/|\*(?!\S*\*)|///?!?|#(?!\w)|--)\s?|\*+/\s*$|^\s*[rRbBuUfF]{0,2}(?:\"{3}|'{3}|\"|')",
    re.MULTILINE,
)
_CLOSING_QUOTES = re.compile(r"(?:\"{3}|'{3}|\"|')\s*$")
_TAGS = re.compile(r"</?[a-zA-Z][^<>]*>")
_FIELDS = re.compile(r"^\s*[@\\][a-z]\w*\b", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n\s*\n")
_DIRECTIVE = re.compile(r"^\s*(?:#!|#\s*(?:-\*-|noqa|type:|pylint|frozen_string)|//\s*(?:eslint|@ts-|nolint|go:))")


class Comments:
    """Comments and attributes on lines of their own, by the line below them."""

    def __init__(self, matches: "list[dict[str, list[Node]]]", text: bytes) -> None:
        self._by_last_row: dict[int, tuple[int, Node | None]] = {}
        for captures in matches:
            for capture in ("comment", "attribute"):
                for node in captures.get(capture, ()):
                    start, end = node.start_point, node.end_point
                    line = text.rfind(b"\n", 0, node.start_byte) + 1
                    if not text[line : node.start_byte].strip():
                        # The node of a comment may include the end of its line.
                        last = end.row - (end.column == 0 and end.row > start.row)
                        self._by_last_row[last] = (start.row, node if capture == "comment" else None)

    def take_above(self, row: int) -> tuple[int, str]:
        """Remove the comments above a row, and return their first row (else this row) and text."""
        texts: list[str] = []
        length = 0
        while (above := self._by_last_row.pop(row - 1, None)) is not None:
            row, node = above
            text = (node.text or b"").decode("utf-8", "replace") if node and length < _MAX_COMMENT_CHARS else ""
            length += len(text)
            if not _DIRECTIVE.match(text):
                texts.append(text)
        return row, extract_doc("\n".join(reversed(texts)))


def extract_doc(text: str) -> str:
    r'''Return the first paragraph of a comment, without comment marks and tags.

    >>> extract_doc('/**\n * Adds up.\n * All of it.\n *\n * @param a one\n */')
    'Adds up. All of it.'
    >>> (extract_doc('"""Say hello.\n\n    Loudly."""'), extract_doc('/// <summary>Says.</summary>'),
    ...  extract_doc('# Says.'))
    ('Say hello.', 'Says.', 'Says.')
    '''
    if not text:
        return ""
    text = text[:_MAX_COMMENT_CHARS]
    plain = _CLOSING_QUOTES.sub("", _COMMENT_MARKS.sub("", text).strip())
    plain = _FIELDS.split(_TAGS.sub(" ", plain), maxsplit=1)[0].strip()
    paragraph = _BLANK_LINE.split(plain, maxsplit=1)[0]
    doc = " ".join(paragraph.split())
    return doc if len(doc) <= MAX_DOC_CHARS else doc[: MAX_DOC_CHARS - 1] + "…"


MAX_FIELDS = 2_000
"""Fields that are kept of one file."""
MIN_OUTER_LINES = 60
"""Lines of a function from which the named functions in it are symbols, too, such as those that a factory returns."""
MAX_SYMBOLS = 5_000
"""Symbols that are kept of one file. A file with more is generated."""
_SCOPES = frozenset({"scope", "namespace"})
_REGIONS = KINDS | _SCOPES | {"outer", "local"}
_WITHOUT_FIELDS = frozenset({"local", "function", "method", "macro"})
"""Kinds of scopes in which all variables are local."""
_CALLS = frozenset({"call", "make", "bare"})
_BASES = ("extends", "implements", "inherits")
_ORDER = {"package": 0, "import": 0, "outer": 1, "class": 4, "property": 4, "type": 5, "constant": 6}
"""Order of captures of the same text, by how specific they are (default 3)."""


class Scope(NamedTuple):
    """A part of the text in which definitions get a common prefix."""

    end: int
    name: str
    """Qualified name before those of its members."""
    kind: str
    symbol: str
    """The innermost enclosing symbol."""
    owner: str
    """The innermost enclosing class or similar."""


class Call(NamedTuple):
    """A call, in a symbol and its class (`owner`)."""

    symbol: str
    owner: str
    name: str
    on: str
    """The expression before the name."""
    line: int
    capture: str
    """`call`, `make` for a type that is instantiated, or `bare` for a name that may be a variable."""


class Base(NamedTuple):
    """A base class or interface of a symbol."""

    symbol: str
    name: str
    relation: str
    """`extends`, `implements` or, if the syntax does not distinguish them, `inherits`."""
    line: int


class CodeOutline:
    """Symbols, imports, calls, bases and types of one file."""

    def __init__(self, language: Language, matches: "list[dict[str, list[Node]]]", text: bytes) -> None:
        self.symbols: dict[str, Symbol] = {}
        self.parents: dict[str, str] = {}
        """For each symbol, the one of which it is a member; empty at the top level."""
        self.fields: dict[str, int] = {}
        """Lines of class attributes, fields, enum members and similar names, by their qualified name."""
        self.imports: list[tuple[Node, int]] = []
        self.calls: list[Call] = []
        self.bases: list[Base] = []
        self.types: dict[tuple[str, str], str] = {}
        """Types of variables, by their symbol and name."""
        self.locals: set[tuple[str, str]] = set()
        """Names that are local to a symbol, with that symbol."""
        self.declared: set[str] = set()
        """Symbols that are only declared here."""
        self.package = ""
        self.has_too_many_symbols = False
        self._exported: set[str] = set()
        self._language = language
        self._text = text
        self._comments = Comments(matches, text)
        self._open = [Scope(len(text) + 1, "", "", "", "")]
        self._outer: Node | None = None
        self._handled: set[int] = set()
        self._counts: dict[str, int] = {}
        for capture, node, captures in _sort_captures(matches):
            self._handle(capture, node, captures)
        for name in self._exported.intersection(self.symbols):
            self.symbols[name] = replace(self.symbols[name], exported=True)
        del self._text, self._comments, self._outer, self._open

    def _handle(self, capture: str, node: "Node", captures: "dict[str, list[Node]]") -> None:
        start = node.start_byte
        while self._open[-1].end <= start:
            self._open.pop()
        scope = self._open[-1]
        line = node.start_point.row + 1
        if capture in _REGIONS:
            self._enter(capture, node, captures)
        elif capture in _CALLS:
            on = name_text(captures["on"][0]) if "on" in captures else ""
            callee = name_text(node).removeprefix("#")
            self.calls.append(Call(scope.symbol, scope.owner, callee, on, line, capture))
        elif capture == "import":
            self.imports.append((node, line))
            self._handled.add(node.id)
        elif capture == "var":
            self._add_type(scope, normalise_name(name_text(node)), normalise_type(name_text(captures["type"][0])))
        elif capture in _BASES:
            owner = normalise_name(name_text(captures["owner"][0])) if "owner" in captures else scope.owner
            self.bases.append(Base(owner, normalise_name(name_text(node)), capture, line))
        elif capture == "doc":
            self._add_doc(scope, node_text(node))
        else:
            self._add_name(capture, scope, node, captures)

    def _add_name(self, capture: str, scope: Scope, node: "Node", captures: "dict[str, list[Node]]") -> None:
        """Add the name of the package, of an exported symbol or of a field."""
        if capture == "package":
            self.package = ".".join(filter(None, (self.package, normalise_name(name_text(node)))))
        elif capture == "exported":
            self._exported.add(name_text(node))
        elif capture == "field" and node.id not in self._handled:
            self._add_field(scope, node, captures)

    def _add_type(self, scope: Scope, name: str, type_name: str) -> None:
        """Add the type of a variable, or of a field (`self.x`) to its class.

        The type may be the name of another variable that is assigned, whose type is known already.
        """
        type_name = self.types.get((scope.symbol, type_name), type_name)
        on, _, last = name.rpartition(".")
        # Parameters of a constructor mostly become fields.
        is_field = scope.kind in {"constructor", "property", "constant"}
        if not on:
            self.types.setdefault((scope.symbol, last), type_name)
        if on in self._language.selves or (not on and is_field):
            self.types.setdefault((scope.owner, last), type_name)

    def _add_field(self, scope: Scope, node: "Node", captures: "dict[str, list[Node]]") -> None:
        """Add a field of a class or module. A constructor defines fields of its class."""
        owner = normalise_name(name_text(captures["owner"][0])) if "owner" in captures else ""
        around = scope.owner if scope.kind == "constructor" else scope.name
        simple = normalise_name(name_text(node))
        name = ".".join(filter(None, (around, owner, simple)))
        if simple and scope.kind not in _WITHOUT_FIELDS and len(self.fields) < MAX_FIELDS:
            self.fields.setdefault(name, node.start_point.row + 1)

    def _add_doc(self, scope: Scope, text: str) -> None:
        symbol = self.symbols.get(scope.symbol)
        if symbol and scope.name == scope.symbol and not symbol.doc:
            self.symbols[scope.symbol] = replace(symbol, doc=extract_doc(text))

    def _enter(self, capture: str, node: "Node", captures: "dict[str, list[Node]]") -> None:
        """Open the scope of a definition, namespace or local function."""
        scope = self._open[-1]
        if capture == "outer":
            self._outer = node
            return
        names = captures.get("name")
        if capture == "local" or not names:
            self._open.append(Scope(node.end_byte, "", "local", scope.symbol, scope.owner))
            return
        if names[0].id in self._handled or node.id in self._handled:
            return  # matched by a wider pattern already, or imported
        self._handled.add(names[0].id)
        simple = normalise_name(name_text(names[0]))
        is_local = scope.kind in CALLABLE or scope.kind == "local"
        if is_local:
            self.locals.add((scope.symbol, simple))
        if is_local and not (capture == "function" and self._is_long_function(scope)):
            self._open.append(Scope(node.end_byte, "", "local", scope.symbol, scope.owner))
            return
        owner = normalise_name(name_text(captures["owner"][0])) if "owner" in captures else ""
        name = ".".join(filter(None, (scope.name, owner, simple)))
        if capture in _SCOPES:
            symbol = name if name in self.symbols else scope.symbol
            owner = name if capture == "scope" else scope.owner
            self._open.append(Scope(node.end_byte, name, capture, symbol, owner))
        elif capture == "constant" and name in self.symbols:
            return  # another assignment to the same name
        elif simple and len(self.symbols) < MAX_SYMBOLS:
            self._define(capture, simple, name, node, captures)
        else:
            self.has_too_many_symbols = self.has_too_many_symbols or bool(simple)

    def _is_long_function(self, scope: Scope) -> bool:
        """Check whether a scope is that of a function that is too long to be one section."""
        symbol = self.symbols.get(scope.symbol) if scope.kind in CALLABLE else None
        return symbol is not None and symbol.end - symbol.start + 1 >= MIN_OUTER_LINES

    def _define(self, kind: str, simple: str, name: str, node: "Node", captures: "dict[str, list[Node]]") -> None:
        """Add a symbol and open its scope."""
        scope = self._open[-1]
        prefix = name.rpartition(".")[0]
        parent = prefix if prefix in self.symbols else scope.symbol
        if parent:
            parent_kind = self.symbols[parent].kind
        else:
            parent_kind = "class" if "owner" in captures or scope.kind == "scope" else ""
        kind = self._refine_kind(kind, simple, prefix, parent_kind)
        definition = Definition(simple, kind, format_signature(node, captures, self._text), "", parent_kind)
        unique = self._add(self._build_symbol(name, definition, node), parent)
        if "declared" in captures:
            self.declared.add(unique)
        owner = unique if kind in CLASSLIKE else prefix if "owner" in captures else scope.owner
        self._open.append(Scope(node.end_byte, name, kind, unique, owner))

    def _refine_kind(self, kind: str, simple: str, prefix: str, parent_kind: str) -> str:
        """Distinguish functions, methods and constructors by the symbol around them."""
        is_module = parent_kind == "module" and not self._has_methods_in_modules()
        if kind == "function" and parent_kind in CLASSLIKE and not is_module:
            kind = "method"
        if kind == "method" and not parent_kind:
            kind = "function"
        if kind == "method" and (simple in self._language.constructors or simple == prefix.rpartition(".")[2]):
            kind = "constructor"
        return kind

    def _build_symbol(self, name: str, definition: Definition, node: "Node") -> Symbol:
        """Build a symbol with its lines, signature and documentation."""
        outer = self._outer if self._outer and self._outer.end_byte >= node.end_byte else None
        self._outer = None
        outermost = outer or node
        # An outer node that ends much later contains other definitions, too.
        end = (outermost if outermost.end_point.row <= node.end_point.row + 1 else node).end_point
        first, doc = self._comments.take_above(outermost.start_point.row)
        last = end.row + (end.column > 0 or end.row == outermost.start_point.row)
        is_exported = self._language.is_exported(definition._replace(outer=outer.type if outer else ""))
        lines = (first + 1, max(last, first + 1))
        return Symbol(name, definition.kind, *lines, definition.signature, doc, exported=is_exported)

    def _add(self, new: Symbol, parent: str) -> str:
        """Add a symbol under a unique name, merged with its declaration in the lines before."""
        name = new.name
        old = self.symbols.get(name)
        if old and name in self.declared and old.end + 2 >= new.start and self.parents[name] == parent:
            self.declared.discard(name)
            self.symbols[name] = replace(new, start=old.start, doc=old.doc or new.doc, exported=old.exported)
            return name
        self._counts[name] = number = self._counts.get(name, 0) + 1
        if number > 1:
            name = f"{name}~{number}"
        self.symbols[name] = replace(new, name=name)
        self.parents[name] = parent
        return name

    def _has_methods_in_modules(self) -> bool:
        return "self" in self._language.selves and self._language.has_implicit_self


def _sort_captures(matches: "list[dict[str, list[Node]]]") -> "list[tuple[str, Node, dict[str, list[Node]]]]":
    """Sort captures by their start, enclosing ones first."""
    keyed = []
    for captures in matches:
        for capture, nodes in captures.items():
            # With `@var`, `@type` is the type of a variable, not a definition.
            if capture in _HANDLED and (capture != "type" or "var" not in captures):
                node = nodes[0]
                start, end = node.byte_range
                keyed.append(((start, -end, _ORDER.get(capture, 3)), capture, node, captures))
    keyed.sort(key=itemgetter(0))
    return [(capture, node, captures) for _, capture, node, captures in keyed]


_HANDLED = _REGIONS | _CALLS | set(_BASES) | {"import", "var", "package", "doc", "exported", "field"}
