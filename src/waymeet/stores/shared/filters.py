"""What a filter lets through: the rules that every backend obeys, over plain documents and chunks."""

import re
from collections.abc import Collection, Mapping, Sequence

from waymeet.analysis import contains_phrase, has_cjk, normalise_text, query_words
from waymeet.types import Chunk, Document, Filters

_PLAIN_WORD = re.compile(r"[a-z]{3,}")


def folders(paths: Sequence[str]) -> tuple[str, ...]:
    """Bring path filters into one form; none at all means that every document passes.

    >>> folders(["docs/", "./src/a.py"]), folders(["docs", "."]), folders([])
    (('docs', 'src/a.py'), (), ())
    """
    found = tuple(path.removeprefix("./").rstrip("/") for path in paths)
    return () if any(path in {"", "."} for path in found) else found


def folded(tags: Sequence[str]) -> tuple[str, ...]:
    """Make tags comparable whatever their case."""
    return tuple(tag.casefold() for tag in tags)


def admits(filters: Filters, document: Document) -> bool:
    """Tell whether a document passes the filters that concern it as a whole."""
    below = folders(filters.paths)
    return (
        (not below or any(document.id == path or document.id.startswith(f"{path}/") for path in below))
        and (not filters.kinds or document.kind in filters.kinds)
        and document.kind not in filters.without_kinds
        and (not filters.doc_types or document.doc_type in filters.doc_types)
        and (not filters.changed_from or document.modified_ns >= filters.changed_from)
        and (not filters.changed_before or document.modified_ns < filters.changed_before)
        and (not filters.languages or document.language in filters.languages)
        and (not filters.namespaces or document.namespace in filters.namespaces)
        and (not filters.tags or not set(folded(filters.tags)).isdisjoint(folded(document.tags)))
        and (not filters.properties or has(filters.properties, document.properties))
    )


def has(wanted: Sequence[tuple[str, str]], properties: Mapping[str, str]) -> bool:
    """Tell whether properties have, for every key that is wanted, one of its values; case does not matter.

    >>> has([("status", "open"), ("status", "new")], {"Status": "New"}), has([("team", "a")], {"team": "b, A"})
    (True, True)
    >>> has([("status", "open"), ("team", "a")], {"status": "open"})
    False
    """
    values = {key.casefold(): text.casefold() for key, text in properties.items()}
    alternatives: dict[str, list[str]] = {}
    for key, value in wanted:
        alternatives.setdefault(key.casefold(), []).append(value.casefold())
    return (
        all(
            any(value == values[key] or value in values[key].split(", ") for value in choices)
            for key, choices in alternatives.items()
            if key in values
        )
        and alternatives.keys() <= values.keys()
    )


def leaves_out(without: Sequence[Collection[str]], terms: Collection[str]) -> bool:
    """Tell whether a chunk with these terms has all terms of any group that must not stand in it.

    >>> leaves_out([("rank", "fusion")], {"rank", "fusion", "work"}), leaves_out([("rank", "fusion")], {"rank"})
    (True, False)

    An empty group asks for nothing and leaves nothing out.

    >>> leaves_out([()], {"rank"})
    False
    """
    return any(group and all(term in terms for term in group) for group in without)


def demanded(phrases: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """List words of phrases, each by its terms, one of which stands wherever the phrase does.

    Words whose terms depend on what stands around them say nothing: short ones, which may be the rest of a contraction,
    and those that are not plain letters.

    >>> demanded(["the user s signing keys", "検索語"])
    (('user',), ('sign', 'signing'), ('key', 'keys'), ('検索',), ('索語',))
    """
    found = (pair for phrase in phrases for pair in query_words(phrase))
    groups = (asked for word, asked in found if asked and (_PLAIN_WORD.fullmatch(word) or has_cjk(word)))
    return tuple(dict.fromkeys(groups))


def says(phrases: Sequence[str], chunk: Chunk, title: str) -> bool:
    """Tell whether each phrase stands in the chunk's text, in its headings or in its document's title.

    An empty phrase asks for nothing.
    """
    headings = " ".join(chunk.headings)
    for phrase in phrases:  # plain loops, here and below: thousands of texts may be looked at for one question
        if phrase and not (_has(chunk.text, phrase) or _has(headings, phrase) or _has(title, phrase)):
            return False
    return True


def _has(text: str, phrase: str) -> bool:
    """Tell whether a text has a plain phrase; most texts are ruled out before they are made plain.

    Plain ASCII text differs from the original in case and in what stands between words, so a word that is not in
    the lower-cased original cannot be in the plain text. Other text may change its very letters (NFKC).
    """
    if text.isascii():
        lower = text.lower()
        for word in phrase.split():
            if word not in lower:
                return False
    return contains_phrase(normalise_text(text), phrase)
