"""Stages that boost documents and definitions named in the query."""

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from waymeet.analysis import file_name_key, list_terms, normalise_text, path_key
from waymeet.analysis.keys import SHORT_TITLE_PREFIX, TITLE_PREFIX, symbol_key
from waymeet.formulas.explanation import product, value
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.rank.bonus import add_bonus, add_bonuses, new_candidate, share_among_sections
from waymeet.search.state import Search, Tools
from waymeet.search.understand.query_names import has_name, naming_styles
from waymeet.settings import Settings
from waymeet.types import Explanation, SourceRank

_MAX_NAME_WORDS = 8
"""Words of the longest title looked for in a query."""
_MAX_QUERY_WORDS = 200
_PUNCTUATION = " .,;:!?()[]{}<>'\"`“”„«»「」、。？！"


def boost_name_match(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a bonus to documents whose title or file name occurs in the query.

    A title also matches without its part in parentheses, unless another document matches by its whole title. The
    sections of a document share a bonus for its title, unless that is the whole query: a common word such as "server"
    may be the title of a long page.
    """
    names = _name_keys(search.text)
    query_terms = set(list_terms(search.text))
    if not names or not query_terms:
        return search.skip("no name in the query")
    files, titles = _matched_shares(tools, names, query_terms, settings.auto.shared_name_max_documents)
    of_files, of_titles = (_name_bonuses(shares, settings.auto.name_bonus) for shares in (files, titles))
    bonuses = share_among_sections(of_titles, tools, titles)
    bonuses |= {
        name: bonus for name, bonus in of_files.items() if name not in bonuses or bonus.value > bonuses[name].value
    }
    return add_bonuses(search, tools, bonuses, "name")


def _name_bonuses(shares: Mapping[str, float], weight: float) -> dict[str, Explanation]:
    """Compute the bonus of each document by the share of the query that its name matches."""
    return {
        document: product(
            "title or file name matches query",
            value(weight, "weight (auto.name_bonus)"),
            value(share**0.5, f"sqrt(share of query matched), share = {share:.3g}"),
            group="bonuses",
        )
        for document, share in shares.items()
        if share
    }


def _matched_shares(
    tools: Tools, names: Mapping[str, str], query_terms: set[str], max_documents: int
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the share of query terms in the name of each document that the query names.

    The first mapping has documents named by a path or by a file name with its extension, the second those named by a
    title or a file name without it, which may be an ordinary word.
    """

    def matched_share(name: str) -> float:
        return len(query_terms.intersection(list_terms(name))) / len(query_terms)

    files: dict[str, float] = {}
    titles: dict[str, float] = {}
    for key, documents in tools.store.documents_by_key(names).items():
        is_word = key.startswith(TITLE_PREFIX) or not re.search(r"[./\\]", names[key])
        share, shares = matched_share(names[key]), titles if is_word else files
        for document in documents:
            shares[document] = max(shares.get(document, 0.0), share)
    short_titles = {f"{SHORT_TITLE_PREFIX}{name}": name for key, name in names.items() if key.startswith(TITLE_PREFIX)}
    for key, documents in tools.store.documents_by_key(short_titles, max_documents).items():
        if (files | titles).keys().isdisjoint(documents):  # else the document matched by its whole title is meant
            titles |= dict.fromkeys(documents, matched_share(short_titles[key]))
    return files, titles


def _name_keys(text: str) -> dict[str, str]:
    """List the keys of file names, paths and titles that a query may contain, with their words."""
    tokens = [token.strip(_PUNCTUATION) for token in text.split()[:_MAX_QUERY_WORDS]]
    keys = {file_name_key(token): token for token in tokens if token}
    keys |= {path_key(token.removeprefix("./")): token for token in tokens if "/" in token}
    words = normalise_text(text).split()[:_MAX_QUERY_WORDS]
    for length in range(1, _MAX_NAME_WORDS + 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            keys[f"{TITLE_PREFIX}{name}"] = name
    return keys


_MAX_DEFINITIONS = 20
"""Documents that may define a symbol. A symbol defined in more of them is too common to boost."""
_SYMBOL = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_SYMBOL_JOINT = re.compile(r"[^\W_]_+[^\W_]|[^\W\d_A-Z][A-Z]|\.|::")
"""Distinguishes a symbol from a word: an underscore, camel case, a dot or colons between its parts."""


def boost_definitions(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a bonus to the sections that define a symbol named in the query, in any naming style."""
    names = {symbol_key(name): name for symbol in _symbols(search.query.text) for name in naming_styles(symbol)}
    query_terms = set(list_terms(search.text))
    defining = tools.store.documents_by_key(names, _MAX_DEFINITIONS) if names else {}
    if not defining or not query_terms:
        return search.skip("no symbol in the query" if not names else "no definition of this symbol is indexed")
    bonuses: dict[str, tuple[str, Explanation]] = {}
    for key, documents in defining.items():
        share = len(set(list_terms(names[key])) & query_terms) / len(query_terms)
        bonus = product(
            f"defines {names[key]}",
            value(settings.auto.definition_bonus, "weight (auto.definition_bonus)"),
            value(share, "share of query matched"),
            group="bonuses",
        )
        for document, chunks in tools.store.chunks_of(documents).items():
            for chunk in chunks:
                is_better = chunk.id not in bonuses or bonus.value > bonuses[chunk.id][1].value
                if is_better and any(has_name(symbol.name, names[key]) for symbol in chunk.symbols):
                    bonuses[chunk.id] = document, bonus
    return _boost_chunks(search, tools, bonuses)


def _symbols(text: str) -> Iterator[str]:
    """List the symbols in a query, written as in the index.

    >>> list(_symbols("where is get_user_by_id() or `Store::put` defined, e.g. in fooBar? not in __init__ or here."))
    ['get_user_by_id', 'Store.put', 'fooBar']
    """
    for token in text.split()[:_MAX_QUERY_WORDS]:
        name = token.strip("`'\"“”„()[]{}<>,;:!?.")
        if _SYMBOL.fullmatch(name) and _SYMBOL_JOINT.search(name) and name.lower() not in {"e.g", "i.e"}:
            yield name.replace("::", ".")


def _boost_chunks(search: Search, tools: Tools, bonuses: Mapping[str, tuple[str, Explanation]]) -> Search:
    """Add the bonus of each chunk to its candidate, and add chunks that are no candidates yet."""
    present = {chunk for candidate in search.candidates for chunk in candidate.chunks}
    # Phrases and exclusions depend on the text of a chunk, which is not checked for new ones.
    has_text_filter = search.filters.phrases or search.filters.without
    new = {} if has_text_filter else {chunk: bonus for chunk, bonus in bonuses.items() if chunk not in present}
    allowed = tools.store.first_passing_chunks({document for document, _ in new.values()}, search.filters)
    by_value = sorted(bonuses, key=lambda chunk: (-bonuses[chunk][1].value, chunk))
    ranks = {chunk: SourceRank("symbol", rank, bonuses[chunk][1].value) for rank, chunk in enumerate(by_value, start=1)}
    boosted = [
        add_bonus(candidate, bonuses[candidate.chunks[0]][1], ranks[candidate.chunks[0]])
        if candidate.chunks and candidate.chunks[0] in bonuses
        else candidate
        for candidate in search.candidates
    ]
    added = [
        new_candidate(document, chunk, bonus, ranks[chunk])
        for chunk, (document, bonus) in new.items()
        if document in allowed
    ]
    if not bonuses or (not added and present.isdisjoint(bonuses)):
        return search.skip("no definition passes the filters")
    return replace(search, candidates=sort_candidates((*boosted, *added)))
