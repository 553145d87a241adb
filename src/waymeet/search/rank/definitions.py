"""Sections that define a name, and sections that describe it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from waymeet.analysis import path_key
from waymeet.analysis.file_roles import (
    BUILD_OUTPUT,
    CHANGELOG,
    EXAMPLE,
    GENERATED,
    MINIFIED,
    RELEASE_NOTES,
    TEST,
    VENDORED,
)
from waymeet.analysis.identifiers import documented_name, documented_names
from waymeet.analysis.keys import FIELD_PREFIX, documented_key, field_key, name_endings, symbol_key
from waymeet.ports import Store
from waymeet.search.understand.query_names import QueryName, has_name, is_code_like, naming_styles
from waymeet.types import Chunk, Document, Node

MAX_DEFINITIONS = 20
"""Documents that may define or describe a name. A name in more of them is too common to be raised."""
_DECLARATIONS = re.compile(r"(?P<stem>.*)(?:\.d\.[cm]?ts|\.pyi|\.h|\.hpp|\.hh)")
"""Files that declare what other files define."""
_RULE = re.compile(r"([-=~^\"'`*+#.:])\1{2,}\s*")
"""Rule below a heading."""
_COMPILED = re.compile(r"(?P<stem>.*)\.[cm]?jsx?")
_NO_DOCUMENTATION = frozenset({CHANGELOG, RELEASE_NOTES, TEST})
_SOURCE, _COPY, _DECLARATION, _EXAMPLE, _TEST = range(5)
_ROLE_RANKS = {TEST: _TEST, EXAMPLE: _EXAMPLE, **dict.fromkeys((GENERATED, MINIFIED, VENDORED, BUILD_OUTPUT), _COPY)}
_VALUES = frozenset({"constant", "variable"})
_MAX_BASES = 4
"""Base classes above each other in which a member is looked for."""


class Definition(NamedTuple):
    """A section that defines a name, with the values by which definitions are sorted."""

    role: int
    is_other: bool
    """Whether the documentation describes a member of another class under this name."""
    is_member: bool
    """Whether the name in the query is only the last part of the symbol's name."""
    is_internal: bool
    negative_score: float
    document: str
    ordinal: int
    chunk: str
    is_value: bool = False
    """Whether the name is a key of a constant object, such as an option with its default, and no member of a type."""


class Description(NamedTuple):
    """A section that describes a name, with the values by which descriptions are sorted."""

    rank: int
    negative_score: float
    document: str
    ordinal: int
    chunk: str
    name: str
    """The name as it is described, perhaps with its class."""


def _list_spellings(name: str) -> list[str]:
    """List a name in all naming styles, the scope also as a class, and a plain word as it is.

    >>> _list_spellings("reply.setCode")
    ['reply.setCode', 'reply.set_code', 'reply.SetCode', 'Reply.setCode', 'Reply.set_code', 'Reply.SetCode']
    >>> _list_spellings("Search")
    ['Search']
    """
    if not is_code_like(name):
        return [name]
    scope, dot, last = name.rpartition(".")
    names = (name, f"{scope[:1].upper()}{scope[1:]}{dot}{last}") if dot else (name,)
    return list(dict.fromkeys(style for each in names for style in naming_styles(each)))


def _list_endings(name: str) -> list[str]:
    """List a dotted name without its first parts, the longest first.

    Of the last part alone only a specific one is listed: `json` in `response.json` may be anything.

    >>> _list_endings("shop.Store.put"), _list_endings("response.json"), _list_endings("flask.Blueprint")
    (['Store.put'], [], ['Blueprint'])
    """
    endings = list(name_endings(name))[-2::-1]
    return [ending for ending in endings if "." in ending or is_code_like(ending) or ending[:1].isupper()]


def _inherited_names(name: str, store: Store) -> list[str]:
    """List the name of a member in the base classes of its class."""
    scope, _, last = name.rpartition(".")
    defining = store.documents_by_key([symbol_key(scope)], MAX_DEFINITIONS).values() if scope else ()
    nodes = {Node(document, scope) for documents in defining for document in documents}
    bases: dict[str, None] = {}
    for _ in range(_MAX_BASES):
        edges = store.edges({node.document for node in nodes}, ("extends",)) if nodes else ()
        nodes = {edge.target for edge in edges if edge.target and edge.source in nodes} - {None}
        bases |= dict.fromkeys(sorted(node.anchor for node in nodes))
    return [f"{base}.{last}" for base in bases if base]


def find_definitions(name: QueryName, described: str, store: Store, scores: Mapping[str, float]) -> list[Definition]:
    """Find the sections that define a name, source files first, then declarations, then tests.

    The search ends with the first names found: as written, in other styles, in base classes, without scopes. Fields
    count if the name is no plain word and no symbol has it.
    """
    has_fields = name.is_code or not name.name.islower()
    for list_names in (_list_spellings, partial(_inherited_names, store=store), _list_endings):
        make_keys = (symbol_key, field_key) if has_fields else (symbol_key,)
        keys = {make_key(each): each for each in list_names(name.name) for make_key in make_keys}
        by_key = store.documents_by_key(keys, MAX_DEFINITIONS) if keys else {}
        for key in filter(by_key.__contains__, keys):
            is_field = key.startswith(FIELD_PREFIX)
            chunks = store.chunks_of(by_key[key])
            matching = _matching_chunks(chunks, keys[key], is_field=is_field)
            if matching:
                roles = _rank_roles(store.documents(by_key[key]).values(), store)
                found = sorted(_rank_definition(match, keys[key], described, roles, scores) for match in matching)
                found = _list_best(found)
                if is_field:
                    first = found[0]
                    found[0] = first._replace(is_value=_is_value(first, matching, chunks[first.document]))
                return found
    return []


