"""Settings of candidate lists: pool sizes, reciprocal rank fusion, link walks, aggregation."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Part, Weight


class Rrf(Struct, frozen=True, forbid_unknown_fields=True):
    """Reciprocal rank fusion."""

    k: Weight = 60.0
    """Rank constant: a rank contributes 1 / (k + rank)."""
    lexical: Weight = 1.0
    """Weight of the lexical list."""
    vector: Weight = 1.0
    """Weight of the vector list."""
    min_lexical: Part = 0.5
    """Score, as a share of the best, below which the lexical list ends in the recipes `memory` and `neighbours`: a rank
    does not show how weak a match is. 0 keeps the whole list."""
    clear_lexical: Part = 0.9
    """Highest score of the second lexical result, as a share of the first, up to which the recipe `neighbours` leaves
    out the vectors of the model for other languages, if query and texts are in the same one. 0 always keeps them."""


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers of candidates."""

    factor: Annotated[int, Meta(ge=1, le=1000)] = 10
    """Candidates per list and requested result."""
    min: Count = 0
    """Minimum number of candidates per list."""
    share: Part = 0.0
    """Minimum number of candidates per list as a share of all sections: among many sections, more than `pool.min` match
    a question better by words alone than the one that answers it."""
    share_max: Count = 1000
    """Maximum of this number."""
    seeds: Number = 2
    """Documents per requested result from which links are followed."""
    query_words: Number = 256
    """Maximum number of different query words."""

    def least(self, sections: int) -> int:
        """Compute how many candidates a list has at least in an index of so many sections.

        >>> Pool(min=100, share=0.02).least(1_000), Pool(min=100, share=0.02).least(20_000)
        (100, 400)
        """
        return max(self.min, min(int(sections * self.share), self.share_max))


class StudentVectors(Struct, frozen=True, forbid_unknown_fields=True):
    """Approximate vectors, which sections have until they are embedded."""

    weight: Weight = 1.0
    """Weight of approximate vectors beside true ones, times their trust; 0 leaves them out."""
    usual_trust: Part = 0.6
    """Trust as long as it is not measured in the project."""


class Graph(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of following links."""

    depth: Count = 2
    """Maximum number of links followed in a row."""
    fan_out: Number = 200
    """Maximum number of edges followed from one document; a note reports when edges were dropped."""


class Aggregate(Struct, frozen=True, forbid_unknown_fields=True):
    """Score of a document from its sections: `best·max + mean·mean(top)`."""

    best: Weight = 0.8
    """Weight of a document's best section."""
    mean: Weight = 0.2
    """Weight of the mean of its top sections."""
    top: Number = 3
    """Number of sections in that mean."""
