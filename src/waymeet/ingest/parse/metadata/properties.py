"""What the front matter of a document says about it, whatever the document is written in."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from waymeet.ingest.parse.metadata.frontmatter import flattened, iterate_texts, split_list, unique
from waymeet.ingest.parse.metadata.guess_doc_type import guessed, normalise_doc_type
from waymeet.ingest.parse.metadata.relations import relations
from waymeet.ingest.parse.metadata.translations import counterparts, spoken
from waymeet.ingest.parse.parsed import RawLink

TIERS = ("constitutional", "critical", "important", "normal", "temporary", "deprecated")
"""How much a document matters, the most first; kept as its property `tier`."""
_TIER_KEYS = ("importance_tier", "tier", "importance", "importance_level")
_TIER_WORDS = {tier: tier for tier in TIERS} | {
    "constitution": "constitutional",
    "high": "important",
    "medium": "normal",
    "default": "normal",
    "temp": "temporary",
    "obsolete": "deprecated",
}
_BETWEEN = re.compile(r"[\W_]+")
_TAKEN = frozenset({"title", "tags", "keywords", "aliases", "alias", "trigger_phrases", "triggers"})


class About(Struct, frozen=True):
    """What is known of a document beside its text."""

    title: str
    doc_type: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    triggers: tuple[str, ...]
    properties: Mapping[str, str]
    links: tuple[RawLink, ...]


def about(values: Mapping[str, Any], path: str, kind: str, language: str, text: str = "") -> About:
    """Read front matter; where it is silent, the path and the script of the text speak."""
    known = {key.lower(): value for key, value in values.items()}
    doc_type = next(iterate_texts(known.get("doc_type", known.get("type"))), "")
    return About(
        title=next(iterate_texts(known.get("title")), ""),
        doc_type=normalise_doc_type(doc_type) if doc_type else guessed(path, kind, language),
        tags=unique(
            tag.lstrip("#") for key in ("tags", "keywords") for tag in split_list(known.get(key)) if tag.strip("#")
        ),
        aliases=unique((*iterate_texts(known.get("aliases")), *iterate_texts(known.get("alias")))),
        triggers=unique((*iterate_texts(known.get("trigger_phrases")), *iterate_texts(known.get("triggers")))),
        properties=dict(_properties(values)) | dict(_derived(known, path, text)),
        links=(*relations(values, path), *counterparts(path)),
    )


def tier(values: Mapping[str, Any]) -> str:
    """Give how much a document matters in one of our words; empty if nothing is said, or nothing we understand.

    >>> tier({"importance": "Critical"}), tier({"deprecated": True}), tier({"tier": "gold"})
    ('critical', 'deprecated', '')
    """
    for key in _TIER_KEYS:
        for each in iterate_texts(values.get(key)):
            word = _BETWEEN.sub("-", each.lower()).strip("-")
            if word in _TIER_WORDS:
                return _TIER_WORDS[word]
    return "deprecated" if values.get("deprecated") is True else ""


def _properties(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what no attribute of the document says, as flat text."""
    taken = _TAKEN | {"doc_type" if "doc_type" in {key.lower() for key in values} else "type"}
    yield from flattened({key: value for key, value in values.items() if key.lower() not in taken})


def _derived(known: Mapping[str, Any], path: str, text: str) -> Iterator[tuple[str, str]]:
    """Give the properties that are spelled alike in all documents, whatever their authors call them."""
    if matters := tier(known):
        yield "tier", matters
    if code := spoken(path, known, text):
        yield "lang", code
