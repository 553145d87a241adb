"""From names to edges: what a file contains, imports, builds upon and calls, as links that the store can lead."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from waymeet.analysis import path_key, symbol_key
from waymeet.ingest.parse.code.language import Language
from waymeet.ingest.parse.code.node_text import plain_name
from waymeet.ingest.parse.code.resolve import Names
from waymeet.ingest.parse.code.symbols import Base, Call, Outline
from waymeet.ingest.parse.parsed import RawLink

MOST_LINKS = 5_000
"""Links of one file beside `contains`. One with more is generated, or made to exhaust whoever reads it."""
_EVIDENCE = 6
"""Names of a package whose use may tell which of its files is meant."""


class Target(NamedTuple):
    """Where an edge leads."""

    refs: tuple[str, ...]
    anchor: str


def draw(language: Language, outline: Outline, path: str) -> tuple[list[RawLink], bool]:
    """List a file's links, and tell whether there were too many."""
    drawn = _Edges(language, outline, path)
    found = list(drawn.contained())
    rest: dict[tuple[str, str, Target], RawLink] = {}
    for link in (*drawn.imported(), *drawn.inherited(), *drawn.called()):
        rest.setdefault((link.section, link.kind, Target(link.refs, link.anchor)), link)
    kept = list(rest.values())
    return found + kept[:MOST_LINKS], len(kept) > MOST_LINKS


class _Edges:
    """The links of one file."""

    def __init__(self, language: Language, outline: Outline, path: str) -> None:
        self._language = language
        self._outline = outline
        self._own = (path_key(path),)
        self._imports = [(each, line) for node, line in outline.imports for each in language.imports(node, path)]
        self._names = Names(language, outline, [each for each, _ in self._imports], self._own)

    def contained(self) -> Iterator[RawLink]:
        """Yield a link to each symbol, from the symbol it is a member of or from the file."""
        for name, symbol in self._outline.symbols.items():
            yield _link(Target(self._own, name), "contains", symbol.start, self._outline.parents[name])

    def imported(self) -> Iterator[RawLink]:
        """Yield a link for each file or symbol that is imported and may be one of the project."""
        used = self._used()
        for each, line in self._imports:
            refs, anchor = (*each.refs, *each.folders), each.anchor
            if each.inner and self._names.is_module(each):
                refs, anchor = (*each.inner, *refs), ""
            if each.package and not each.refs:
                evidence = used.get(each.local, ()) if each.local else self._types_used()
                told = tuple(symbol_key(f"{each.package}.{name}") for name in evidence)
                refs = (*told[:_EVIDENCE], *refs)
            if refs and refs != self._own:
                yield _link(Target(refs, anchor), "imports", line, "")

    def _used(self) -> dict[str, list[str]]:
        """List what is used of each name that stands before a dot."""
        used: dict[str, dict[str, None]] = defaultdict(dict)
        for call in self._outline.calls:
            if call.on:
                used[call.on][call.name] = None
        for written in (*self._outline.types.values(), *(base.name for base in self._outline.bases)):
            on, _, name = written.partition(".")
            if name:
                used[on][name.partition(".")[0]] = None
        return {on: list(names) for on, names in used.items()}

    def _types_used(self) -> list[str]:
        """List the names that look like those of types, for they may come from any package that is open here."""
        outline = self._outline
        written = [base.name for base in outline.bases] + list(outline.types.values())
        written += [call.on or call.name for call in outline.calls]
        names = dict.fromkeys(name for each in written if (name := each.partition(".")[0])[:1].isupper())
        known = self._language.builtins
        return [
            name
            for name in names
            if name not in outline.symbols and name not in known and not self._names.external(name)
        ]

    def inherited(self) -> Iterator[RawLink]:
        """Yield a link from each class or the like to what it builds upon."""
        places: dict[str, int] = defaultdict(int)
        for base in self._outline.bases:
            index = places[base.symbol]
            places[base.symbol] += 1
            source = self._names.own(base.symbol, "", members=True)
            target = self._names.target(base.name, base.symbol, members=True)
            if source and target and target != Target(self._own, source):
                yield _link(Target(*target), self._relation(base, source, target[1], index), base.line, source)

    def _relation(self, base: Base, source: str, target: str, index: int) -> str:
        if base.relation != "inherits":
            return base.relation
        heir = self._outline.symbols[source].kind
        known = self._outline.symbols.get(target)
        if heir in {"interface", "trait"}:
            return "extends"
        if known and known.kind in {"interface", "trait", "class"}:
            return "extends" if known.kind == "class" else "implements"
        return self._language.inherits(heir, base.name, index)

    def called(self) -> Iterator[RawLink]:
        """Yield a link from each symbol (or the file itself) to what it calls, where that can be told."""
        for call in self._outline.calls:
            if call.name in self._language.builtins or not call.name:
                continue
            target = self._callee(call)
            if target and target != (self._own, call.symbol):
                yield _link(Target(*target), "calls", call.line, call.symbol)

    def _callee(self, call: Call) -> tuple[tuple[str, ...], str] | None:
        names, language = self._names, self._language
        if not call.on:
            local = (call.symbol, call.name) in self._outline.locals
            return None if local else names.called(plain_name(call.name), call)
        on = plain_name(call.on)
        if on in language.selves:
            return (
                names.member(call.owner, call.name)
                or names.handed_down(call.owner, call.name)
                or names.guessed(call.name)
            )
        if on in language.parents:
            return names.inherited(call.owner, call.name)
        return None if on.partition(".")[0] in language.builtins else self._on_something(on, call)

    def _on_something(self, on: str, call: Call) -> tuple[tuple[str, ...], str] | None:
        """Find what is called on a variable, a class or a module."""
        names = self._names
        if "(" in call.on and not on.rpartition(".")[2][:1].isupper():
            return names.guessed(call.name)  # what a function gives back is not known
        first, _, rest = on.partition(".")
        field = first in self._language.selves
        if field:
            on = rest
        kind = names.type_of(on, call)
        if kind:
            return names.method(kind, call.name, call.symbol)
        if not field and (names.knows(on, call.symbol) or (on[:1].isupper() and "." not in on)):
            return names.method(on, call.name, call.symbol)
        return None if not field and names.external(on) else names.guessed(call.name)


def _link(target: Target, kind: str, line: int, section: str) -> RawLink:
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
