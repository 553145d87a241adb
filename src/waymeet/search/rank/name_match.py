"""The stage that lifts definitions: whoever writes a symbol's own name wants to see what it is."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from waymeet.analysis import file_name_key, list_terms, normalise_text, path_key
from waymeet.analysis.keys import SHORT_TITLE_PREFIX, TITLE_PREFIX, symbol_key
from waymeet.formulas.explanation import product, total, value
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.rank.bonus import lifted_by, with_bonus
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Candidate, Explanation, SourceRank

_LONGEST_NAME = 8
"""Words of the longest title looked for in a query."""
_MAX_WORDS = 200
_AROUND = " .,;:!?()[]{}<>'\"`“”„«»「」、。？！"


def boost_name_match(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lift documents whose whole title, or all of it but what is in parentheses, or file name stands in the query."""
    names = _name_keys(search.text)
    asked = set(list_terms(search.text))
    if not names or not asked:
        return search.skip("no name in the query")

    def covered(name: str) -> float:
        return len(asked.intersection(list_terms(name))) / len(asked)

    covers: dict[str, float] = {}
    for key, documents in tools.store.documents_by_key(names).items():
        part = covered(names[key])
        for document in documents:
            covers[document] = max(covers.get(document, 0.0), part)
    brief = {f"{SHORT_TITLE_PREFIX}{name}": name for key, name in names.items() if key.startswith(TITLE_PREFIX)}
    for key, documents in tools.store.documents_by_key(brief, settings.auto.shared_name_max_documents).items():
        if covers.keys().isdisjoint(documents):  # or the one that is called by its whole title is meant
            covers |= dict.fromkeys(documents, covered(brief[key]))
    bonus = {
        document: product(
            "its name stands in the query",
            value(settings.auto.name_bonus, "weight"),
            value(part**0.5, "root of the part of the query it covers"),
        )
        for document, part in covers.items()
        if part
    }
    return lifted_by(search, tools, bonus, "name")


def _name_keys(text: str) -> dict[str, str]:
    """List the keys under which a document named in the query would be known, with the words each stands for."""
    tokens = [token.strip(_AROUND) for token in text.split()[:_MAX_WORDS]]
    keys = {file_name_key(token): token for token in tokens if token}
    keys |= {path_key(token.removeprefix("./")): token for token in tokens if "/" in token}
    words = normalise_text(text).split()[:_MAX_WORDS]
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            keys[f"{TITLE_PREFIX}{name}"] = name
    return keys


_COMMON = 20
"""A name that more documents define says little about what is meant."""
_SYMBOL = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_JOINED = re.compile(r"[^\W_]_+[^\W_]|[^\W\d_A-Z][A-Z]|\.|::")
"""What tells a symbol from a word: parts joined by an underscore, a hump, a dot or colons."""
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")


def boost_definitions(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lift the sections that define a symbol which the query names, in whatever style."""
    names = {symbol_key(name): name for symbol in _symbols(search.query.text) for name in _styles(symbol)}
    asked = set(list_terms(search.text))
    found = tools.store.documents_by_key(names, _COMMON) if names else {}
    if not found or not asked:
        return search.skip("no symbol in the query" if not names else "nobody defines it")
    gifts: dict[str, tuple[str, Explanation]] = {}
    for key, documents in found.items():
        gift = product(
            f"defines {names[key]}",
            value(settings.auto.definition_bonus, "weight"),
            value(len(set(list_terms(names[key])) & asked) / len(asked), "part of the query it covers"),
        )
        for document, chunks in tools.store.chunks_of(documents).items():
            for chunk in chunks:
                better = chunk.id not in gifts or gift.value > gifts[chunk.id][1].value
                if better and any(_names(symbol.name, names[key]) for symbol in chunk.symbols):
                    gifts[chunk.id] = document, gift
    return _lifted(search, tools, gifts)


def _symbols(text: str) -> Iterator[str]:
    """List the symbols that a query names, as definitions are named.

    >>> list(_symbols("where is get_user_by_id() or `Store::put` defined, e.g. in fooBar? not in __init__ or here."))
    ['get_user_by_id', 'Store.put', 'fooBar']
    """
    for token in text.split()[:_MAX_WORDS]:
        name = token.strip("`'\"“”„()[]{}<>,;:!?.")
        if _SYMBOL.fullmatch(name) and _JOINED.search(name) and name.lower() not in {"e.g", "i.e"}:
            yield name.replace("::", ".")


def _styles(name: str) -> Iterator[str]:
    """Write a symbol in the ways that languages have, as it was written first.

    >>> list(_styles("Store.recipeNamed")), list(_styles("recipe_named"))
    (['Store.recipeNamed', 'Store.recipe_named', 'Store.RecipeNamed'], ['recipe_named', 'recipeNamed', 'RecipeNamed'])
    """
    scope, dot, last = name.rpartition(".")
    words = [word.lower() for word in _HUMP.sub("_", last).split("_") if word]
    capitals = [word.capitalize() for word in words]
    styles = (last, "_".join(words), "".join((*words[:1], *capitals[1:])), "".join(capitals))
    yield from (f"{scope}{dot}{style}" for style in dict.fromkeys(styles) if style)


def _names(symbol: str, asked: str) -> bool:
    """Tell whether a symbol is the one that is asked for; where several have one name, a mark tells them apart."""
    name = symbol.partition("~")[0]
    return name == asked or name.endswith(f".{asked}")


def _lifted(search: Search, tools: Tools, gifts: dict[str, tuple[str, Explanation]]) -> Search:
    there = {chunk for each in search.candidates for chunk in each.chunks}
    strict = search.filters.phrases or search.filters.without  # these look into the text: what is new may not pass
    new = {} if strict else {chunk: gift for chunk, gift in gifts.items() if chunk not in there}
    allowed = tools.store.first_passing_chunks({document for document, _ in new.values()}, search.filters)
    by_worth = sorted(gifts, key=lambda chunk: (-gifts[chunk][1].value, chunk))
    found = {chunk: SourceRank("symbol", rank, gifts[chunk][1].value) for rank, chunk in enumerate(by_worth, start=1)}
    kept = [
        with_bonus(each, gifts[each.chunks[0]][1], found[each.chunks[0]])
        if each.chunks and each.chunks[0] in gifts
        else each
        for each in search.candidates
    ]
    entered = [
        Candidate(document, (chunk,), total("name", gift), (found[chunk],))
        for chunk, (document, gift) in new.items()
        if document in allowed
    ]
    if not gifts or (not entered and there.isdisjoint(gifts)):
        return search.skip("nothing shown may define it")
    return replace(search, candidates=sort_candidates((*kept, *entered)))
