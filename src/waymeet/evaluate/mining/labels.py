"""What a project says of its own parts: texts that somebody wrote to name or to sum up something."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby

from msgspec import Struct

from waymeet.analysis import has_cjk, normalise_text
from waymeet.evaluate.collection import Place
from waymeet.evaluate.mining.questions import as_typed, first_sentence, is_log, is_told, says_something
from waymeet.ports import Store
from waymeet.types import Chunk

_TEST = re.compile(
    r"(?:\A|/)(?:tests?|testing|__tests__|__mocks__|specs?|test[-_]?data|fixtures|e2e)/"
    r"|(?:\A|/)(?:test_[^/]*|conftest\.py|[^/]*[_.-](?:tests?|spec)\.\w+|[^/]*(?:Tests?|Spec)\.\w+)\Z"
)


def is_test(path: str) -> bool:
    """Tell whether a file tests others: what it says of itself is true of them as well.

    >>> is_test("tests/unit/shop.py"), is_test("cart.spec.ts"), is_test("src/latest.py")
    (True, True, False)
    """
    return _TEST.search(path) is not None


LINKS, HEADINGS, DOCSTRINGS, COMMITS, NAMES = "links", "headings", "docstrings", "commits", "names"
KINDS = {
    LINKS: "the text of a link → the document it leads to",
    HEADINGS: "a heading → the section below it",
    DOCSTRINGS: "the first sentence of a docstring → the symbol it describes",
    COMMITS: "the subject of a commit → the files it changed",
    NAMES: "the name of a file or symbol → just that; nothing is withheld",
}
_CODE_BLOCK = "code_block"
_SHORTEST_SECTION = 80
"""Characters below which a section says too little to be found without its heading."""
_LONGEST_SYMBOL = 200
"""Lines above which any guess would hit."""
_PART = 3
"""Of so many headings or docstrings of a document one is withheld: the index must stay what it is."""
_EACH = 2
"""Most links to one document that are asked for."""
_BATCH = 100


class Label(Struct, frozen=True):
    """A question and what answers it."""

    kind: str
    text: str
    """As it is written where it stands."""
    right: tuple[str, ...]
    """Documents that answer it."""
    place: Place | None = None
    """The lines that answer it, where that is not a whole document."""
    sources: tuple[Place, ...] = ()
    """Where its text stands, to be withheld."""

    @property
    def question(self) -> str:
        """Put it as somebody would type it; a name is typed as it is."""
        return self.text if self.kind == NAMES else as_typed(self.text)

    @property
    def id(self) -> str:
        """Name it, the same in every run."""
        where = self.place.document if self.place else "\n".join(self.right)
        named = _digest(f"{normalise_text(self.text)}\n{where}")
        return f"{self.kind}-{named[:12]}"


def from_store(store: Store) -> list[Label]:
    """Find the labels that an index holds: all but those of commits."""
    found: list[Label] = []
    documents = sorted(store.fingerprints())
    for at in range(0, len(documents), _BATCH):
        batch = documents[at : at + _BATCH]
        titles = {
            id_: normalise_text(each.title) for id_, each in store.documents(batch).items() if each.kind != "folders"
        }
        for document, chunks in store.chunks_of(list(titles)).items():
            found += _docstrings(document, chunks)
            found += _headings(document, titles[document], chunks)
            found += _symbols(document, chunks)
            found.append(Label(NAMES, document.rpartition("/")[2], (document,)))
    return [*_unique(found), *_links(store, documents)]


def chosen(labels: Sequence[Label], most: int, fits: Callable[[Label], bool]) -> list[Label]:
    """Choose so many labels of each kind that fit, few of each document, by chance that is always the same."""
    left = {where: -(-times // _PART) for where, times in Counter(map(_where, labels)).items()}
    kinds: defaultdict[str, list[Label]] = defaultdict(list)
    for each in sorted(labels, key=_by_chance):
        room = left[_where(each)] > 0 or each.place is None
        if len(kinds[each.kind]) < most and room and fits(each):
            kinds[each.kind].append(each)
            left[_where(each)] -= 1
    return [each for kind in KINDS for each in kinds[kind]]


def _where(label: Label) -> tuple[str, str]:
    return label.kind, label.place.document if label.place else ""


def _docstrings(document: str, chunks: Sequence[Chunk]) -> Iterator[Label]:
    if is_test(document):
        return  # it says what is expected of something else, which answers as well
    for symbol in (each for chunk in chunks for each in chunk.symbols if each.kind != _CODE_BLOCK):
        sentence = first_sentence(symbol.doc)
        if is_told(sentence) and symbol.end - symbol.start < _LONGEST_SYMBOL:
            place = Place(document, symbol.start, symbol.end)
            yield Label(DOCSTRINGS, sentence, (document,), place, (place,))


def _headings(document: str, title: str, chunks: Sequence[Chunk]) -> Iterator[Label]:
    """Give the headings of a document but for its title, each with the lines of its section."""
    if is_log(document) or any(symbol.kind != _CODE_BLOCK for chunk in chunks for symbol in chunk.symbols):
        return  # in code, headings are the names of symbols
    for headings, group in groupby(chunks, key=lambda chunk: chunk.headings):
        section = list(group)
        place = Place(document, section[0].start, section[-1].end)
        long = sum(len(chunk.text) for chunk in section) >= _SHORTEST_SECTION + len("".join(headings[-1:]))
        if headings and long and normalise_text(headings[-1]) != title and says_something(headings[-1]):
            yield Label(HEADINGS, headings[-1], (document,), place, (place,))


def _symbols(document: str, chunks: Sequence[Chunk]) -> Iterator[Label]:
    """Give the names of symbols: whoever types one knows what they want."""
    for symbol in (each for chunk in chunks for each in chunk.symbols if each.kind != _CODE_BLOCK):
        name = symbol.name.partition("~")[0].rpartition(".")[2]
        if says_something(name):
            yield Label(NAMES, name, (document,), Place(document, symbol.start, symbol.end))


def _links(store: Store, documents: Sequence[str]) -> Iterator[Label]:
    """Give what links to a document are called; links that say the same are withheld together."""
    places: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    written: dict[tuple[str, str], str] = {}
    for at in range(0, len(documents), _BATCH):
        batch = set(documents[at : at + _BATCH])
        for edge in store.edges(batch, ("references",)):
            if edge.source.document not in batch or edge.target is None or not edge.line:
                continue
            if edge.target.document != edge.source.document and _is_a_name(edge.text, edge.target.document):
                key = (normalise_text(edge.text), edge.target.document)
                places[key].append(Place(edge.source.document, edge.line, edge.line))
                written.setdefault(key, edge.text)
    said: defaultdict[str, set[str]] = defaultdict(set)
    for text, target in places:
        said[text].add(target)
    times: defaultdict[str, int] = defaultdict(int)
    for key in sorted(places, key=lambda key: _digest("\n".join(key))):
        text, target = key
        times[target] += 1
        if len(said[text]) == 1 and times[target] <= _EACH:  # what leads to several places names none
            yield Label(LINKS, written[key], (target,), None, tuple(places[key]))


def _is_a_name(text: str, path: str) -> bool:
    """Tell whether the text of a link calls its target by something else than its path or an anchor's name."""
    several = len(text.split()) > 1 or has_cjk(text)
    return (
        several
        and says_something(text)
        and "/" not in text
        and normalise_text(text) != normalise_text(path.rpartition("/")[2])
    )


def _unique(labels: Sequence[Label]) -> Iterator[Label]:
    """Leave out what several places are called."""
    times: defaultdict[tuple[str, str], int] = defaultdict(int)
    for each in labels:
        times[each.kind, normalise_text(each.text)] += 1
    return (each for each in labels if times[each.kind, normalise_text(each.text)] == 1)


_by_chance: Callable[[Label], str] = lambda label: _digest(label.id)  # noqa: E731 - a key, used four times


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
