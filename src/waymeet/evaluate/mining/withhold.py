"""Taking the text of a label out of the files it stands in; lines keep their numbers, and sections their bounds."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from waymeet.analysis import normalise_text
from waymeet.evaluate.collection import Place
from waymeet.evaluate.mining.labels import DOCSTRINGS, HEADINGS, LINKS, Label
from waymeet.evaluate.mining.questions import first_sentence
from waymeet.types import IndexEntry

_LONGEST = 20_000
"""Characters within which a text is looked for."""
_BLANK = "—"
"""What stands where a heading was: no word of any language."""
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
"""How Markdown, wikis, reStructuredText, AsciiDoc and HTML write links."""

Text = Callable[[str], str | None]
"""Gives the text of a document as it is read; None if it cannot be changed."""


def without(labels: Collection[Label], text_of: Text) -> Iterator[tuple[str, str, list[Label]]]:
    """Yield each document that labels stand in, its text without theirs, and those that could be taken out of it."""
    sources: defaultdict[str, list[tuple[Label, Place]]] = defaultdict(list)
    for label in labels:
        for source in label.sources:
            sources[source.document].append((label, source))
    for document, wanted in sources.items():
        text = text_of(document)
        if text is None:
            continue
        lines, done = text.split("\n"), []
        for label, source in wanted:
            less = _TAKEN_OUT[label.kind](lines, label.text, source)
            if less is not None:
                lines = less
                done.append(label)
        if done:
            yield document, "\n".join(lines), done


def is_withheld(label: Label, entry: IndexEntry) -> bool:
    """Tell whether what is indexed now of a document lacks a label's text in its old place."""
    return not _STILL_THERE[label.kind](label, entry)


def _without_heading(lines: Sequence[str], text: str, place: Place) -> list[str] | None:
    wanted = normalise_text(text)
    for at in range(place.start - 1, min(place.end, len(lines))):
        if len(lines[at]) < _LONGEST and normalise_text(lines[at]) == wanted:
            marks = re.match(r"\s*(?:[#=]+\s+)?", lines[at])
            return [*lines[:at], f"{marks[0] if marks else ''}{_BLANK}", *lines[at + 1 :]]
    return None


def _without_sentence(lines: Sequence[str], text: str, place: Place) -> list[str] | None:
    whole = "\n".join(lines[place.start - 1 : place.end])
    found = re.search(rf"(?<!\w){_loosely(text)}(?!\w)\.?", whole[:_LONGEST])
    if found is None:
        return None
    # A line that was part of a sentence keeps its mark of a comment, so that what follows stays one.
    kept = (
        re.sub(r"(\n\s*(?:\*|#+|//[/!]?|--)?)[^\n]*", r"\1", found[0][found[0].find("\n") :])
        if "\n" in found[0]
        else ""
    )
    less = whole[: found.start()] + kept + whole[found.end() :]
    return [*lines[: place.start - 1], *less.split("\n"), *lines[place.end :]]


def _without_link(lines: Sequence[str], text: str, place: Place) -> list[str] | None:
    if not 0 < place.start <= len(lines) or len(lines[place.start - 1]) > _LONGEST:
        return None
    line, loose = lines[place.start - 1], _loosely(text)
    for form in _LINKS:
        less, times = re.subn(form.replace("{text}", loose), "", line, count=1)
        if times:
            return [*lines[: place.start - 1], less, *lines[place.start :]]
    return None


def _loosely(text: str) -> str:
    """Make a pattern for a text of which markup, marks of comments and line ends are not known."""
    return r"[^\w\]]{1,24}".join(map(re.escape, re.findall(r"\w+", text)))


def _has_heading(label: Label, entry: IndexEntry) -> bool:
    return any(normalise_text(label.text) == normalise_text(each) for chunk in entry.chunks for each in chunk.headings)


def _has_sentence(label: Label, entry: IndexEntry) -> bool:
    told = [first_sentence(symbol.doc) for chunk in entry.chunks for symbol in chunk.symbols]
    return any(normalise_text(label.text) == normalise_text(each) for each in told)


def _has_link(label: Label, entry: IndexEntry) -> bool:
    lines = {source.start for source in label.sources if source.document == entry.document.id}
    return any(link.line in lines and normalise_text(link.text) == normalise_text(label.text) for link in entry.links)


_TAKEN_OUT: Mapping[str, Callable[[Sequence[str], str, Place], list[str] | None]] = {
    HEADINGS: _without_heading,
    DOCSTRINGS: _without_sentence,
    LINKS: _without_link,
}
_STILL_THERE: Mapping[str, Callable[[Label, IndexEntry], bool]] = {
    HEADINGS: _has_heading,
    DOCSTRINGS: _has_sentence,
    LINKS: _has_link,
}
