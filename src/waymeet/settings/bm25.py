"""Settings of the lexical score: BM25F with field weights."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Part, Weight


class FieldWeights(Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of the fields in the lexical score."""

    title: Weight = 3.0
    """Weight of a word in the document's title."""
    headings: Weight = 2.0
    """Weight of a word in the headings above a section, or the names around a symbol."""
    path: Weight = 1.5
    """Weight of a word in the path."""
    tags: Weight = 2.0
    """Weight of a word in the tags."""
    properties: Weight = 1.0
    """Weight of a word in other front matter values."""
    triggers: Weight = 3.0
    """Weight of a word in the trigger phrases of an item."""
    inbound: Weight = 0.5
    """Weight of a word in the texts of links to the document."""
    body: Weight = 1.0
    """Weight of a word in the text of the section."""


class FieldNorms(Struct, frozen=True, forbid_unknown_fields=True):
    """BM25 length normalisation b of each field: 0 ignores the length, 1 applies it fully."""

    title: Part = 0.75
    """BM25 length normalisation b of titles."""
    headings: Part = 0.75
    """BM25 length normalisation b of headings."""
    path: Part = 0.75
    """BM25 length normalisation b of paths."""
    tags: Part = 0.75
    """BM25 length normalisation b of tags."""
    properties: Part = 0.75
    """BM25 length normalisation b of front matter values."""
    triggers: Part = 0.75
    """BM25 length normalisation b of trigger phrases."""
    inbound: Part = 0.75
    """BM25 length normalisation b of texts of links to the document."""
    body: Part = 0.75
    """BM25 length normalisation b of section texts."""


class Bm25(Struct, frozen=True, forbid_unknown_fields=True):
    """The lexical score (BM25F)."""

    k1: Weight = 1.2
    """BM25 term frequency saturation: the higher, the more repeated occurrences count; 0 ignores the frequency."""
    b: FieldNorms = FieldNorms()
    fields: FieldWeights = FieldWeights()
    prefix_terms: Annotated[int, Meta(ge=1, le=10_000)] = 50
    """Maximum number of terms that a `prefix*` expands to, the most frequent first."""


AUTO_BM25 = Bm25(b=FieldNorms(inbound=1.0), fields=FieldWeights(inbound=0.3))
"""The lexical score of the recipe `auto` with default settings, for which segments store impacts.

Other settings give the same results, but if they differ much, queries take longer.
"""
