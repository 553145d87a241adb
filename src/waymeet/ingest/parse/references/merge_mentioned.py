"""Collecting what a document mentions: once in each section, and not without end."""

from bisect import bisect_left
from collections.abc import Callable, Sequence

from waymeet.ingest.parse.parsed import RawLink
from waymeet.ingest.parse.references.mentions import MENTIONS, Mention, in_code, in_prose, quoted
from waymeet.ingest.parse.references.sentence import around

MOST = 400
"""Mentions that are kept of one document: a list of everything says little of anything."""


class Mentioned:
    """The mentions of one document, in the order of the text. `plain` takes the markup out of their sentences."""

    def __init__(self, path: str, plain: Callable[[str], str] = str) -> None:
        self.links: list[RawLink] = []
        self.path = path
        self._plain = plain
        self._seen: set[tuple[str, str]] = set()

    def in_text(
        self,
        text: str,
        spans: Sequence[tuple[int, int, int]],
        linked: Sequence[tuple[int, int]],
        line: int,
        section: str,
    ) -> None:
        """Take what a paragraph names: in backticks (`spans`, each with its line), or as a path outside of links."""
        quotations: set[str] = set()
        for start, end, at in spans:
            written = text[start:end]
            if written in quotations or len(self.links) >= MOST:
                continue
            quotations.add(written)
            mention = quoted(written, self.path)
            if mention:
                self.add(mention, self._plain(around(text, start, end)), at, section)
        if "/" not in text or len(self.links) >= MOST:
            return
        taken = sorted((*linked, *((start, end) for start, end, _ in spans)))
        for start, end, mention in in_prose(text, self.path):
            if not _meets(taken, start, end):
                self.add(mention, self._plain(around(text, start, end)), max(line, 1), section)

    def in_code(self, language: str, code: str, line: int, section: str) -> None:
        """Take what a block of code imports and the paths it names."""
        if len(self.links) < MOST:
            for mention in in_code(language, code[:20_000], self.path):
                self.add(mention, "", line, section)

    def add(self, mention: Mention, sentence: str, line: int, section: str) -> None:
        """Keep a mention, unless its section has it already."""
        # Where a mention leads is decided by its keys: the same keys in the same section say nothing new.
        place = (section, "\n".join((*mention.refs, mention.anchor)))
        if place in self._seen or len(self.links) >= MOST:
            return
        self._seen.add(place)
        text = " ".join(mention.text.split())
        self.links.append(RawLink("", mention.anchor, MENTIONS, text, sentence, line, section, mention.refs))


def _meets(ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether some characters overlap with one of the ranges, which are sorted and do not overlap.

    >>> _meets([(0, 3), (5, 8)], 3, 5), _meets([(0, 3), (5, 8)], 7, 9)
    (False, True)
    """
    behind = bisect_left(ranges, (end, 0))
    return behind > 0 and ranges[behind - 1][1] > start
