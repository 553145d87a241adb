"""Conversations: messages of the person that a question names."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from waymeet.formulas.explanation import product, value
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate

_SPEAKER = re.compile(r"(?m)^\s*[*_]{0,2}(?P<name>[^\W\d_a-z][\w.'-]*(?: [^\W\d_a-z][\w.'-]*)?)[*_]{0,2}\s?:")
"""The name at the start of a message: `Ada: …`, `**Ada Lovelace**: …`."""
_NAME = re.compile(r"(?<!\w)[^\W\d_a-z]\w+")
_LEADING = 60
"""Candidates whose speakers are looked at."""
_MIN_MESSAGES = 0.5
"""Share of leading candidates that must be messages: elsewhere `Note:` is no speaker."""


def boost_speakers(search: Search, tools: Tools, settings: Settings) -> Search:
    """Raise the messages of a person whom the query names, in an index of conversations.

    Other messages mention the person too, above all in greetings.
    """
    factor = settings.auto.speaker_factor
    names = {name.lower() for name in _NAME.findall(search.text)}
    if factor == 1.0 or not names or tools.store.corpus_profile().text_length >= 1.0:
        return search.skip("no name in the query" if factor != 1.0 and not names else "no conversations")
    leading = search.candidates[:_LEADING]
    speakers = _find_speakers(leading, tools)
    if len(speakers) < _MIN_MESSAGES * len(leading) or names.isdisjoint(speakers.values()):
        return search.skip("no message of a person in the query")
    boosted = (
        _raise_score(candidate, speakers[candidate.chunks[0]], factor)
        if candidate.chunks and speakers.get(candidate.chunks[0]) in names
        else candidate
        for candidate in leading
    )
    return replace(search, candidates=sort_candidates((*boosted, *search.candidates[_LEADING:])))


def _find_speakers(candidates: tuple[Candidate, ...], tools: Tools) -> Mapping[str, str]:
    """Find the speaker of each chunk that is a message of one person: first name, small letters."""
    chunks = tools.store.chunks([candidate.chunks[0] for candidate in candidates if candidate.chunks])
    by_chunk = {id_: {match["name"] for match in _SPEAKER.finditer(chunk.text)} for id_, chunk in chunks.items()}
    return {id_: next(iter(names)).split()[0].lower() for id_, names in by_chunk.items() if len(names) == 1}


def _raise_score(candidate: Candidate, speaker: str, factor: float) -> Candidate:
    own = value(factor, f"message of {speaker}, whom the query names (auto.speaker_factor)")
    return replace(candidate, score=product("score × factor", candidate.score, own))
