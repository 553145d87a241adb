"""Source code: what it defines, and how its files hang together."""

from collections.abc import Iterator

from waymeet.analysis import symbol_key
from waymeet.ingest.parse.code.edges import MOST_LINKS, draw
from waymeet.ingest.parse.code.grammar import matches
from waymeet.ingest.parse.code.language import Language
from waymeet.ingest.parse.code.languages import LANGUAGES, language_of
from waymeet.ingest.parse.code.symbols import MOST_SYMBOLS, Outline
from waymeet.ingest.parse.markup import fallback as plain
from waymeet.ingest.parse.parsed import Parsed
from waymeet.types import Symbol

__all__ = ["LANGUAGES", "parse"]


def parse(path: str, text: str, kind: str, language: str) -> Parsed:
    """Read a file of source code. One in a language whose grammar cannot be loaded is text."""
    known = language_of(path, language, text)
    found = plain.parse(path, text, kind, language)
    if known is None:
        return found
    source = text.encode("utf-8", "replace")
    try:
        tree, marked = matches(known, source)
    except (ImportError, AttributeError, OSError, ValueError) as error:
        note = f"the grammar of {language} cannot be used ({type(error).__name__}): it is searched as text"
        return Parsed(title=found.title, doc_type=found.doc_type, warnings=(note,))
    outline = Outline(known, marked, source)
    links, too_many_links = draw(known, outline, path)
    del tree  # kept until here, for the nodes are its own
    return Parsed(
        title=found.title,
        doc_type=found.doc_type,
        symbols=tuple(sorted(outline.symbols.values(), key=lambda symbol: (symbol.start, -symbol.end))),
        keys=tuple(dict.fromkeys((*known.modules(path), *_keys(known, outline, path)))),
        links=tuple(links),
        warnings=tuple(_notes(outline, too_many_links=too_many_links)),
    )


def _keys(language: Language, outline: Outline, path: str) -> Iterator[str]:
    """Yield the keys of symbols: by name, by name with those it lies in, and by name with its package."""
    packages = [outline.package] if outline.package else _folders(path)
    for name, symbol in outline.symbols.items():
        if "~" in name or name in outline.declared:
            continue
        parts = name.split(".")
        if symbol.kind == "constructor" or parts[-1].startswith("__"):
            yield symbol_key(name)  # every class has one: without its class it says nothing
            continue
        yield from (symbol_key(".".join(parts[at:])) for at in range(len(parts) - 1, -1, -1))
        if len(parts) <= 2 if outline.package else _handed_on(language, symbol):
            yield from (symbol_key(f"{package}.{name}") for package in packages)


def _folders(path: str) -> list[str]:
    """Name the folder a file lies in; a file that stands for its folder lies in the one above, too.

    >>> _folders("a/models/base.py"), _folders("a/models/fields/__init__.py")
    (['models'], ['fields', 'models'])
    """
    *folders, name = path.split("/")
    last = folders[-2:] if name.partition(".")[0] in {"__init__", "index", "mod"} else folders[-1:]
    return last[::-1]


def _handed_on(language: Language, symbol: Symbol) -> bool:
    """Tell whether the file that stands for a folder may hand a symbol on to those who import the folder."""
    return language.reach == "file" and symbol.exported and "." not in symbol.name


def _notes(outline: Outline, *, too_many_links: bool) -> Iterator[str]:
    if outline.too_many:
        yield f"defines more than {MOST_SYMBOLS:,} symbols: the rest are searched as text"
    if too_many_links:
        yield f"has more than {MOST_LINKS:,} imports and calls: the rest are not followed"
