"""Suggested links: in the syntax of the page, none where no link can be written, and bounded work."""

from collections.abc import Collection, Mapping

import pytest
from conformance.make import entry

from waymeet.search.explore import suggest_links as module
from waymeet.search.explore.prose import blank_non_prose
from waymeet.search.explore.suggest_links import suggest_links
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Chunk, IndexEntry

LANGUAGES = {"md": "markdown", "rst": "rst", "adoc": "asciidoc", "org": "org", "html": "html", "txt": "text"}


def page(path: str, text: str = "text", title: str = "", lang: str = "") -> IndexEntry:
    names = (f"p:{path}", *((f"t:{title.lower()}",) if title else ()))
    language = LANGUAGES.get(path.rpartition(".")[2], "python")
    kind = "code" if language == "python" else "docs"
    properties = {"lang": lang} if lang else {}
    return entry(path, text, title=title, names=names, kind=kind, language=language, properties=properties)


def store_of(*entries: IndexEntry) -> MemoryStore:
    store = MemoryStore()
    store.put(entries)
    return store


def links(store: MemoryStore, limit: int = 10, only: str | None = None) -> dict[str, str]:
    found = suggest_links(store, Settings(), limit, only).found
    return {each.target: each.linked_sentence for each in found if each.kind != "similar"}


CODE = entry("src/tea.py", "def heat_kettle(): ...", names=("p:src/tea.py", "s:heat_kettle"), kind="code")


@pytest.mark.parametrize(
    ("path", "link", "symbol"),
    [
        ("docs/a.md", "[rank fusion](../b.rst)", "`heat_kettle`"),
        ("docs/a.rst", "`rank fusion <../b.rst>`__", "``heat_kettle``"),
        ("docs/a.adoc", "link:../b.rst[rank fusion]", "`heat_kettle`"),
        ("docs/a.org", "[[file:../b.rst][rank fusion]]", "~heat_kettle~"),
        ("docs/a.html", '<a href="../b.rst">rank fusion</a>', "<code>heat_kettle</code>"),
    ],
)
def test_a_link_is_written_in_the_syntax_of_the_page(path: str, link: str, symbol: str) -> None:
    store = store_of(page(path, "All of rank fusion by heat_kettle."), page("b.rst", title="Rank fusion"), CODE)
    assert links(store) == {
        "b.rst": f"All of {link} by heat_kettle.",
        "src/tea.py#heat_kettle": f"All of rank fusion by {symbol}.",
    }


def test_the_project_decides_between_several_ways_to_write_a_link() -> None:
    target = page("notes/Rank fusion.md", title="Rank fusion")
    wiki = store_of(page("a.md", "All of rank fusion."), page("c.md", "See [[x]] and [[y]] and [z](z.md)."), target)
    assert links(wiki)["notes/Rank fusion.md"] == "All of [[Rank fusion|rank fusion]]."
    sphinx = store_of(
        page("a.rst", "All of rank fusion."), page("c.rst", "See :ref:`x`."), page("b.rst", title="Rank fusion")
    )
    assert links(sphinx)["b.rst"] == "All of :doc:`rank fusion <b>`."


@pytest.mark.parametrize("path", ["a.txt", "a.py"])
def test_nothing_is_suggested_where_no_link_can_be_written(path: str) -> None:
    store = store_of(page(path, "All of rank fusion."), page("b.md", title="Rank fusion"))
    assert links(store) == {}
    notes = suggest_links(store, Settings(), 10, only=path).notes
    assert notes == (("a.txt: links cannot be written in this format",) if path == "a.txt" else ())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "Text.\n\n    rank fusion in code\n"),
        ("a.md", "<!-- rank fusion -->\n"),
        ("a.rst", "Rank fusion\n~~~~~~~~~~~\n\nText."),
        ("a.rst", "Like this::\n\n   rank fusion\n   more\n"),
        ("a.rst", ".. code-block:: python\n   :linenos:\n\n   rank fusion\n"),
        ("a.rst", ".. rank fusion\n"),
        ("a.rst", "See :doc:`rank fusion <b>`, `rank fusion <b.rst>`__ and ``rank fusion``."),
        ("a.adoc", "== Rank fusion\n\nText."),
        ("a.adoc", "[source]\n----\nrank fusion\n----\n"),
        ("a.adoc", "See xref:b.adoc[rank fusion] and <<b,rank fusion>>."),
        ("a.org", "* Rank fusion\n#+BEGIN_SRC\nrank fusion\n#+END_SRC\n=rank fusion= [[file:b.org][rank fusion]]"),
        ("a.html", "<pre>rank fusion</pre> <a href='b'>rank fusion</a>"),
    ],
)
def test_code_links_and_headings_are_left_alone(path: str, text: str) -> None:
    assert links(store_of(page(path, text), page("b.md", title="Rank fusion"))) == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rst", ".. note::\n\n   All of rank fusion.\n"),
        ("a.rst", "Like this::\n\n   code\n\nAll of rank fusion.\n"),
        ("a.md", "- item\n\n    All of rank fusion.\n"),
        ("a.org", "* Heading\nAll of rank fusion.\n"),
        ("a.adoc", "----\ncode\n----\nAll of rank fusion.\n"),
    ],
)
def test_prose_beside_code_is_searched(path: str, text: str) -> None:
    assert list(links(store_of(page(path, text), page("b.md", title="Rank fusion")))) == ["b.md"]


def test_pages_in_the_same_language_come_first() -> None:
    store = store_of(
        page("a.md", "All of graph walks and rank fusion and of tea times.", lang="en"),
        page("b.ja.md", title="Graph walks", lang="ja"),
        page("c.md", title="Rank fusion", lang="en"),
        page("c.ja.md", title="Rank fusion", lang="ja"),
        page("d.md", title="Tea times", lang="en"),
        page("e.fr.md", title="Tea times", lang="fr"),
    )
    assert list(links(store)) == ["c.md", "d.md", "b.ja.md"]


def test_hostile_texts_are_blanked_quickly_in_every_language() -> None:
    for piece in (
        "[",
        "`",
        "<",
        "$",
        "----\n",
        "::\n",
        ".. a::\n",
        "|",
        "=a",
        "#+BEGIN_A\n",
        "<a ",
        ":a",
        "a\n\n    b\n",
    ):
        text = piece * (20_000 // len(piece))
        for language in LANGUAGES.values():
            assert len(blank_non_prose(text, language)) == len(text)


class CountingStore(MemoryStore):
    """A store that counts the documents whose sections are read."""

    read = 0

    def chunks_of(self, documents: Collection[str]) -> Mapping[str, tuple[Chunk, ...]]:
        self.read += len(documents)
        return super().chunks_of(documents)


def test_pages_are_read_until_there_are_enough_suggestions(monkeypatch: pytest.MonkeyPatch) -> None:
    store = CountingStore()
    store.put([page(f"p{number:04}.md", "All of rank fusion.") for number in range(1500)])
    store.put([page("zz.md", title="Rank fusion")])
    result = suggest_links(store, Settings(), 5)
    assert len(result.found) == 5
    assert result.notes == ("there are more suggestions: name one page, or raise --limit",)
    assert store.read <= 2 * 200 + 100
    monkeypatch.setattr(module, "_MAX_SECTIONS", 300)
    capped = suggest_links(store, Settings(), 1400)
    assert len([each for each in capped.found if each.kind == "title"]) == 300
    assert "only the first 300 of 1501 pages were searched for names" in capped.notes
