"""Scores of a list, normalised to 0…1 for a weighted sum."""

from collections.abc import Callable

from waymeet.formulas.explanation import product, quotient, total, value
from waymeet.formulas.fusion import share_of_best
from waymeet.search.fuse.fusion import explain_score, source_kind
from waymeet.search.state import Search
from waymeet.settings import Auto
from waymeet.types import Explanation, ScoredChunk

Normalise = Callable[[ScoredChunk], Explanation]


def make_normaliser(search: Search, source: str, auto: Auto) -> Normalise:
    """Return the function that normalises the scores of a list to 0…1.

    BM25F is divided by the best. Models differ in the cosine of unrelated texts, so a cosine is measured from the
    lowest in its list.
    """
    best, lowest = search.ranking(source)[0].score, search.ranking(source)[-1].score
    if source_kind(source) == "lexical":
        return lambda row: share_of_best("BM25F", explain_score(search, source, row), best)
    if best <= lowest:
        return lambda _: value(1.0, "normalised cosine = 1: all cosines in the list are equal", "vector")
    minimum = value(-lowest, "−min, min = lowest cosine in the list")
    span = value(best - lowest, "max − min of the list")

    def normalise_cosine(row: ScoredChunk) -> Explanation:
        difference = total("cosine − min", explain_score(search, source, row), minimum)
        return quotient("normalised cosine = (cosine − min) / (max − min)", difference, span)

    is_compared = bool(search.sentence_similarities) and source == "vector"
    return _add_sentences(search, normalise_cosine, auto) if is_compared else normalise_cosine


def _add_sentences(search: Search, normalise_cosine: Normalise, auto: Auto) -> Normalise:
    """Add the similarity of sentences to normalised cosines.

    What a similarity has beyond the usual one counts. Source code is not compared by sentences, so documentation gains
    only where a sentence is similar. The sums are normalised again.
    """
    weight = value(auto.sentence_weight, "weight (auto.sentence_weight)")
    usual = value(-auto.usual_sentence_similarity, "−usual similarity (auto.usual_sentence_similarity)")

    def add(row: ScoredChunk) -> Explanation:
        cosine, similarity = normalise_cosine(row), search.sentence_similarities.get(row.chunk, 0.0)
        if similarity <= auto.usual_sentence_similarity:
            return cosine
        sentences = value(similarity, "similarity of its sentences by the multilingual model", "vector")
        bonus = product("weight × (similarity − usual)", weight, total("similarity − usual", sentences, usual))
        return total("normalised cosine + sentences", cosine, bonus)

    sums = {row.chunk: add(row) for row in search.ranking("vector")}
    best, lowest = max(each.value for each in sums.values()), min(each.value for each in sums.values())
    if best <= lowest:
        return lambda _: value(1.0, "normalised similarity = 1: all sums in the list are equal", "vector")
    minimum = value(0.0 - lowest, "−min, min = lowest sum in the list")  # −lowest would be −0
    span = value(best - lowest, "max − min of the sums")

    def normalise_sum(row: ScoredChunk) -> Explanation:
        difference = total("sum − min", sums[row.chunk], minimum)
        return quotient("normalised similarity = (sum − min) / (max − min)", difference, span)

    return normalise_sum
