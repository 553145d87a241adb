"""Whether a label means one place only: what several places are called or say names none of them."""

from waymeet.analysis import called, plain, terms, titled
from waymeet.analysis.keys import defined
from waymeet.evaluate.mining.labels import DOCSTRINGS, HEADINGS, LINKS, Label
from waymeet.ports import Store
from waymeet.settings import Bm25
from waymeet.types import Chunk, Filters, Word

_LOOKED_AT = 20
"""Sections that say a label's text, of which one elsewhere is enough."""


def means_one_place(label: Label, store: Store) -> bool:
    """Tell whether whoever types a label's text can mean only what it stands at."""
    if label.kind in {HEADINGS, LINKS} and _names_another(label, store):
        return False
    return label.kind not in {HEADINGS, DOCSTRINGS} or not _is_said_elsewhere(label, store)


def _names_another(label: Label, store: Store) -> bool:
    """Tell whether the text is just the name of something else: another document, or a symbol."""
    names = filter(None, (titled(label.text), called(label.text), defined(label.text.strip("`()"))))
    return any(document not in label.right for found in store.named(set(names)).values() for document in found)


def _is_said_elsewhere(label: Label, store: Store) -> bool:
    """Tell whether another section says just the same, and so would answer as well."""
    words = [Word((term,), 1.0, term) for term in dict.fromkeys(terms(label.text))]
    found = store.lexical(words, _LOOKED_AT, Filters(phrases=(plain(label.text),)), Bm25())
    if any(each.document not in label.right for each in found):
        return True
    return not all(_is_own(chunk, label) for chunk in store.chunks([each.chunk for each in found]).values())


def _is_own(chunk: Chunk, label: Label) -> bool:
    """Tell whether a section of the same document belongs to what the label stands at, or lies below its heading."""
    place = label.place
    within = place is not None and chunk.start <= place.end and chunk.end >= place.start
    return within or plain(label.text) in map(plain, chunk.headings)
