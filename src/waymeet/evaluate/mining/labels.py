"""Labels: texts of a project that name or summarise a part of it and serve as queries."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby

from msgspec import Struct

from waymeet.analysis import has_cjk, normalise_text
from waymeet.evaluate.collection import Place
from waymeet.evaluate.mining.questions import clean_query, first_sentence, is_changelog, is_summary, is_usable_query
from waymeet.ports import Store
from waymeet.types import Chunk

_TEST = re.compile(
    r"(?:\A|/)(?:tests?|testing|__tests__|__mocks__|specs?|test[-_]?data|fixtures|e2e)/"
    r"|(?:\A|/)(?:test_[^/]*|conftest\.py|[^/]*[_.-](?:tests?|spec)\.\w+|[^/]*(?:Tests?|Spec)\.\w+)\Z"
)


def is_test(path: str) -> bool:
    """Check whether a file is a test, whose docstrings describe other files.

    >>> is_test("tests/unit/shop.py"), is_test("cart.spec.ts"), is_test("src/latest.py")
    (True, True, False)
    """
    return _TEST.search(path) is not None


LINKS, HEADINGS, DOCSTRINGS, COMMITS, NAMES = "links", "headings", "docstrings", "commits", "names"
KINDS = {
    LINKS: "the text of a link → the linked document",
    HEADINGS: "a heading → the section below it",
    DOCSTRINGS: "the first sentence of a docstring → the symbol it describes",
    COMMITS: "the subject of a commit → the files it changed",
    NAMES: "the name of a file or symbol → that file or symbol; nothing is withheld",
}
_CODE_BLOCK = "code_block"
_MIN_SECTION_CHARS = 80
"""Shorter sections cannot be found without their heading."""
_MAX_SYMBOL_LINES = 200
"""In longer symbols, any section would be a hit."""
_WITHHOLD_ONE_OF = 3
"""One of so many headings or docstrings of a document is withheld, so that the index stays realistic."""
_MAX_LINKS_PER_TARGET = 2
_BATCH = 100


class Label(Struct, frozen=True):
    """A text to use as a query, with its relevant documents."""

    kind: str
    text: str
    """The text as it is written in the file."""
    relevant: tuple[str, ...]
    """The relevant documents."""
    place: Place | None = None
    """The relevant lines, if not the whole document is relevant."""
    sources: tuple[Place, ...] = ()
    """The places of the text, from which it is withheld."""

    @property
    def query(self) -> str:
        """The text as a query, with markup removed unless it is a name."""
        return self.text if self.kind == NAMES else clean_query(self.text)

    @property
    def id(self) -> str:
        """An id that is the same in every run."""
        documents = self.place.document if self.place else "\n".join(self.relevant)
        digest = _digest(f"{normalise_text(self.text)}\n{documents}")
        return f"{self.kind}-{digest[:12]}"


def find_labels(store: Store) -> list[Label]:
    """Find all labels in an index, that is all but those of commits."""
    labels: list[Label] = []
    documents = sorted(store.fingerprints())
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        titles = {
            id_: normalise_text(document.title)
            for id_, document in store.documents(batch).items()
            if document.kind != "folders"
        }
        for path, chunks in store.chunks_of(list(titles)).items():
            labels += _docstring_labels(path, chunks)
            labels += _heading_labels(path, titles[path], chunks)
            labels += _symbol_labels(path, chunks)
            labels.append(Label(NAMES, path.rpartition("/")[2], (path,)))
    return [*_drop_repeated(labels), *_link_labels(store, documents)]


def choose_labels(labels: Sequence[Label], most: int, is_usable: Callable[[Label], bool]) -> list[Label]:
    """Choose up to `most` usable labels of each kind, few of each document.

    The choice is random but reproducible, by a hash of the labels' ids.
    """
    quota = {group: -(-count // _WITHHOLD_ONE_OF) for group, count in Counter(map(_group, labels)).items()}
    by_kind: defaultdict[str, list[Label]] = defaultdict(list)
    for label in sorted(labels, key=lambda label: _digest(label.id)):
        has_quota = quota[_group(label)] > 0 or label.place is None
        if len(by_kind[label.kind]) < most and has_quota and is_usable(label):
            by_kind[label.kind].append(label)
            quota[_group(label)] -= 1
    return [label for kind in KINDS for label in by_kind[kind]]


def _group(label: Label) -> tuple[str, str]:
    """Return the kind and document by which labels are limited."""
    return label.kind, label.place.document if label.place else ""


def _docstring_labels(document: str, chunks: Sequence[Chunk]) -> Iterator[Label]:
    if is_test(document):
        return  # it describes other code, which would be relevant as well
    for symbol in (each for chunk in chunks for each in chunk.symbols if each.kind != _CODE_BLOCK):
        sentence = first_sentence(symbol.doc)
        if is_summary(sentence) and symbol.end - symbol.start < _MAX_SYMBOL_LINES:
            place = Place(document, symbol.start, symbol.end)
            yield Label(DOCSTRINGS, sentence, (document,), place, (place,))


def _heading_labels(document: str, title: str, chunks: Sequence[Chunk]) -> Iterator[Label]:
    """Yield the headings of a document except its title, each with the lines of its section."""
    if is_changelog(document) or any(symbol.kind != _CODE_BLOCK for chunk in chunks for symbol in chunk.symbols):
        return  # in code, headings are the names of symbols
    for headings, group in groupby(chunks, key=lambda chunk: chunk.headings):
        section = list(group)
        place = Place(document, section[0].start, section[-1].end)
        is_long = sum(len(chunk.text) for chunk in section) >= _MIN_SECTION_CHARS + len("".join(headings[-1:]))
        if headings and is_long and normalise_text(headings[-1]) != title and is_usable_query(headings[-1]):
            yield Label(HEADINGS, headings[-1], (document,), place, (place,))


def _symbol_labels(document: str, chunks: Sequence[Chunk]) -> Iterator[Label]:
    """Yield the names of symbols."""
    for symbol in (each for chunk in chunks for each in chunk.symbols if each.kind != _CODE_BLOCK):
        name = symbol.name.partition("~")[0].rpartition(".")[2]
        if is_usable_query(name):
            yield Label(NAMES, name, (document,), Place(document, symbol.start, symbol.end))


def _link_labels(store: Store, documents: Sequence[str]) -> Iterator[Label]:
    """Yield a label for all links with the same text and target."""
    places: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
    written: dict[tuple[str, str], str] = {}
    for start in range(0, len(documents), _BATCH):
        batch = set(documents[start : start + _BATCH])
        for edge in store.edges(batch, ("references",)):
            if edge.source.document not in batch or edge.target is None or not edge.line:
                continue
            if edge.target.document != edge.source.document and _is_descriptive(edge.text, edge.target.document):
                key = (normalise_text(edge.text), edge.target.document)
                places[key].append(Place(edge.source.document, edge.line, edge.line))
                written.setdefault(key, edge.text)
    targets: defaultdict[str, set[str]] = defaultdict(set)
    for text, target in places:
        targets[text].add(target)
    count: defaultdict[str, int] = defaultdict(int)
    for key in sorted(places, key=lambda key: _digest("\n".join(key))):
        text, target = key
        count[target] += 1
        if len(targets[text]) == 1 and count[target] <= _MAX_LINKS_PER_TARGET:  # one text for two targets is ambiguous
            yield Label(LINKS, written[key], (target,), None, tuple(places[key]))


def _is_descriptive(text: str, path: str) -> bool:
    """Check whether the text of a link is more than the path or file name of its target."""
    has_several_words = len(text.split()) > 1 or has_cjk(text)
    return (
        has_several_words
        and is_usable_query(text)
        and "/" not in text
        and normalise_text(text) != normalise_text(path.rpartition("/")[2])
    )


def _drop_repeated(labels: Sequence[Label]) -> Iterator[Label]:
    """Leave out labels whose text occurs at several places."""
    count = Counter((label.kind, normalise_text(label.text)) for label in labels)
    return (label for label in labels if count[label.kind, normalise_text(label.text)] == 1)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
