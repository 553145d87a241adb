"""Resolution of names in a file: own symbols, imports, and symbols of other files by key."""

from collections.abc import Iterable, Iterator

from waymeet.analysis import symbol_key
from waymeet.analysis.keys import SYMBOL_PREFIX
from waymeet.ingest.parse.code.language import CLASSLIKE, Import, Language
from waymeet.ingest.parse.code.node_text import is_specific, normalise_name
from waymeet.ingest.parse.code.symbols import Call, CodeOutline

Resolved = tuple[tuple[str, ...], str]
"""Keys of the documents to look up, and the symbol in them."""
_MAX_MODULE_KEYS = 2
"""Keys of a module that are looked up for a call, if it has many."""
_MAX_BASES = 5
"""Base classes that are searched for a method."""


class NameResolver:
    """Resolver of the names in one file."""

    def __init__(
        self, language: Language, outline: CodeOutline, imports: Iterable[Import], own: tuple[str, ...]
    ) -> None:
        self._language = language
        self._symbols = outline.symbols
        self._types = outline.types
        self._unique: dict[str, str] = {}
        """Qualified name by simple name, empty if there are several."""
        for symbol in outline.symbols:
            simple = symbol.rpartition(".")[2]
            self._unique[simple] = "" if simple in self._unique else symbol
        self._own = own
        self._bases: dict[str, list[str]] = {}
        self._extended: dict[str, list[str]] = {}
        for base in outline.bases:
            self._bases.setdefault(base.symbol, []).append(base.name)
            if base.relation == "extends":
                self._extended.setdefault(base.symbol, []).append(base.name)
        self._used_names = {call.name for call in outline.calls if not call.on}
        self._used_names.update(base.name for base in outline.bases)
        self._used_names.update(outline.types.values())
        self._used_owners = {normalise_name(call.on).partition(".")[0] for call in outline.calls if call.on}
        imports = list(imports)
        self._imports = {each.local: each for each in imports if each.local}
        self._packages = [outline.package] if outline.package else []
        self._packages += [each.package for each in imports if each.is_wildcard and each.package]
        self._has_wildcard = any(each.is_wildcard for each in imports)

    def is_module(self, imported: Import) -> bool:
        """Decide whether an imported name is that of a module, by its use."""
        if imported.local in self._used_names or imported.anchor[:1].isupper():
            return False
        return imported.local in self._used_owners or imported.anchor.islower()

    def find_own(self, name: str, symbol: str, *, with_members: bool) -> str:
        """Find a symbol of this file that is visible in another one, empty if there is none.

        Members of classes are visible only `with_members`.
        """
        around = symbol
        while around:
            kind = self._symbols[around].kind if around in self._symbols else "module"
            if (with_members or kind == "module") and f"{around}.{name}" in self._symbols:
                return f"{around}.{name}"
            around = around.rpartition(".")[0]
        return name if name in self._symbols else ""

    def resolve(self, name: str, symbol: str, *, with_members: bool) -> Resolved | None:
        """Resolve a name to a symbol of this file, an import, or a symbol visible by its key."""
        first, _, path = name.partition(".")
        if first in self._language.builtins or len(name) < 2:
            return None
        own = self.find_own(name, symbol, with_members=with_members)
        if own:
            return self._own, own
        imported = self._resolve_import(name)
        if imported is not None:
            return imported or None
        if self.find_own(first, symbol, with_members=True):
            return None
        if first in self._language.roots and path:
            return (symbol_key(path), symbol_key(path.rpartition(".")[2])), path
        return self._resolve_visible(name, symbol, is_qualified="." in name)

    def _resolve_import(self, name: str) -> Resolved | tuple[()] | None:
        """Resolve a name by an import, to an empty result if it is external to the project."""
        for local, member in _split_name(name):
            imported = self._imports.get(local)
            if imported is not None:
                refs, anchor = self._list_import_keys(imported, member)
                return (tuple(dict.fromkeys(refs)), anchor) if refs and anchor and _is_plausible(anchor) else ()
        return None

    def _list_import_keys(self, imported: Import, member: str) -> Resolved:
        """List the keys of an imported name, or of a member of it."""
        if imported.inner and member and self.is_module(imported):
            return (*imported.inner[:1], symbol_key(f"{imported.anchor}.{member}"), *imported.inner[1:]), member
        own_name = imported.local if imported.is_callable and not member else imported.anchor
        anchor = ".".join(filter(None, (own_name, member)))
        keys = (symbol_key(f"{imported.package}.{anchor}"),) if imported.package else ()
        if "." in anchor and imported.folders and self._language.visibility == "file":
            # A method of a reexported class has only the key with its class.
            keys = (symbol_key(anchor),)
        if len(imported.refs) > 2 * _MAX_MODULE_KEYS:  # so many keys mean that it is mostly external
            return (*imported.refs[:_MAX_MODULE_KEYS], *keys), anchor
        if imported.refs and imported.refs[0].startswith(SYMBOL_PREFIX):  # the qualified name is more specific
            return (*keys, *imported.refs, *imported.folders), anchor
        return (*imported.refs, *keys, *(imported.folders if imported.refs or not keys else ())), anchor

    def _resolve_visible(self, name: str, symbol: str, *, is_qualified: bool = False) -> Resolved | None:
        """Resolve a name that is visible without an import, in its namespace unless it is qualified."""
        visibility = self._language.visibility
        scope = "" if is_qualified else self._find_namespace(symbol)
        anchor = f"{scope}.{name}" if scope else name
        if visibility == "package" and self._packages:
            return tuple(symbol_key(f"{package}.{name}") for package in self._packages), name
        if visibility in {"package", "project"} or (self._has_wildcard and len(name) > 3):
            refs = dict.fromkeys((symbol_key(anchor), symbol_key(name)))
            return tuple(refs), anchor
        return None

    def _find_namespace(self, symbol: str) -> str:
        """Return the namespace of a symbol."""
        around = symbol.rpartition(".")[0]
        while around in self._symbols and self._symbols[around].kind != "module":
            around = around.rpartition(".")[0]
        return around

    def find_member(self, owner: str, name: str) -> Resolved | None:
        """Find a method of a class of this file, or of its base classes in this file."""
        queue, visited = [owner], set[str]()
        while queue and len(visited) < _MAX_BASES:
            current = queue.pop(0)
            visited.add(current)
            if f"{current}.{name}" in self._symbols:
                return self._own, f"{current}.{name}"
            bases = [self.find_own(base, current, with_members=True) for base in self._bases.get(current, ())]
            queue += [base for base in bases if base and base not in visited]
        return None

    def resolve_call(self, name: str, call: Call) -> Resolved | None:
        """Resolve a call without an object before the name."""
        language = self._language
        if language.has_implicit_self and "." not in name:
            member = self.find_member(call.owner, name)
            if member:
                return member
            if not language.has_free_functions and call.capture == "call":
                return self._resolve_import(name) or self.look_up_in_bases(call.owner, name)
        if call.capture == "bare":
            own = self.find_own(name, call.symbol, with_members=language.has_implicit_self)
            return (self._own, own) if own else None
        return self.resolve(name, call.symbol, with_members=language.has_implicit_self)

    def look_up_in_bases(self, owner: str, name: str) -> Resolved | None:
        """List the keys of a method in base classes of other files."""
        qualified = self._extended.get(owner) or self._bases.get(owner) or []
        bases = [base.rpartition(".")[2] for base in qualified]
        bases = [base for base in bases if base not in self._language.builtins]
        if not bases:
            return None
        keys = tuple(symbol_key(f"{base}.{name}") for base in bases[:_MAX_BASES])
        return keys, f"{bases[0]}.{name}" if len(bases) == 1 else name

    def resolve_in_bases(self, owner: str, name: str) -> Resolved | None:
        """Resolve a method of the base classes of a class."""
        for base in self._bases.get(owner, ()):
            method = self.resolve_method(base, name, owner)
            if method:
                return method
        return None

    def look_up_by_name(self, name: str) -> Resolved | None:
        """List the key of a method by its name alone, if that is specific."""
        if not is_specific(name):
            return None
        return (symbol_key(name),), self._unique.get(name) or name

    def resolve_method(self, owner: str, name: str, symbol: str) -> Resolved | None:
        """Resolve a method by the name of its class, or a function by that of its module."""
        if owner.partition(".")[0] in self._language.builtins:
            return None
        own = self.find_own(owner, symbol, with_members=True)
        if own and own not in self._imports:
            return self.find_member(own, name) or self._resolve_undefined_member(own, name, symbol)
        if name == self._language.implicit_constructor:
            return self.resolve(owner, symbol, with_members=True)
        imported = self._resolve_import(f"{owner}.{name}")
        if imported is not None:
            return imported or None
        visible = self._resolve_visible(f"{owner}.{name}", symbol, is_qualified="." in owner)
        if visible is None and owner[:1].isupper():
            return (symbol_key(f"{owner}.{name}"),), f"{owner}.{name}"
        return visible

    def _resolve_undefined_member(self, own: str, name: str, symbol: str) -> Resolved | None:
        """Resolve a member that a symbol of this file has without defining it here."""
        kind = self._symbols[own].kind
        if kind == "module":  # other files may add to it
            return self._resolve_visible(f"{own}.{name}", symbol, is_qualified=True)
        is_constructor = name == self._language.implicit_constructor and kind in CLASSLIKE
        return (self._own, own) if is_constructor else None

    def find_type(self, variable: str, call: Call) -> str:
        """Return the type of a variable at a call, empty if it is not known."""
        for symbol in (call.symbol, call.owner, ""):
            type_name = self._types.get((symbol, variable))
            if type_name:
                return type_name if type_name[:1].isupper() or "." in type_name else ""
        return ""

    def is_known(self, name: str, symbol: str) -> bool:
        """Check whether a name is defined in this file or imported from the project."""
        if self.find_own(name, symbol, with_members=True):
            return True
        return any(
            imported.refs or imported.package or imported.inner
            for local, _ in _split_name(name)
            if (imported := self._imports.get(local)) is not None
        )

    def is_external(self, name: str) -> bool:
        """Check whether a name is imported or a builtin."""
        return any(local in self._imports for local, _ in _split_name(name)) or name in self._language.builtins


def _is_plausible(anchor: str) -> bool:
    """Check whether a name may be that of a symbol, without attributes of objects in between.

    >>> _is_plausible("Store.put"), _is_plausible("shop.Store.put"), _is_plausible("Artist.objects.create")
    (True, True, False)
    """
    *around, _ = anchor.split(".")
    return len(around) < 2 or around[-1][:1].isupper()


def _split_name(name: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a dotted name in two, the longest first part first.

    >>> list(_split_name("a.b.c"))
    [('a.b.c', ''), ('a.b', 'c'), ('a', 'b.c')]
    """
    yield name, ""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:length]), ".".join(parts[length:])
