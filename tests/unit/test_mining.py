"""Labels that a project holds of itself: found, and withheld from the index that is asked."""

from pathlib import Path

import pytest
from talkative import THINGS, commit, files, write

from waymeet.errors import CollectionError
from waymeet.evaluate.collection import Place
from waymeet.evaluate.mining import KINDS, mined
from waymeet.evaluate.mining.commits import from_commits
from waymeet.evaluate.mining.labels import DOCSTRINGS, HEADINGS, LINKS, Label
from waymeet.evaluate.mining.withholding import without
from waymeet.settings import Settings
from waymeet.stores.memory import MemoryStore


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "house", files())


def _all_text(store: MemoryStore) -> str:
    chunks = store.chunks_of(list(store.fingerprints()))
    return "\n".join(chunk.text for found in chunks.values() for chunk in found)


def test_every_kind_of_label_is_found_and_its_text_withheld(root: Path) -> None:
    commit(root, "Build the whole house at once", *files())
    for number, thing in enumerate(THINGS[:8]):
        page = root / f"docs/page{number}.md"
        page.write_text(page.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
        commit(root, f"Say more of the {thing} (#{number})", f"docs/page{number}.md")
    store = MemoryStore()
    found = mined(root, store, Settings(), most=20)
    by_kind = {each.name: each for each in found.collections}
    assert list(by_kind) == list(KINDS)
    assert not found.remarks
    assert len(by_kind["commits"].queries) == 8, "one that changed fifty files is about none of them"
    assert "#" not in by_kind["commits"].queries[0].text
    left = _all_text(store)
    for kind in (HEADINGS, DOCSTRINGS, LINKS):
        assert len(by_kind[kind].queries) == 20
        for query in by_kind[kind].queries:
            assert query.text not in left, kind
    names = by_kind["names"]
    assert {
        "polish_anchor" in query.text or query.text.endswith((".md", ".py")) or "_" in query.text
        for query in names.queries
    } == {True}
    kept = sum(f"## Storing the {thing} in winter" in left or f"## Cleaning the {thing}" in left for thing in THINGS)
    assert kept, "most headings stay: an index without any is another index"
    for query in by_kind[LINKS].queries:
        assert all(document.startswith("docs/") for document in by_kind[LINKS].qrels[query.id])
    for id_, place in by_kind[HEADINGS].places.items():
        assert by_kind[HEADINGS].qrels[id_] == {place.id: 1}


def test_the_same_project_always_asks_the_same(root: Path) -> None:
    first, second = (mined(root, MemoryStore(), Settings(), most=7).collections for _ in range(2))
    assert first == second
    assert all(len(each.queries) == 7 for each in first)


def test_a_project_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="says too little of its own parts"):
        mined(write(tmp_path, {"a.txt": "nothing much"}), MemoryStore(), Settings(), most=10)


def test_commits_of_no_repository_are_none(tmp_path: Path) -> None:
    assert from_commits(tmp_path, ["a.md"], 5.0) == ([], "no git repository")


@pytest.mark.parametrize(
    ("kind", "text", "line", "left"),
    [
        (LINKS, "the fine guide", "See [the fine guide](a.md#x), please.", "See , please."),
        (LINKS, "the fine guide", "See [the *fine* guide][a] and [more](b.md).", "See  and [more](b.md)."),
        (LINKS, "fine guide", "See [[a|fine guide]].", "See ."),
        (LINKS, "fine guide", "See [[Fine Guide]] or [[fine guide#part]].", "See [[Fine Guide]] or ."),
        (LINKS, "fine guide", "See :doc:`fine guide <a>`.", "See ."),
        (LINKS, "fine guide", "See `fine guide <a.rst>`_.", "See ."),
        (LINKS, "fine guide", "See xref:a.adoc[fine guide].", "See ."),
        (LINKS, "fine guide", 'See <a href="a.html"><b>fine</b> guide</a>', None),
        (LINKS, "fine guide", 'See <a href="a.html">fine guide</a>.', "See ."),
        (LINKS, "fine guide", "See the fine guide.", None),
        (HEADINGS, "Fine guide", "## Fine `guide`", "## —"),
        (HEADINGS, "Fine guide", "Fine guide", "—"),
        (HEADINGS, "Fine guide", "== Fine guide", "== —"),
        (HEADINGS, "Fine guide", "A fine guide to it", None),
        (DOCSTRINGS, "Rub it dry", '    """Rub it dry. Then rest."""', '    """ Then rest."""'),
    ],
)
def test_a_text_is_taken_out_with_what_makes_it_a_label(kind: str, text: str, line: str, left: str | None) -> None:
    place = Place("x", 2, 2)
    label = Label(kind, text, ("y",), None, (place,))
    done = list(without([label], lambda _: f"first\n{line}\nlast"))
    assert [whole for _, whole, _ in done] == ([] if left is None else [f"first\n{left}\nlast"])


def test_a_sentence_of_several_lines_leaves_lines_and_comments_behind() -> None:
    text = "def f():\n    # Rub the thing\n    # until it shines. Then\n    # rest.\n    return 1\n"
    label = Label(DOCSTRINGS, "Rub the thing until it shines", ("y",), None, (Place("x", 1, 5),))
    ((_, left, _),) = without([label], lambda _: text)
    assert left == "def f():\n    # \n    # Then\n    # rest.\n    return 1\n"


def test_what_cannot_be_read_again_is_left_alone() -> None:
    label = Label(HEADINGS, "Fine guide", ("y",), None, (Place("x", 1, 1),))
    assert not list(without([label], lambda _: None))
