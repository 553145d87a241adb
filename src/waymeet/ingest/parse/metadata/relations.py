"""Links in front matter: sources, typed links and translations."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from waymeet.analysis import file_name_key, path_key
from waymeet.ingest.filetypes import has_known_extension
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts
from waymeet.ingest.parse.parsed import RawLink
from waymeet.ingest.parse.references.link_syntax import (
    KINDS,
    REFERENCES,
    normalise_kind,
    parse_inline_link,
    parse_wikilink,
)
from waymeet.ingest.parse.references.paths import join_below_root, join_to_source_folder

SOURCE = "source"
TRANSLATION = "translation"
_MAX_LINKS = 500
"""Links that are kept of one front matter."""
_SOURCE_KEYS = frozenset({"source_refs", "source_ref", "source_files", "source_file"})
_POSSIBLE_SOURCE_KEYS = frozenset({"sources", "covers", "describes"})
"""Keys that name source files if the value looks like a path; otherwise they are citations."""
_RELATION_KEYS = frozenset({"subtask_of", "blocks", "related_to", "belongs_to", "variant_of"})
_KIND_SYNONYMS = {
    "related": "related_to",
    "see_also": REFERENCES,
    "superseded_by": "superseded_by",
    "blocked_by": "blocked_by",
}
_MAP_KEYS = frozenset({"links", "relations", "relationships"})
_TRANSLATION_KEYS = frozenset({"translation_of", "translations", "translates"})
_TARGET_KEYS = ("target", "to", "path", "page", "file", "ref")
_KIND_KEYS = ("type", "kind", "rel", "relation")
_NOT_A_NAME = frozenset({"true", "false", "yes", "no", "on", "off", "none", "null", "~"})
_WIKI = re.compile(r"!?\[\[(?P<target>[^\[\]|]+)(?:\|(?P<label>[^\[\]]*))?\]\]")
_MARKDOWN = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LOCATION = re.compile(
    r"(?P<path>.+?)(?:::?(?P<line>\d+)(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|(?:#|::)(?P<symbol>[^#:\s][^#\s]*))?"
)


def list_relations(values: Mapping[str, Any], path: str) -> Iterator[RawLink]:
    """Yield the links in front matter, up to a limit."""
    for number, link in enumerate(_find_links(values, path)):
        if number >= _MAX_LINKS:
            return
        yield link


def _find_links(values: Mapping[str, Any], path: str) -> Iterator[RawLink]:
    for written, value in values.items():
        key = normalise_kind(written)
        if key in _SOURCE_KEYS or key in _POSSIBLE_SOURCE_KEYS:
            yield from _find_sources(value, path, is_certain=key in _SOURCE_KEYS)
        elif key in _TRANSLATION_KEYS:
            yield from filter(None, (_parse_target(each, TRANSLATION) for each in _find_targets(value)))
        elif key in _MAP_KEYS:
            yield from _find_typed_links(value)
        elif key in KINDS or key in _RELATION_KEYS or key in _KIND_SYNONYMS:
            yield from filter(
                None, (_parse_target(each, _KIND_SYNONYMS.get(key, key)) for each in _find_targets(value))
            )


def _find_sources(value: object, path: str, *, is_certain: bool) -> Iterator[RawLink]:
    """Yield links to source files, relative to the root or to the document's folder."""
    for written in _find_targets(value):
        match = _LOCATION.fullmatch(written.strip().strip("`").replace("\\", "/"))
        if match is None or _EXTERNAL.match(written):
            continue
        target = match["path"].removeprefix("./") if not match["path"].startswith("../") else match["path"]
        name = target.rstrip("/").rpartition("/")[2]
        if not is_certain and not has_known_extension(name) and "/" not in target:
            continue
        candidates = (join_below_root("", target), join_to_source_folder(path, target))
        paths = [candidate for candidate in candidates if candidate]
        keys = dict.fromkeys(map(path_key, paths))
        if not has_known_extension(name):  # it may be a folder, whose path ends with a slash
            keys |= dict.fromkeys(path_key(f"{each}/") for each in paths)
        if "/" not in target:
            keys[file_name_key(name)] = None
        if keys:
            yield RawLink(target, match["symbol"] or "", SOURCE, written, "", 1, "", tuple(keys))


def _find_typed_links(value: object) -> Iterator[RawLink]:
    """Yield links of any kind from `{kind: targets}`, `[{target: …, type: …}]` or a list."""
    if isinstance(value, dict) and not _first_text(value, _TARGET_KEYS):
        for kind, targets in value.items():
            yield from filter(None, (_parse_target(each, normalise_kind(str(kind))) for each in _find_targets(targets)))
        return
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            kind = normalise_kind(_first_text(item, _KIND_KEYS)) or REFERENCES
            link = _parse_target(_first_text(item, _TARGET_KEYS), kind)
        else:
            link = _parse_target(next(iterate_texts(item), ""), REFERENCES)
        if link:
            yield link


def _first_text(values: Mapping[Any, Any], keys: tuple[str, ...]) -> str:
    return next(
        (text for key in keys for text in iterate_texts(values.get(key)) if isinstance(values.get(key), str)), ""
    )


def _find_targets(value: object) -> Iterator[str]:
    """Yield the names in a value, without numbers and booleans."""
    if isinstance(value, dict):
        target = _first_text(value, _TARGET_KEYS)
        if target:
            yield target
        else:
            for item in value.values():
                yield from _find_targets(item)
    elif isinstance(value, list):
        for item in value:
            yield from _find_targets(item)
    elif isinstance(value, str) and value.strip() and value.strip().lower() not in _NOT_A_NAME:
        if _WIKI.search(value) or _MARKDOWN.search(value):
            yield from (
                match.group() for match in re.finditer(f"{_WIKI.pattern}|\\[[^\\[\\]]*\\]\\([^()\\s]+\\)", value)
            )
        else:
            yield from (part.strip() for part in value.split(",") if part.strip())


def _parse_target(written: str, kind: str) -> RawLink | None:
    """Parse a target: `[[page]]`, `[text](page.md)`, or a path, name or title."""
    label = ""
    if wiki := _WIKI.fullmatch(written):
        link, label = parse_wikilink(wiki["target"], None, embedded=False), wiki["label"] or ""
    elif markdown := _MARKDOWN.fullmatch(written):
        link, label = parse_inline_link(markdown["target"], "", embedded=False), markdown["text"]
    else:
        link = parse_wikilink(written, None, embedded=False)
    if link is None or not kind:
        return None
    return RawLink(link.target, link.anchor, kind, label or link.target, "", 1, "")
