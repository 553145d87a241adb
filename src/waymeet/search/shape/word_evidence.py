"""Weigh the words of a query as evidence that a section is about the same subject.

Unlike the lexical score this counts each word once, function words little, and parts of words less than whole words.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from waymeet.analysis import list_terms, query_words
from waymeet.analysis.terms import stem_words
from waymeet.analysis.word_classes import CLASS_WEIGHTS, WordClass, classify_word
from waymeet.formulas.answered import CORRECTED_CREDIT, MAX_QUERY_WEIGHT, SHORT_WEIGHT, SOUND_CREDIT
from waymeet.search.state import Search
from waymeet.search.understand.transliteration import sounding_word
from waymeet.types import Word

_KATAKANA = re.compile("[ァ-ヿ]{3,}")
"""A Japanese word of which single pairs of characters are in many other words."""
_WORD = re.compile(r"\w+")
_USUAL_TERMS = 2
"""Terms of a word that is not split: the stem and the word as written."""


class WeighedWord(NamedTuple):
    """A word of a query and what finding it tells."""

    names: frozenset[str]
    """Names of its terms in the evidence of a chunk."""
    idf: float
    weight: float
    """Its IDF, less for words that tell little."""
    credit: float = 1.0
    """Share of the weight that counts if it is found: less if the spelling was corrected or only the sound is equal."""
    is_known: bool = True
    """Whether it occurs in the index as written, or words that sound like it do."""
    run: str = ""
    """The word it is a part of. Parts count by the share of all parts that are found."""
    word_class: WordClass = WordClass.CONTENT


class FoundWords(NamedTuple):
    """The words of a query that a chunk contains."""

    share: float
    """Their weight, as a share of the weight of all words of the query."""
    number: float
    """Number of content words. One whose spelling was corrected counts less."""
    has_match: bool
    """Whether one of them tells something about the subject."""


class WordEvidence(NamedTuple):
    """The words of a query with their weights."""

    words: tuple[WeighedWord, ...]
    max_idf: float
    """IDF of a word that occurs in no chunk."""

    def find(self, names: Collection[str]) -> FoundWords:
        """Weigh the words that a chunk contains, given by the names in its evidence."""
        found = [word for word in self.words if not word.names.isdisjoint(names)]
        in_run: defaultdict[str, float] = defaultdict(float)
        for word in found:
            in_run[word.run] += word.credit * word.weight
        weight = in_run.pop("", 0.0) + sum(part * part / self._sum(run) for run, part in in_run.items())
        share = min(weight / min(self._sum(), MAX_QUERY_WEIGHT * self.max_idf), 1.0)
        number = sum(word.credit for word in found if word.word_class is WordClass.CONTENT)
        required = self._meaningful_classes()
        return FoundWords(share, number, any(word.word_class in required for word in found))

    @property
    def known_share(self) -> float:
        """Return the share of the words that occur in the index as written, or by their sound."""
        return sum(word.weight for word in self.words if word.is_known) / self._sum()

    def _sum(self, run: str = "") -> float:
        """Return the weight of all words, or of the parts of a word, but never 0."""
        return sum(word.weight for word in self.words if not run or word.run == run) or 1.0

    def _meaningful_classes(self) -> frozenset[WordClass]:
        """Return the classes of words that tell something: all, if the query has no other words."""
        meaningful = frozenset({WordClass.CONTENT, WordClass.COMMON})
        return meaningful if any(word.word_class in meaningful for word in self.words) else frozenset(WordClass)


def weigh_words(search: Search, words: Sequence[Word], idf: Mapping[str, float], max_idf: float) -> WordEvidence:
    """Weigh the words of a query by their IDF and by what they tell about its subject.

    `words` are those that are searched, with their IDF by name.
    """
    names = {term: word.text or " ".join(word.terms) for word in words for term in word.terms}
    original = frozenset(list_terms(search.query.text))
    by_sound = _find_by_sound(words, idf)
    parts = {run[i : i + 2]: run for run in _KATAKANA.findall(search.text) for i in range(len(run) - 1)}
    weighed: dict[frozenset[str], WeighedWord] = {}
    for token, terms in _list_words(search.text):
        own = frozenset(names[term] for term in terms if term in names)
        if own and parts.get(token) not in by_sound:
            word_idf, word_class = min(idf[name] for name in own), classify_word(token)
            sounding = by_sound.pop(token.lower(), None)
            own |= sounding.names if sounding else frozenset()
            weight = word_idf * CLASS_WEIGHTS[word_class] * (SHORT_WEIGHT if _is_short(token) else 1.0)
            is_original = not original.isdisjoint(terms)
            credit, is_known = 1.0 if is_original else CORRECTED_CREDIT, is_original and word_idf < max_idf
            weighed[own] = WeighedWord(own, word_idf, weight, credit, is_known, parts.get(token, ""), word_class)
    prefixes = {word.text: idf[word.text] for word in words if word.text.endswith("*")}
    of_prefixes = (WeighedWord(frozenset((name,)), each, each) for name, each in prefixes.items())
    return WordEvidence((*weighed.values(), *by_sound.values(), *of_prefixes), max_idf)


def _find_by_sound(words: Iterable[Word], idf: Mapping[str, float]) -> dict[str, WeighedWord]:
    """Weigh the words in another script for which the index has words that sound alike.

    A katakana word weighs as much as its pairs of characters, like those that are not found.
    """
    by_sound: dict[str, WeighedWord] = {}
    for word in words:
        source = sounding_word(word)
        if source:
            names, least = frozenset((word.text,)), idf[word.text]
            if source in by_sound:
                names, least = names | by_sound[source].names, min(least, by_sound[source].idf)
            pairs = len(source) - 1 if _KATAKANA.fullmatch(source) else 1
            by_sound[source] = WeighedWord(names, least, least * pairs, SOUND_CREDIT)
    return by_sound


def has_only_unknown_words(text: str, evidence: WordEvidence) -> bool:
    """Check whether no word of a text is indexed, a function word or a common word."""
    is_known = any(word.is_known for word in evidence.words)
    return not is_known and all(classify_word(word) is WordClass.CONTENT for word in _WORD.findall(text))


def _list_words(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the words of a query and the parts of identifiers, with their terms.

    >>> list(_list_words("rotating getUserById"))  # doctest: +NORMALIZE_WHITESPACE
    [('rotating', ('rotat', 'rotating')), ('get', ('get',)), ('user', ('user',)), ('id', ('id',)),
     ('getuserbyid', ('getuserbyid',))]
    >>> list(_list_words("GitHub-hosted"))
    [('git', ('git',)), ('hub', ('hub',)), ('host', ('host',)), ('github', ('github',))]
    """
    for token, terms in query_words(text):
        if len(terms) <= _USUAL_TERMS:
            yield token, terms
            continue
        stems = dict(zip(terms, stem_words(terms), strict=True))
        for term in terms:
            is_joined = "-" in term or (stems[term] != term and stems[term] in stems)
            if not is_joined:
                yield term, (term,)


def _is_short(token: str) -> bool:
    """Check whether a word is a number or a single character, as in texts about anything."""
    return len(token) == 1 or token.isdecimal()
