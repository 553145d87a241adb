"""The stage that protects what is called by its name from being buried."""

from waymeet.analysis import called, located, plain, terms
from waymeet.analysis.keys import BRIEF, TITLED
from waymeet.formulas.explanation import product, value
from waymeet.search.rank.bonus import lifted_by
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings

_LONGEST_NAME = 8
"""Words of the longest title looked for in a query."""
_MOST_WORDS = 200
_AROUND = " .,;:!?()[]{}<>'\"`“”„«»「」、。？！"


def exact(search: Search, tools: Tools, settings: Settings) -> Search:
    """Lift documents whose whole title, or all of it but what is in parentheses, or file name stands in the query."""
    names = _names(search.text)
    asked = set(terms(search.text))
    if not names or not asked:
        return search.skip("no name in the query")

    def covered(name: str) -> float:
        return len(asked.intersection(terms(name))) / len(asked)

    covers: dict[str, float] = {}
    for key, documents in tools.store.named(names).items():
        part = covered(names[key])
        for document in documents:
            covers[document] = max(covers.get(document, 0.0), part)
    brief = {f"{BRIEF}{name}": name for key, name in names.items() if key.startswith(TITLED)}
    for key, documents in tools.store.named(brief, settings.auto.carriers).items():
        if covers.keys().isdisjoint(documents):  # or the one that is called by its whole title is meant
            covers |= dict.fromkeys(documents, covered(brief[key]))
    bonus = {
        document: product(
            "its name stands in the query",
            value(settings.auto.exact, "weight"),
            value(part**0.5, "root of the part of the query it covers"),
        )
        for document, part in covers.items()
        if part
    }
    return lifted_by(search, tools, bonus, "name")


def _names(text: str) -> dict[str, str]:
    """List the keys under which a document named in the query would be known, with the words each stands for."""
    tokens = [token.strip(_AROUND) for token in text.split()[:_MOST_WORDS]]
    keys = {called(token): token for token in tokens if token}
    keys |= {located(token.removeprefix("./")): token for token in tokens if "/" in token}
    words = plain(text).split()[:_MOST_WORDS]
    for length in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            keys[f"{TITLED}{name}"] = name
    return keys
