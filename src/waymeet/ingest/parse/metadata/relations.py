"""What front matter says of other documents: the sources it describes, typed links, translations."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from waymeet.analysis import file_name_key, path_key
from waymeet.ingest.filetypes import has_known_extension
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts
from waymeet.ingest.parse.parsed import RawLink
from waymeet.ingest.parse.references.link_syntax import KINDS, REFERENCES, any_kind, inline, wikilink
from waymeet.ingest.parse.references.paths import below_root, from_folder

SOURCE = "source"
TRANSLATION = "translation"
MOST = 500
"""Links taken from one front matter."""
_SOURCES = frozenset({"source_refs", "source_ref", "source_files", "source_file"})
_MAYBE_SOURCES = frozenset({"sources", "covers", "describes"})
"""Keys that name source files if what they name looks like a path; else they cite something."""
_BETWEEN = frozenset({"subtask_of", "blocks", "related_to", "belongs_to", "variant_of"})
_SPELLED = {
    "related": "related_to",
    "see_also": REFERENCES,
    "superseded_by": "superseded_by",
    "blocked_by": "blocked_by",
}
_MAPS = frozenset({"links", "relations", "relationships"})
_TRANSLATIONS = frozenset({"translation_of", "translations", "translates"})
_TARGET = ("target", "to", "path", "page", "file", "ref")
_KIND = ("type", "kind", "rel", "relation")
_SAID = frozenset({"true", "false", "yes", "no", "on", "off", "none", "null", "~"})
_WIKI = re.compile(r"!?\[\[(?P<target>[^\[\]|]+)(?:\|(?P<label>[^\[\]]*))?\]\]")
_MARKDOWN = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PLACE = re.compile(
    r"(?P<path>.+?)(?:::?(?P<line>\d+)(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|(?:#|::)(?P<symbol>[^#:\s][^#\s]*))?"
)


def relations(values: Mapping[str, Any], path: str) -> Iterator[RawLink]:
    """Yield the links that front matter states."""
    for number, link in enumerate(_stated(values, path)):
        if number >= MOST:
            return
        yield link


def _stated(values: Mapping[str, Any], path: str) -> Iterator[RawLink]:
    for written, value in values.items():
        key = any_kind(written)
        if key in _SOURCES or key in _MAYBE_SOURCES:
            yield from _sources(value, path, sure=key in _SOURCES)
        elif key in _TRANSLATIONS:
            yield from filter(None, (_link(each, TRANSLATION) for each in _targets(value)))
        elif key in _MAPS:
            yield from _mapped(value)
        elif key in KINDS or key in _BETWEEN or key in _SPELLED:
            yield from filter(None, (_link(each, _SPELLED.get(key, key)) for each in _targets(value)))


def _sources(value: object, path: str, *, sure: bool) -> Iterator[RawLink]:
    """Yield links to source files, which are meant from the root of the project or else from the document's folder."""
    for written in _targets(value):
        found = _PLACE.fullmatch(written.strip().strip("`").replace("\\", "/"))
        if found is None or _ELSEWHERE.match(written):
            continue
        target = found["path"].removeprefix("./") if not found["path"].startswith("../") else found["path"]
        name = target.rstrip("/").rpartition("/")[2]
        if not sure and not has_known_extension(name) and "/" not in target:
            continue
        places = [place for place in (below_root("", target), from_folder(path, target)) if place]
        keys = dict.fromkeys(map(path_key, places))
        if not has_known_extension(name):  # it may be a folder, whose path ends with a slash
            keys |= dict.fromkeys(path_key(f"{place}/") for place in places)
        if "/" not in target:
            keys[file_name_key(name)] = None
        if keys:
            yield RawLink(target, found["symbol"] or "", SOURCE, written, "", 1, "", tuple(keys))


def _mapped(value: object) -> Iterator[RawLink]:
    """Yield links of any kind: `{kind: targets}`, `[{target: …, type: …}]` or a plain list."""
    if isinstance(value, dict) and not _chosen(value, _TARGET):
        for kind, targets in value.items():
            yield from filter(None, (_link(each, any_kind(str(kind))) for each in _targets(targets)))
        return
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            kind = any_kind(_chosen(each, _KIND)) or REFERENCES
            link = _link(_chosen(each, _TARGET), kind)
        else:
            link = _link(next(iterate_texts(each), ""), REFERENCES)
        if link:
            yield link


def _chosen(values: Mapping[Any, Any], keys: tuple[str, ...]) -> str:
    return next(
        (text for key in keys for text in iterate_texts(values.get(key)) if isinstance(values.get(key), str)), ""
    )


def _targets(value: object) -> Iterator[str]:
    """Yield the names in a value: numbers and truth values name nothing."""
    if isinstance(value, dict):
        found = _chosen(value, _TARGET)
        if found:
            yield found
        else:
            for each in value.values():
                yield from _targets(each)
    elif isinstance(value, list):
        for each in value:
            yield from _targets(each)
    elif isinstance(value, str) and value.strip() and value.strip().lower() not in _SAID:
        if _WIKI.search(value) or _MARKDOWN.search(value):
            yield from (
                found.group() for found in re.finditer(f"{_WIKI.pattern}|\\[[^\\[\\]]*\\]\\([^()\\s]+\\)", value)
            )
        else:
            yield from (part.strip() for part in value.split(",") if part.strip())


def _link(written: str, kind: str) -> RawLink | None:
    """Understand a target: `[[page]]`, `[text](page.md)`, or a path, name or title as it is."""
    shown = ""
    if wiki := _WIKI.fullmatch(written):
        meant, shown = wikilink(wiki["target"], None, embedded=False), wiki["label"] or ""
    elif markdown := _MARKDOWN.fullmatch(written):
        meant, shown = inline(markdown["target"], "", embedded=False), markdown["text"]
    else:
        meant = wikilink(written, None, embedded=False)
    if meant is None or not kind:
        return None
    return RawLink(meant.target, meant.anchor, kind, shown or meant.target, "", 1, "")
