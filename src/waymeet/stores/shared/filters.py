"""Filter rules over documents and chunks, the same for every backend."""

import re
from collections.abc import Collection, Mapping, Sequence

from waymeet.analysis import contains_phrase, has_cjk, normalise_text, query_words
from waymeet.types import Chunk, Document, Filters

_PLAIN_WORD = re.compile(r"[a-z]{3,}")


def normalise_paths(paths: Sequence[str]) -> tuple[str, ...]:
    """Normalise path filters. An empty result means that every document passes.

    >>> normalise_paths(["docs/", "./src/a.py"]), normalise_paths(["docs", "."]), normalise_paths([])
    (('docs', 'src/a.py'), (), ())
    """
    normalised = tuple(path.removeprefix("./").rstrip("/") for path in paths)
    return () if any(path in {"", "."} for path in normalised) else normalised


def fold_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Fold the case of tags for comparison."""
    return tuple(tag.casefold() for tag in tags)


def document_passes(filters: Filters, document: Document) -> bool:
    """Return whether a document passes the filters on whole documents."""
    return (
        _is_below(document.id, normalise_paths(filters.paths))
        and _has_allowed_values(filters, document)
        and _is_changed_between(filters, document.changed_ns)
        and (not filters.tags or not set(fold_tags(filters.tags)).isdisjoint(fold_tags(document.tags)))
        and (not filters.properties or has_properties(filters.properties, document.properties))
    )


def _is_below(document: str, paths: Sequence[str]) -> bool:
    return not paths or any(document == path or document.startswith(f"{path}/") for path in paths)


def _has_allowed_values(filters: Filters, document: Document) -> bool:
    allowed_values = (
        (filters.kinds, document.kind),
        (filters.doc_types, document.doc_type),
        (filters.languages, document.language),
        (filters.namespaces, document.namespace),
    )
    return document.kind not in filters.without_kinds and all(
        not allowed or value in allowed for allowed, value in allowed_values
    )


def _is_changed_between(filters: Filters, changed_ns: int) -> bool:
    return (not filters.changed_from or changed_ns >= filters.changed_from) and (
        not filters.changed_before or changed_ns < filters.changed_before
    )


def has_properties(required: Sequence[tuple[str, str]], properties: Mapping[str, str]) -> bool:
    """Return whether properties have a required value for every required key, ignoring case.

    >>> has_properties([("status", "open"), ("status", "new")], {"Status": "New"})
    True
    >>> has_properties([("team", "a")], {"team": "b, A"})
    True
    >>> has_properties([("status", "open"), ("team", "a")], {"status": "open"})
    False
    """
    values = {key.casefold(): text.casefold() for key, text in properties.items()}
    alternatives: dict[str, list[str]] = {}
    for key, value in required:
        alternatives.setdefault(key.casefold(), []).append(value.casefold())
    return (
        all(
            any(value == values[key] or value in values[key].split(", ") for value in choices)
            for key, choices in alternatives.items()
            if key in values
        )
        and alternatives.keys() <= values.keys()
    )


def is_excluded(without: Sequence[Collection[str]], terms: Collection[str]) -> bool:
    """Return whether a chunk with these terms has all terms of any excluded group.

    >>> is_excluded([("rank", "fusion")], {"rank", "fusion", "work"}), is_excluded([("rank", "fusion")], {"rank"})
    (True, False)

    An empty group excludes nothing.

    >>> is_excluded([()], {"rank"})
    False
    """
    return any(group and all(term in terms for term in group) for group in without)


def required_words(phrases: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """List words, each by its terms, that occur in every chunk with the phrases.

    Words whose terms depend on the surrounding text are left out: short ones, which may be the end of a contraction,
    and those that are not plain letters.

    >>> required_words(["the user s signing keys", "検索語"])
    (('user',), ('sign', 'signing'), ('key', 'keys'), ('検索',), ('索語',))
    """
    words = (pair for phrase in phrases for pair in query_words(phrase))
    groups = (terms for word, terms in words if terms and (_PLAIN_WORD.fullmatch(word) or has_cjk(word)))
    return tuple(dict.fromkeys(groups))


def contains_phrases(phrases: Sequence[str], chunk: Chunk, title: str) -> bool:
    """Return whether each phrase occurs in a chunk's text or headings or its document's title.

    An empty phrase occurs in every chunk.
    """
    headings = " ".join(chunk.headings)
    for phrase in phrases:  # plain loops, here and below: thousands of texts may be read for one query
        if phrase and not (
            _has_phrase(chunk.text, phrase) or _has_phrase(headings, phrase) or _has_phrase(title, phrase)
        ):
            return False
    return True


def _has_phrase(text: str, phrase: str) -> bool:
    """Return whether a text has a normalised phrase, without normalising most texts.

    Normalising ASCII text changes its case and separators only, so a word that is not in the lower-cased original
    cannot be in the normalised text. Other text may change its letters, too (NFKC).
    """
    if text.isascii():
        lower = text.lower()
        for word in phrase.split():
            if word not in lower:
                return False
    return contains_phrase(normalise_text(text), phrase)
