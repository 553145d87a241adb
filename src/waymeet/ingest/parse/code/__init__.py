"""Parser of source code: symbols, imports, inheritance and calls."""

from collections.abc import Iterator

from waymeet.analysis import symbol_key
from waymeet.analysis.keys import field_key, name_endings
from waymeet.ingest.parse.code.edges import MAX_LINKS, build_links
from waymeet.ingest.parse.code.grammar import match_query
from waymeet.ingest.parse.code.language import Language
from waymeet.ingest.parse.code.languages import LANGUAGES, find_language
from waymeet.ingest.parse.code.symbols import MAX_SYMBOLS, CodeOutline
from waymeet.ingest.parse.markup import fallback
from waymeet.ingest.parse.parsed import Field, Parsed
from waymeet.types import Symbol

__all__ = ["LANGUAGES", "parse"]


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Parse a source file, or keep it as text if there is no grammar for its language."""
    rules = find_language(path, language, text)
    unparsed = fallback.parse(path, text, kind, language)
    if rules is None:
        return unparsed
    source = text.encode("utf-8", "replace")
    try:
        tree, matches = match_query(rules, source)
    except (ImportError, AttributeError, OSError, ValueError) as error:
        warning = f"grammar of {language} not usable ({type(error).__name__}); searched as plain text"
        return Parsed(title=unparsed.title, doc_type=unparsed.doc_type, warnings=(warning,))
    outline = CodeOutline(rules, matches, source)
    links, has_too_many_links = build_links(rules, outline, path)
    del tree  # kept until here, because its nodes do not keep it alive
    return Parsed(
        title=unparsed.title,
        doc_type=unparsed.doc_type,
        symbols=tuple(sorted(outline.symbols.values(), key=lambda symbol: (symbol.start, -symbol.end))),
        fields=tuple(_list_fields(outline)),
        keys=tuple(
            dict.fromkeys((*rules.modules(path), *_list_symbol_keys(rules, outline, path), *_list_field_keys(outline)))
        ),
        links=tuple(links),
        warnings=tuple(_list_warnings(outline, has_too_many_links=has_too_many_links)),
    )


def _list_symbol_keys(rules: Language, outline: CodeOutline, path: str) -> Iterator[str]:
    """Yield the keys of symbols: by name, by qualified name, and by name with the package."""
    packages = [outline.package] if outline.package else _list_package_folders(path)
    for name, symbol in outline.symbols.items():
        if "~" in name or name in outline.declared:
            continue
        parts = name.split(".")
        if symbol.kind == "constructor" or parts[-1].startswith("__"):
            yield symbol_key(name)  # every class has one, so that its name is not specific without the class
            continue
        yield from map(symbol_key, name_endings(name))
        if len(parts) <= 2 if outline.package else _is_reexportable(rules, symbol):
            yield from (symbol_key(f"{package}.{name}") for package in packages)


def _list_fields(outline: CodeOutline) -> Iterator[Field]:
    """Yield the fields that are no symbols, in the order of lines."""
    for name, line in sorted(outline.fields.items(), key=lambda field: field[1]):
        if name not in outline.symbols:
            yield Field(name, line)


def _list_field_keys(outline: CodeOutline) -> Iterator[str]:
    """Yield the keys of fields: by name and by qualified name."""
    for field in _list_fields(outline):
        if not field.name.rpartition(".")[2].startswith("__"):
            yield from map(field_key, name_endings(field.name))


def _list_package_folders(path: str) -> list[str]:
    """List the folders whose package may contain the symbols of a file.

    These are its own folder and, for a file that represents its folder, the one above.

    >>> _list_package_folders("a/models/base.py"), _list_package_folders("a/models/fields/__init__.py")
    (['models'], ['fields', 'models'])
    """
    *folders, name = path.split("/")
    nearest = folders[-2:] if name.partition(".")[0] in {"__init__", "index", "mod"} else folders[-1:]
    return nearest[::-1]


def _is_reexportable(rules: Language, symbol: Symbol) -> bool:
    """Check whether the index file of a folder may reexport a symbol."""
    return rules.visibility == "file" and symbol.exported and "." not in symbol.name


def _list_warnings(outline: CodeOutline, *, has_too_many_links: bool) -> Iterator[str]:
    if outline.has_too_many_symbols:
        yield f"more than {MAX_SYMBOLS:,} symbols; the rest are searched as text"
    if has_too_many_links:
        yield f"more than {MAX_LINKS:,} imports and calls; the rest are ignored"
