"""Metadata of a document, from front matter in any markup language and from its path."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from waymeet.analysis.doc_types import normalise_doc_type
from waymeet.ingest.parse.metadata.frontmatter import flatten, iterate_texts, split_list, unique
from waymeet.ingest.parse.metadata.guess_doc_type import guess_doc_type
from waymeet.ingest.parse.metadata.relations import list_relations
from waymeet.ingest.parse.metadata.translations import find_language, link_original
from waymeet.ingest.parse.parsed import RawLink

TIERS = ("constitutional", "critical", "important", "normal", "temporary", "deprecated")
"""Importance of a document, the highest first; stored as its property `tier`."""
_TIER_KEYS = ("importance_tier", "tier", "importance", "importance_level")
_TIER_WORDS = {tier: tier for tier in TIERS} | {
    "constitution": "constitutional",
    "high": "important",
    "medium": "normal",
    "default": "normal",
    "temp": "temporary",
    "obsolete": "deprecated",
}
_SEPARATORS = re.compile(r"[\W_]+")
_ATTRIBUTE_KEYS = frozenset({"title", "tags", "keywords", "aliases", "alias", "trigger_phrases", "triggers"})


class DocumentMetadata(Struct, frozen=True):
    """Metadata of a document."""

    title: str
    doc_type: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    triggers: tuple[str, ...]
    properties: Mapping[str, str]
    links: tuple[RawLink, ...]


def read_metadata(values: Mapping[str, Any], path: str, kind: str, language: str, text: str = "") -> DocumentMetadata:
    """Read metadata from front matter, with defaults from the path and the text."""
    lowered = {key.lower(): value for key, value in values.items()}
    doc_type = next(iterate_texts(lowered.get("doc_type", lowered.get("type"))), "")
    return DocumentMetadata(
        title=next(iterate_texts(lowered.get("title")), ""),
        doc_type=normalise_doc_type(doc_type) if doc_type else guess_doc_type(path, kind, language),
        tags=unique(
            tag.lstrip("#") for key in ("tags", "keywords") for tag in split_list(lowered.get(key)) if tag.strip("#")
        ),
        aliases=unique((*iterate_texts(lowered.get("aliases")), *iterate_texts(lowered.get("alias")))),
        triggers=unique((*iterate_texts(lowered.get("trigger_phrases")), *iterate_texts(lowered.get("triggers")))),
        properties=dict(_list_properties(values)) | dict(_derive_properties(lowered, path, text)),
        links=(*list_relations(values, path), *link_original(path)),
    )


def read_tier(values: Mapping[str, Any]) -> str:
    """Read the importance of a document as one of `TIERS`, empty if it has none.

    >>> read_tier({"importance": "Critical"}), read_tier({"deprecated": True}), read_tier({"tier": "gold"})
    ('critical', 'deprecated', '')
    """
    for key in _TIER_KEYS:
        for text in iterate_texts(values.get(key)):
            word = _SEPARATORS.sub("-", text.lower()).strip("-")
            if word in _TIER_WORDS:
                return _TIER_WORDS[word]
    return "deprecated" if values.get("deprecated") is True else ""


def _list_properties(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the front matter that has no attribute of its own, as flat text."""
    attribute_keys = _ATTRIBUTE_KEYS | {"doc_type" if "doc_type" in {key.lower() for key in values} else "type"}
    yield from flatten({key: value for key, value in values.items() if key.lower() not in attribute_keys})


def _derive_properties(lowered: Mapping[str, Any], path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the normalised properties `tier` and `lang`."""
    if tier := read_tier(lowered):
        yield "tier", tier
    if code := find_language(path, lowered, text):
        yield "lang", code
