"""The keys by which links find documents: what a document is called, and what a link may mean."""

import posixpath
from collections.abc import Iterator

from waymeet.analysis import file_name_key, count_terms, path_key, title_key
from waymeet.analysis.keys import short_title_key, trigger_key
from waymeet.ingest.parse import Parsed, RawLink, format_of, has_known_extension
from waymeet.types import Link

MARKDOWN = (".md", ".markdown", ".mdx")
FOLDER_PAGES = ("index.md", "README.md")
_EVERYWHERE = frozenset({"readme", "index", "__init__", "main", "mod", "license", "changelog"})
"""Names that say nothing without their folder."""


def names(path: str, parsed: Parsed) -> tuple[str, ...]:
    """List the keys a document answers to: its path, its file name with and without ending, title and aliases.

    Then those that its parser found, such as the names of what it defines.

    >>> names("docs/Setup.md", Parsed("Getting started", "guide"))
    ('p:docs/setup.md', 'n:setup.md', 'n:setup', 't:getting started')
    """
    titles = [key for title in (parsed.title, *parsed.aliases) for key in (title_key(title), short_title_key(title)) if key]
    titles += [key for phrase in parsed.triggers if (key := trigger_key(phrase))]
    name = path.rpartition("/")[2]
    return tuple(dict.fromkeys((path_key(path), file_name_key(name), file_name_key(_stem(name)), *titles, *parsed.keys)))


def link_keys(target: str, source: str) -> tuple[str, ...]:
    """List the keys a link's target may be known under, the likeliest first.

    As a path from the folder of the linking document, as a path from the root, by file name, by title, as a folder.

    >>> link_keys("setup", "docs/a.md")[:3]
    ('p:docs/setup', 'p:docs/setup.md', 'p:docs/setup.markdown')
    >>> link_keys("../Other Page.md", "docs/a.md")
    ('p:other page.md', 'n:other page.md', 'n:other page', 't:other page')
    """
    found: list[str] = []
    for base in _bases(target, source):
        path = _below_root(base, target)
        if path is not None:
            found.extend(path_key(form) for form in _forms(path))
    name = target.rstrip("/").rpartition("/")[2]
    if "/" not in target or _stem(name).casefold() not in _EVERYWHERE:
        found.extend(_called(target, name))
    if "/" in target and not has_known_extension(name):
        places = (_below_root(base, target) for base in _bases(target, source))
        found.extend(path_key(f"{place}/") for place in places if place not in {None, "."})
    return tuple(dict.fromkeys(found))


def _bases(target: str, source: str) -> tuple[str, ...]:
    """List the folders a path may start from: that of the linking document, unless it says the root, and the root."""
    folder = posixpath.dirname(source)
    if target.startswith("/") or not folder:
        return ("",)
    return (folder,) if target.startswith(("./", "../")) else (folder, "")


def _called(target: str, name: str) -> Iterator[str]:
    """Yield keys by file name and by title. Source files are known by their whole name only."""
    page = _page(name)
    if name.strip("."):
        yield file_name_key(name)
        yield file_name_key(page)
    titles = (page,) if page != name else (target, name)
    yield from filter(None, map(title_key, titles))


def links(path: str, parsed: Parsed) -> Iterator[Link]:
    """Turn a document's links into what a store keeps, leaving out those that lead back to itself.

    Of symbols, which have keys of their own, also those inside one file are kept.
    """
    own = path_key(path)
    for raw in parsed.links:
        keys = raw.refs or link_keys(raw.target, path)
        if raw.refs or (keys and own not in keys[: 1 + len(MARKDOWN)]):
            yield _link(raw, keys, parsed.title)


def _link(raw: RawLink, keys: tuple[str, ...], title: str) -> Link:
    return Link(
        refs=keys,
        kind=raw.kind,
        anchor=raw.anchor,
        source_anchor=raw.section,
        text=raw.text,
        sentence=raw.sentence,
        line=raw.line,
        terms=count_terms(f"{title}\n{raw.text}\n{raw.sentence}") if raw.text or raw.sentence else {},
    )


def _below_root(folder: str, target: str) -> str | None:
    """Join a path, unless it leads out of the root."""
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path == ".." or path.startswith("../") else path


def _forms(path: str) -> Iterator[str]:
    """Yield the files that a path may stand for: itself, a page without its ending, the page of a folder."""
    if path != ".":
        yield path
    if has_known_extension(path.rpartition("/")[2]):
        return
    if path != ".":
        yield from (path + ending for ending in MARKDOWN)
    yield from (posixpath.normpath(posixpath.join(path, page)) for page in FOLDER_PAGES)


def _stem(name: str) -> str:
    return name.rpartition(".")[0] if has_known_extension(name) else name


def _page(name: str) -> str:
    """Name a page without the ending that its file or its printed form has."""
    form = format_of(name)
    return _stem(name) if form.kind == "docs" or form.language == "html" else name