def _is_value(definition: Definition, matching: Sequence[tuple[Chunk, list[str]]], chunks: Sequence[Chunk]) -> bool:
    """Check whether the fields of a definition are keys of constant objects."""
    kinds = {symbol.name: symbol.kind for chunk in chunks for symbol in chunk.symbols}
    names = next(names for chunk, names in matching if chunk.id == definition.chunk)
    return all(kinds.get(name.rpartition(".")[0]) in _VALUES for name in names)


def _list_best(definitions: Sequence[Definition]) -> list[Definition]:
    """List the first of sorted definitions and those in other source files that are as exact."""
    first = definitions[0]
    is_exact = [each for each in definitions if (each.is_other, each.is_member) == (first.is_other, first.is_member)]
    return [first, *(each for each in is_exact[1:] if each.role == _SOURCE)]


def _matching_chunks(
    chunks: Mapping[str, Sequence[Chunk]], name: str, *, is_field: bool
) -> list[tuple[Chunk, list[str]]]:
    """List the sections in which symbols or fields of a name begin, with their whole names."""
    matching = []
    for chunk in (chunk for some in chunks.values() for chunk in some):
        continued = ".".join(chunk.headings)  # a symbol that begins in an earlier section
        names = (
            [anchor for anchor in chunk.anchors if not has_name(continued, anchor)]
            if is_field
            else [symbol.name for symbol in chunk.symbols]
        )
        if own := [each for each in names if has_name(each, name)]:
            matching.append((chunk, own))
    return matching


def _rank_definition(
    match: tuple[Chunk, list[str]], name: str, described: str, roles: Mapping[str, int], scores: Mapping[str, float]
) -> Definition:
    chunk, names = match
    exported = {symbol.name for symbol in chunk.symbols if symbol.exported}
    return Definition(
        role=roles[chunk.document],
        is_other=not any(has_name(each, described) for each in names),
        is_member=all(each.partition("~")[0] != name for each in names),
        is_internal=exported.isdisjoint(names),
        negative_score=-scores.get(chunk.id, 0.0),
        document=chunk.document,
        ordinal=chunk.ordinal,
        chunk=chunk.id,
    )


def _rank_roles(documents: Collection[Document], store: Store) -> dict[str, int]:
    """Rank files as places of definitions, the lower the better.

    A script beside a declaration file of the same name is compiled, if there is another file with the definition.
    """
    stems = {document.id: match["stem"] for document in documents if (match := _COMPILED.fullmatch(document.id))}
    declarations = {path_key(f"{stem}.d.{end}") for stem in stems.values() for end in ("ts", "cts", "mts")}
    known = store.documents_by_key(declarations).keys() if declarations else frozenset[str]()
    ranks: dict[str, int] = {}
    for document in documents:
        stem = stems.get(document.id, "")
        if document.role in _ROLE_RANKS:
            ranks[document.id] = _ROLE_RANKS[document.role]
        elif _DECLARATIONS.fullmatch(document.id):
            ranks[document.id] = _DECLARATION
        else:
            is_compiled = any(path_key(f"{stem}.d.{end}") in known for end in ("ts", "cts", "mts"))
            ranks[document.id] = _COPY if is_compiled else _SOURCE
    return ranks


def find_description(name: str, store: Store, scores: Mapping[str, float]) -> Description | None:
    """Find the section whose heading or directive is a name."""
    names = [*_list_spellings(name), *_list_endings(name)]
    by_key = store.documents_by_key([documented_key(each) for each in names], MAX_DEFINITIONS)
    for each in names:
        pages = [
            id_
            for id_, document in store.documents(by_key.get(documented_key(each), ())).items()
            if document.role not in _NO_DOCUMENTATION
        ]
        found = [
            Description(
                description[0], -scores.get(chunk.id, 0.0), chunk.document, chunk.ordinal, chunk.id, description[1]
            )
            for chunks in store.chunks_of(pages).values()
            for chunk in chunks
            if (description := _describe(chunk, each))
        ]
        if found:
            return min(found)
    return None


def _describe(chunk: Chunk, name: str) -> tuple[int, str] | None:
    """Find how a section describes a name: rank and name as written.

    It does so by a heading (rank 0), by a directive (1) or as a continued section (2).
    """
    last = name.rpartition(".")[2]
    lines = chunk.text.split("\n") if last in chunk.text else []
    headings = (documented_name(line) for line in _list_headings(lines) if last in line)
    directives = (directive for _, directive in documented_names(lines))
    own = documented_name(chunk.headings[-1]) if chunk.headings else ""
    matches = [
        *((0, heading) for heading in headings if has_name(heading, name)),
        *((1, directive) for directive in directives if directive.rpartition(".")[2] == last),
        *([(2, own)] if has_name(own, name) else ()),
    ]
    return min(matches, default=None)


def _list_headings(lines: Sequence[str]) -> Iterator[str]:
    """Yield the headings of Markdown, AsciiDoc or reStructuredText, without marks."""
    for line, below in pairwise((*lines, "")):
        if line.startswith(("#", "=")):
            yield line.strip("#= ")
        elif _RULE.fullmatch(below):
            yield line
