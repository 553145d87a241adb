"""Removing the text of a label from files, without changing line numbers and section bounds."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from waymeet.analysis import normalise_text
from waymeet.evaluate.collection import Place
from waymeet.evaluate.mining.labels import DOCSTRINGS, HEADINGS, LINKS, Label
from waymeet.evaluate.mining.questions import first_sentence
from waymeet.types import IndexEntry

_MAX_CHARS = 20_000
"""Characters within which a text is searched."""
_BLANK = "—"
"""Replaces a heading: not a word of any language."""
_LINKS = (
    r"!?\[[^\]\w]*{text}[^\]\w]*\]\([^)\n]*\)",
    r"\[[^\]\w]*{text}[^\]\w]*\]\[[^\]\n]*\]",
    r"\[\[[^\]|\n]*\|[^\]\w]*{text}[^\]\w]*\]\]",
    r"\[\[[^\]\w]*{text}(?:#[^\]\n]*)?\]\]",
    r":[\w:+.-]+:`[^`\w]*{text}[^`\w]*(?:<[^>`\n]*>)?`",
    r"`[^`\w]*{text}[^`\w]*<[^>`\n]*>`__?",
    r"(?:link|xref):[^\s\[]*\[[^\]\w]*{text}[^\]\n]*\]",
    r"<<[^>,\n]*,[^>\w]*{text}[^>\w]*>>",
    r"<a\s[^>\n]*>[^<\w]*{text}[^<\w]*</a>",
)
"""Links in Markdown, wikis, reStructuredText, AsciiDoc and HTML."""

ReadText = Callable[[str], str | None]
"""Reads the indexed text of a document; None if it cannot be changed."""


def withhold_labels(labels: Collection[Label], read_text: ReadText) -> Iterator[tuple[str, str, list[Label]]]:
    """Yield each document without the texts of its labels, with the labels removed from it."""
    sources: defaultdict[str, list[tuple[Label, Place]]] = defaultdict(list)
    for label in labels:
        for source in label.sources:
            sources[source.document].append((label, source))
    for document, occurrences in sources.items():
        text = read_text(document)
        if text is None:
            continue
        lines, removed = text.split("\n"), []
        for label, source in occurrences:
            shorter = _REMOVERS[label.kind](lines, label.text, source)
            if shorter is not None:
                lines = shorter
                removed.append(label)
        if removed:
            yield document, "\n".join(lines), removed


def is_withheld(label: Label, entry: IndexEntry) -> bool:
    """Check that a changed index entry does not have a label's text in its old role any more."""
    return not _CHECKS[label.kind](label, entry)


def _remove_heading(lines: Sequence[str], text: str, place: Place) -> list[str] | None:
    heading = normalise_text(text)
    for number in range(place.start - 1, min(place.end, len(lines))):
        if len(lines[number]) < _MAX_CHARS and normalise_text(lines[number]) == heading:
            marks = re.match(r"\s*(?:[#=]+\s+)?", lines[number])
            return [*lines[:number], f"{marks[0] if marks else ''}{_BLANK}", *lines[number + 1 :]]
    return None


def _remove_sentence(lines: Sequence[str], text: str, place: Place) -> list[str] | None:
    section = "\n".join(lines[place.start - 1 : place.end])
    sentence = re.search(rf"(?<!\w){_words_pattern(text)}(?!\w)\.?", section[:_MAX_CHARS])
    if sentence is None:
        return None
    # Lines of the sentence keep their comment marks, so that the rest of the comment stays one.
    comment_marks = (
        re.sub(r"(\n\s*(?:\*|#+|//[/!]?|--)?)[^\n]*", r"\1", sentence[0][sentence[0].find("\n") :])
        if "\n" in sentence[0]
        else ""
    )
    shorter = section[: sentence.start()] + comment_marks + section[sentence.end() :]
    return [*lines[: place.start - 1], *shorter.split("\n"), *lines[place.end :]]


def _remove_link(lines: Sequence[str], text: str, place: Place) -> list[str] | None:
    if not 0 < place.start <= len(lines) or len(lines[place.start - 1]) > _MAX_CHARS:
        return None
    line, words = lines[place.start - 1], _words_pattern(text)
    for syntax in _LINKS:
        shorter, count = re.subn(syntax.replace("{text}", words), "", line, count=1)
        if count:
            return [*lines[: place.start - 1], shorter, *lines[place.start :]]
    return None


def _words_pattern(text: str) -> str:
    """Make a pattern for the words of a text, with markup or line ends between them."""
    return r"[^\w\]]{1,24}".join(map(re.escape, re.findall(r"\w+", text)))


def _has_heading(label: Label, entry: IndexEntry) -> bool:
    return any(normalise_text(label.text) == normalise_text(each) for chunk in entry.chunks for each in chunk.headings)


def _has_sentence(label: Label, entry: IndexEntry) -> bool:
    sentences = [first_sentence(symbol.doc) for chunk in entry.chunks for symbol in chunk.symbols]
    return any(normalise_text(label.text) == normalise_text(sentence) for sentence in sentences)


def _has_link(label: Label, entry: IndexEntry) -> bool:
    lines = {source.start for source in label.sources if source.document == entry.document.id}
    return any(link.line in lines and normalise_text(link.text) == normalise_text(label.text) for link in entry.links)


_REMOVERS: Mapping[str, Callable[[Sequence[str], str, Place], list[str] | None]] = {
    HEADINGS: _remove_heading,
    DOCSTRINGS: _remove_sentence,
    LINKS: _remove_link,
}
_CHECKS: Mapping[str, Callable[[Label, IndexEntry], bool]] = {
    HEADINGS: _has_heading,
    DOCSTRINGS: _has_sentence,
    LINKS: _has_link,
}
