"""Keys that connect links with documents: those of a document and those of a link's target."""

import posixpath
from collections.abc import Iterator

from waymeet.analysis import count_terms, file_name_key, path_key, title_key
from waymeet.analysis.keys import short_title_key, trigger_key
from waymeet.ingest.filetypes import file_type, has_known_extension
from waymeet.ingest.parse import Parsed, RawLink
from waymeet.types import Link

_MARKDOWN = (".md", ".markdown", ".mdx")
_FOLDER_PAGES = ("index.md", "README.md")
_COMMON_NAMES = frozenset({"readme", "index", "__init__", "main", "mod", "license", "changelog"})
"""File names that occur in many folders and identify a file only together with its folder."""


def document_keys(path: str, parsed: Parsed) -> tuple[str, ...]:
    """List the keys of a document, by which links find it.

    These are its path, its file name with and without extension, its title, aliases and trigger phrases, and the keys
    that its parser found, such as the names of its symbols.

    >>> document_keys("docs/Setup.md", Parsed("Getting started", "guide"))
    ('p:docs/setup.md', 'n:setup.md', 'n:setup', 't:getting started')
    """
    titles = (parsed.title, *parsed.aliases)
    title_keys = [key for title in titles for key in (title_key(title), short_title_key(title)) if key]
    trigger_keys = [key for phrase in parsed.triggers if (key := trigger_key(phrase))]
    name = path.rpartition("/")[2]
    file_keys = (path_key(path), file_name_key(name), file_name_key(_stem(name)))
    return tuple(dict.fromkeys((*file_keys, *title_keys, *trigger_keys, *parsed.keys)))


def link_keys(target: str, source: str) -> tuple[str, ...]:
    """List the keys that a link's target may have, the likeliest first.

    As a path from the folder of the linking document, as a path from the root, by file name, by title, as a folder.

    >>> link_keys("setup", "docs/a.md")[:3]
    ('p:docs/setup', 'p:docs/setup.md', 'p:docs/setup.markdown')
    >>> link_keys("../Other Page.md", "docs/a.md")
    ('p:other page.md', 'n:other page.md', 'n:other page', 't:other page')
    """
    keys: list[str] = []
    for base in _bases(target, source):
        path = _below_root(base, target)
        if path is not None:
            keys.extend(path_key(file) for file in _candidate_files(path))
    name = target.rstrip("/").rpartition("/")[2]
    if "/" not in target or _stem(name).casefold() not in _COMMON_NAMES:
        keys.extend(_name_keys(target, name))
    if "/" in target and not has_known_extension(name):
        folders = (_below_root(base, target) for base in _bases(target, source))
        keys.extend(path_key(f"{folder}/") for folder in folders if folder not in {None, "."})
    return tuple(dict.fromkeys(keys))


def _bases(target: str, source: str) -> tuple[str, ...]:
    """List the folders that a path may be relative to: that of the linking document, the root."""
    folder = posixpath.dirname(source)
    if target.startswith("/") or not folder:
        return ("",)
    return (folder,) if target.startswith(("./", "../")) else (folder, "")


def _name_keys(target: str, name: str) -> Iterator[str]:
    """Yield the keys by file name and by title, for source files with the extension only."""
    page = _page_name(name)
    if name.strip("."):
        yield file_name_key(name)
        yield file_name_key(page)
    titles = (page,) if page != name else (target, name)
    yield from filter(None, map(title_key, titles))


def build_links(path: str, parsed: Parsed) -> Iterator[Link]:
    """Build the stored links of a document, without links to itself.

    Links between symbols, which have keys of their own, are kept inside one file, too.
    """
    own = path_key(path)
    for raw in parsed.links:
        keys = raw.refs or link_keys(raw.target, path)
        if raw.refs or (keys and own not in keys[: 1 + len(_MARKDOWN)]):
            yield _build_link(raw, keys, parsed.title)


def _build_link(raw: RawLink, keys: tuple[str, ...], title: str) -> Link:
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
    """Join a folder and a path, or return None if the result is outside of the root."""
    path = posixpath.normpath(posixpath.join(folder, target.lstrip("/")))
    return None if path == ".." or path.startswith("../") else path


def _candidate_files(path: str) -> Iterator[str]:
    """Yield the files that a path may refer to, such as the page without its extension."""
    if path != ".":
        yield path
    if has_known_extension(path.rpartition("/")[2]):
        return
    if path != ".":
        yield from (path + extension for extension in _MARKDOWN)
    yield from (posixpath.normpath(posixpath.join(path, page)) for page in _FOLDER_PAGES)


def _stem(name: str) -> str:
    return name.rpartition(".")[0] if has_known_extension(name) else name


def _page_name(name: str) -> str:
    """Strip the extension of a documentation page from its file name."""
    type_ = file_type(name)
    return _stem(name) if type_.kind == "docs" or type_.language == "html" else name
