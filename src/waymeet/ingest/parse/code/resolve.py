"""What a name means at some place of a file: something of the file, something imported, or something known by name."""

from collections.abc import Iterable, Iterator

from waymeet.analysis import symbol_key
from waymeet.analysis.keys import SYMBOL_PREFIX
from waymeet.ingest.parse.code.language import CLASSLIKE, Import, Language
from waymeet.ingest.parse.code.node_text import plain_name, telling
from waymeet.ingest.parse.code.symbols import Call, Outline

Found = tuple[tuple[str, ...], str]
"""The keys of the documents that may be meant, and the symbol in them."""
_PLACES = 2
"""How many places a module is looked for in when something of it is called."""
_DEEPEST = 5
"""How many classes up a method is looked for."""


class Names:
    """The names that are known in one file."""

    def __init__(self, language: Language, outline: Outline, imports: Iterable[Import], own: tuple[str, ...]) -> None:
        self._language = language
        self._symbols = outline.symbols
        self._types = outline.types
        self._ending: dict[str, str] = {}
        for symbol in outline.symbols:
            simple = symbol.rpartition(".")[2]
            self._ending[simple] = "" if simple in self._ending else symbol
        self._own = own
        self._bases: dict[str, list[str]] = {}
        self._extended: dict[str, list[str]] = {}
        for base in outline.bases:
            self._bases.setdefault(base.symbol, []).append(base.name)
            if base.relation == "extends":
                self._extended.setdefault(base.symbol, []).append(base.name)
        self._called = {call.name for call in outline.calls if not call.on}
        self._called.update(base.name for base in outline.bases)
        self._called.update(outline.types.values())
        self._before = {plain_name(call.on).partition(".")[0] for call in outline.calls if call.on}
        imports = list(imports)
        self._bound = {each.local: each for each in imports if each.local}
        self._packages = [outline.package] if outline.package else []
        self._packages += [each.package for each in imports if each.everything and each.package]
        self._open = any(each.everything for each in imports)

    def is_module(self, imported: Import) -> bool:
        """Tell whether an imported name is that of a module, as far as its use tells."""
        if imported.local in self._called or imported.anchor[:1].isupper():
            return False
        return imported.local in self._before or imported.anchor.islower()

    def own(self, name: str, symbol: str, *, members: bool) -> str:
        """Find a symbol of this file as it is seen from inside of another; `members` of classes only if asked for."""
        around = symbol
        while around:
            kind = self._symbols[around].kind if around in self._symbols else "module"
            if (members or kind == "module") and f"{around}.{name}" in self._symbols:
                return f"{around}.{name}"
            around = around.rpartition(".")[0]
        return name if name in self._symbols else ""

    def target(self, name: str, symbol: str, *, members: bool) -> Found | None:
        """Find what a name means: in this file, by an import, or by its key if the language lets names reach so far."""
        first, _, rest = name.partition(".")
        if first in self._language.builtins or len(name) < 2:
            return None
        own = self.own(name, symbol, members=members)
        if own:
            return self._own, own
        bound = self._imported(name)
        if bound is not None:
            return bound or None
        if self.own(first, symbol, members=True):
            return None
        if first in self._language.roots and rest:
            return (symbol_key(rest), symbol_key(rest.rpartition(".")[2])), rest
        return self._reached(name, symbol, whole="." in name)

    def _imported(self, name: str) -> Found | tuple[()] | None:
        """Follow an import; an empty answer if the name comes from outside of the project."""
        for local, rest in _splits(name):
            bound = self._bound.get(local)
            if bound is not None:
                refs, anchor = self._through(bound, rest)
                return (tuple(dict.fromkeys(refs)), anchor) if refs and anchor and _plausible(anchor) else ()
        return None

    def _through(self, bound: Import, rest: str) -> Found:
        """Name what is imported, or what lies in it."""
        if bound.inner and rest and self.is_module(bound):
            return (*bound.inner[:1], symbol_key(f"{bound.anchor}.{rest}"), *bound.inner[1:]), rest
        anchor = ".".join(filter(None, (bound.anchor, rest)))
        told = (symbol_key(f"{bound.package}.{anchor}"),) if bound.package else ()
        if "." in anchor and bound.folders and self._language.reach == "file":
            # Handed on by a folder, a method is known by its class only.
            told = (symbol_key(anchor),)
        if len(bound.refs) > 2 * _PLACES:  # it may be anywhere, and mostly is nothing of ours: not worth many keys
            return (*bound.refs[:_PLACES], *told), anchor
        if bound.refs and bound.refs[0].startswith(SYMBOL_PREFIX):  # the whole name says more than that of the class
            return (*told, *bound.refs, *bound.folders), anchor
        return (*bound.refs, *told, *(bound.folders if bound.refs or not told else ())), anchor

    def _reached(self, name: str, symbol: str, *, whole: bool = False) -> Found | None:
        """Look for a name that needs no import; one that is `whole` says itself which namespace it means."""
        reach = self._language.reach
        scope = "" if whole else self._scope(symbol)
        anchor = f"{scope}.{name}" if scope else name
        if reach == "package" and self._packages:
            return tuple(symbol_key(f"{package}.{name}") for package in self._packages), name
        if reach in {"package", "project"} or (self._open and len(name) > 3):
            refs = dict.fromkeys((symbol_key(anchor), symbol_key(name)))
            return tuple(refs), anchor
        return None

    def _scope(self, symbol: str) -> str:
        """Give the namespace that a symbol lies in."""
        around = symbol.rpartition(".")[0]
        while around in self._symbols and self._symbols[around].kind != "module":
            around = around.rpartition(".")[0]
        return around

    def member(self, owner: str, name: str) -> Found | None:
        """Find a method of a class of this file, or of those of this file that it builds upon."""
        waiting, seen = [owner], set[str]()
        while waiting and len(seen) < _DEEPEST:
            each = waiting.pop(0)
            seen.add(each)
            if f"{each}.{name}" in self._symbols:
                return self._own, f"{each}.{name}"
            above = [self.own(base, each, members=True) for base in self._bases.get(each, ())]
            waiting += [base for base in above if base and base not in seen]
        return None

    def called(self, name: str, call: Call) -> Found | None:
        """Find what is called by its name alone."""
        language = self._language
        if language.implicit and "." not in name:
            found = self.member(call.owner, name)
            if found:
                return found
            if not language.free and call.how == "call":
                return self._imported(name) or self.handed_down(call.owner, name)
        if call.how == "bare":
            own = self.own(name, call.symbol, members=language.implicit)
            return (self._own, own) if own else None
        return self.target(name, call.symbol, members=language.implicit)

    def handed_down(self, owner: str, name: str) -> Found | None:
        """Look for a method in classes of other files that a class builds upon, by the keys of their methods."""
        known = self._extended.get(owner) or self._bases.get(owner) or []
        bases = [base.rpartition(".")[2] for base in known]
        bases = [base for base in bases if base not in self._language.builtins]
        if not bases:
            return None
        keys = tuple(symbol_key(f"{base}.{name}") for base in bases[:_DEEPEST])
        return keys, f"{bases[0]}.{name}" if len(bases) == 1 else name

    def inherited(self, owner: str, name: str) -> Found | None:
        """Find a method of what a class builds upon."""
        for base in self._bases.get(owner, ()):
            found = self.method(base, name, owner)
            if found:
                return found
        return None

    def guessed(self, name: str) -> Found | None:
        """Look for a method by its name alone, if that says enough. Its class is known if it is one of this file."""
        if not telling(name):
            return None
        return (symbol_key(name),), self._ending.get(name) or name

    def method(self, kind: str, name: str, symbol: str) -> Found | None:
        """Find a method by the name of its class, or a function by that of its module."""
        if kind.partition(".")[0] in self._language.builtins:
            return None
        own = self.own(kind, symbol, members=True)
        if own and own not in self._bound:
            return self.member(own, name) or self._of_own(own, name, symbol)
        if name == self._language.birth:
            return self.target(kind, symbol, members=True)
        bound = self._imported(f"{kind}.{name}")
        if bound is not None:
            return bound or None
        found = self._reached(f"{kind}.{name}", symbol, whole="." in kind)
        if found is None and kind[:1].isupper():
            return (symbol_key(f"{kind}.{name}"),), f"{kind}.{name}"
        return found

    def _of_own(self, own: str, name: str, symbol: str) -> Found | None:
        """Find what a symbol of this file does not define, but still has."""
        kind = self._symbols[own].kind
        if kind == "module":  # other files may add to it
            return self._reached(f"{own}.{name}", symbol, whole=True)
        return (self._own, own) if name == self._language.birth and kind in CLASSLIKE else None

    def type_of(self, variable: str, call: Call) -> str:
        """Give the type of a variable at a call, if the text tells."""
        for place in (call.symbol, call.owner, ""):
            kind = self._types.get((place, variable))
            if kind:
                return kind if kind[:1].isupper() or "." in kind else ""
        return ""

    def knows(self, name: str, symbol: str) -> bool:
        """Tell whether a name is one of this file or imported by it from the project."""
        if self.own(name, symbol, members=True):
            return True
        return any(
            bound.refs or bound.package or bound.inner
            for local, _ in _splits(name)
            if (bound := self._bound.get(local)) is not None
        )

    def external(self, name: str) -> bool:
        """Tell whether a name comes from outside of the project."""
        return any(local in self._bound for local, _ in _splits(name)) or name in self._language.builtins


def _plausible(anchor: str) -> bool:
    """Tell whether a name may be that of a symbol: what is read off an object on the way is not known.

    >>> _plausible("Store.put"), _plausible("shop.Store.put"), _plausible("Artist.objects.create")
    (True, True, False)
    """
    *around, _ = anchor.split(".")
    return len(around) < 2 or around[-1][:1].isupper()


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to divide a name with dots, the longest beginning first.

    >>> list(_splits("a.b.c"))
    [('a.b.c', ''), ('a.b', 'c'), ('a', 'b.c')]
    """
    yield name, ""
    parts = name.split(".")
    for at in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:at]), ".".join(parts[at:])
