"""Links of a source file: contained symbols, imports, base classes and calls."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from waymeet.analysis import path_key, symbol_key
from waymeet.ingest.parse.code.language import Language
from waymeet.ingest.parse.code.node_text import normalise_name
from waymeet.ingest.parse.code.resolve import NameResolver, Resolved
from waymeet.ingest.parse.code.symbols import Base, Call, CodeOutline
from waymeet.ingest.parse.parsed import RawLink

MAX_LINKS = 5_000
"""Links of one file besides `contains`. A file with more is generated, or made to exhaust memory."""
_MAX_USED_NAMES = 6
"""Used names of a package that are looked up to find the imported file."""


class Target(NamedTuple):
    """Target of a link: keys of documents and the symbol in them."""

    refs: tuple[str, ...]
    anchor: str


def build_links(language: Language, outline: CodeOutline, path: str) -> tuple[list[RawLink], bool]:
    """Build the links of a file, and return whether there were too many."""
    builder = _LinkBuilder(language, outline, path)
    unique: dict[tuple[str, str, Target], RawLink] = {}
    for link in (*builder.link_imports(), *builder.link_bases(), *builder.link_calls()):
        unique.setdefault((link.section, link.kind, Target(link.refs, link.anchor)), link)
    links = list(unique.values())
    return [*builder.link_symbols(), *links[:MAX_LINKS]], len(links) > MAX_LINKS


class _LinkBuilder:
    """Builder of the links of one file."""

    def __init__(self, language: Language, outline: CodeOutline, path: str) -> None:
        self._language = language
        self._outline = outline
        self._own = (path_key(path),)
        self._imports = [(each, line) for node, line in outline.imports for each in language.imports(node, path)]
        self._names = NameResolver(language, outline, [each for each, _ in self._imports], self._own)

    def link_symbols(self) -> Iterator[RawLink]:
        """Yield a link to each symbol, from its parent symbol or from the file."""
        for name, symbol in self._outline.symbols.items():
            yield _to_raw_link(Target(self._own, name), "contains", symbol.start, self._outline.parents[name])

    def link_imports(self) -> Iterator[RawLink]:
        """Yield a link for each import that may be a file or symbol of the project."""
        used = self._list_used_members()
        for imported, line in self._imports:
            refs, anchor = (*imported.refs, *imported.folders), imported.anchor
            if imported.inner and self._names.is_module(imported):
                refs, anchor = (*imported.inner, *refs), ""
            if imported.package and not imported.refs:
                names = used.get(imported.local, ()) if imported.local else self._list_used_types()
                keys = tuple(symbol_key(f"{imported.package}.{name}") for name in names)
                refs = (*keys[:_MAX_USED_NAMES], *refs)
            if refs and refs != self._own:
                yield _to_raw_link(Target(refs, anchor), "imports", line, "")

    def _list_used_members(self) -> dict[str, list[str]]:
        """List the members that are used of each name before a dot."""
        used: dict[str, dict[str, None]] = defaultdict(dict)
        for call in self._outline.calls:
            if call.on:
                used[call.on][call.name] = None
        for written in (*self._outline.types.values(), *(base.name for base in self._outline.bases)):
            on, _, name = written.partition(".")
            if name:
                used[on][name.partition(".")[0]] = None
        return {on: list(names) for on, names in used.items()}

    def _list_used_types(self) -> list[str]:
        """List names that look like types and may come from any wildcard import."""
        outline = self._outline
        written = [base.name for base in outline.bases] + list(outline.types.values())
        written += [call.on or call.name for call in outline.calls]
        names = dict.fromkeys(name for each in written if (name := each.partition(".")[0])[:1].isupper())
        builtins = self._language.builtins
        return [
            name
            for name in names
            if name not in outline.symbols and name not in builtins and not self._names.is_external(name)
        ]

    def link_bases(self) -> Iterator[RawLink]:
        """Yield a link from each class to its base classes and interfaces."""
        counts: dict[str, int] = defaultdict(int)
        for base in self._outline.bases:
            index = counts[base.symbol]
            counts[base.symbol] += 1
            source = self._names.find_own(base.symbol, "", with_members=True)
            target = self._names.resolve(base.name, base.symbol, with_members=True)
            if source and target and target != Target(self._own, source):
                relation = self._find_relation(base, source, target[1], index)
                yield _to_raw_link(Target(*target), relation, base.line, source)

    def _find_relation(self, base: Base, source: str, target: str, index: int) -> str:
        if base.relation != "inherits":
            return base.relation
        kind = self._outline.symbols[source].kind
        base_symbol = self._outline.symbols.get(target)
        if kind in {"interface", "trait"}:
            return "extends"
        if base_symbol and base_symbol.kind in {"interface", "trait", "class"}:
            return "extends" if base_symbol.kind == "class" else "implements"
        return self._language.inherits(kind, base.name, index)

    def link_calls(self) -> Iterator[RawLink]:
        """Yield a link from each symbol or the file to the symbols it calls, if they are known."""
        for call in self._outline.calls:
            if call.name in self._language.builtins or not call.name:
                continue
            target = self._resolve_callee(call)
            if target and target != (self._own, call.symbol):
                yield _to_raw_link(Target(*target), "calls", call.line, call.symbol)

    def _resolve_callee(self, call: Call) -> Resolved | None:
        names, language = self._names, self._language
        if not call.on:
            around = self._find_scope(call)
            if around is None:
                return names.resolve_call(normalise_name(call.name), call)
            local = f"{around}.{normalise_name(call.name)}"
            return (self._own, local) if local in self._outline.symbols else None
        on = normalise_name(call.on)
        if on in language.own_exports:
            own = names.find_own(call.name, "", with_members=False)
            return (self._own, own) if own else None
        if on in language.selves:
            return (
                names.find_member(call.owner, call.name)
                or names.look_up_in_bases(call.owner, call.name)
                or names.look_up_by_name(call.name)
            )
        if on in language.parents:
            return names.resolve_in_bases(call.owner, call.name)
        return None if on.partition(".")[0] in language.builtins else self._resolve_callee_on(on, call)

    def _find_scope(self, call: Call) -> str | None:
        """Find the symbol around a call to which the name of the callee is local."""
        symbol = call.symbol
        while (symbol, call.name) not in self._outline.locals:
            if not symbol:
                return None
            symbol = self._outline.parents.get(symbol, "")
        return symbol

    def _resolve_callee_on(self, on: str, call: Call) -> Resolved | None:
        """Resolve a call on a variable, a class or a module."""
        names = self._names
        if "(" in call.on and not on.rpartition(".")[2][:1].isupper():
            return names.look_up_by_name(call.name)  # the return type of a function is not known
        first, _, field = on.partition(".")
        is_field = first in self._language.selves
        if is_field:
            on = field
        type_name = names.find_type(on, call)
        if type_name:
            return names.resolve_method(type_name, call.name, call.symbol)
        if not is_field and (names.is_known(on, call.symbol) or (on[:1].isupper() and "." not in on)):
            return names.resolve_method(on, call.name, call.symbol)
        return None if not is_field and names.is_external(on) else names.look_up_by_name(call.name)


def _to_raw_link(target: Target, kind: str, line: int, section: str) -> RawLink:
    return RawLink(
        target=target.anchor,
        anchor=target.anchor,
        kind=kind,
        text="",
        sentence="",
        line=line,
        section=section,
        refs=target.refs,
    )
