"""Labels mined from a project: found, and withheld from the index."""

from pathlib import Path

import pytest
from support.documented_project import THINGS, commit, files, write

from waymeet.errors import CollectionError
from waymeet.evaluate.collection import Place
from waymeet.evaluate.mining import KINDS, mine_collection
from waymeet.evaluate.mining.commits import find_commit_labels
from waymeet.evaluate.mining.labels import COMMITS, DOCSTRINGS, HEADINGS, LINKS, Label, is_test
from waymeet.evaluate.mining.questions import clean_query, first_sentence, is_summary
from waymeet.evaluate.mining.withhold import withhold_labels
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore

pytestmark = pytest.mark.slow


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
    mined = mine_collection(root, store, Settings(), most=20)
    by_kind = {each.name: each for each in mined.collections}
    assert list(by_kind) == list(KINDS)
    assert not mined.remarks
    assert len(by_kind["commits"].queries) == 8, "a commit that changed fifty files is about none of them"
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
    remaining = sum(
        f"## Storing the {thing} in winter" in left or f"## Cleaning the {thing}" in left for thing in THINGS
    )
    assert remaining, "most headings stay: an index without any is another index"
    for query in by_kind[LINKS].queries:
        assert all(document.startswith("docs/") for document in by_kind[LINKS].qrels[query.id])
    for query in by_kind[HEADINGS].queries:
        (judged,) = by_kind[HEADINGS].qrels[query.id]
        assert by_kind[HEADINGS].places[judged].id == judged


def test_the_same_project_always_gives_the_same_queries(root: Path) -> None:
    first, second = (mine_collection(root, MemoryStore(), Settings(), most=7).collections for _ in range(2))
    assert first == second
    assert all(len(each.queries) == 7 for each in first)


def test_a_project_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="has too few links, headings"):
        mine_collection(write(tmp_path, {"a.txt": "nothing much"}), MemoryStore(), Settings(), most=10)


def test_commits_of_no_repository_are_none(tmp_path: Path) -> None:
    assert find_commit_labels(tmp_path, ["a.md"], 5.0) == ([], "no git repository")


def test_an_ambiguous_label_is_not_used(root: Path) -> None:
    pages = {
        f"more/page{at}.md": (
            f"# More of the {thing}\n\nWhat else there is to know.\n\n"
            f"## polish_{thing}\n\n{thing} {'is rubbed with a cloth until it shines, ' * 3}.\n\n"
            f"## The {thing}\n\n{thing} {'is stored in the cellar over winter, ' * 3}.\n\n"
            f"## Mending a broken {thing}\n\n{thing} {'is glued and left alone for a day, ' * 3}.\n"
        )
        for at, thing in enumerate(THINGS)
    }
    write(root, {**pages, "said.md": f"# Said\n\nWhoever needs it, mending a broken {THINGS[0]} is easy.\n"})
    store = MemoryStore()
    collections = {each.name: each for each in mine_collection(root, store, Settings(), most=500).collections}
    queries = {query.text for query in collections[HEADINGS].queries}
    assert not queries & {f"polish_{thing}" for thing in THINGS}, "as a query, it means the definition"
    assert not queries & {f"The {thing}" for thing in THINGS}, "another page is called that"
    mending = {f"Mending a broken {thing}" for thing in THINGS}
    assert queries & mending
    assert queries & mending <= mending - {f"Mending a broken {THINGS[0]}"}, "another page contains the same text"


def test_a_test_does_not_answer_for_what_it_tests(root: Path) -> None:
    tests = {f"tests/test_{at}.py": text for at, text in enumerate(files().values()) if "def " in text}
    moved = {path: text for path, text in files().items() if path.endswith(".md")}
    for path in list(files()):
        (root / path).unlink()
    mined = mine_collection(write(root, {**moved, **tests}), MemoryStore(), Settings(), most=20)
    assert DOCSTRINGS not in {each.name for each in mined.collections}
    assert "docstrings: none found" in mined.remarks


def test_a_commit_is_known_by_what_people_wrote(tmp_path: Path) -> None:
    paths = [f"{name}.{ending}" for name in "abc" for ending in ("md", "json", "svg")]
    write(tmp_path, dict.fromkeys([*paths, "CHANGES.md", "lock"], "x\n"))
    commit(tmp_path, "Say what the letters are for", *paths, "CHANGES.md", "lock")
    write(tmp_path, {"a.json": "{}"})
    commit(tmp_path, "Measure the letters once more", "a.json")
    labels, why = find_commit_labels(tmp_path, [*paths, "CHANGES.md", "lock"], 5.0)
    assert not why
    assert labels == [Label(COMMITS, "Say what the letters are for", ("a.md", "b.md", "c.md"))]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ('capture="fd" (the default)', "capture=fd (the default)"),
        ("Raise :class:`TypeError` or :exc:`~a.b.Early`", "Raise TypeError or a.b.Early"),
        ("See :ref:`the guide <guide>` first", "See the guide first"),
        ("{kbd}`Ctrl+C` in the pager", "Ctrl+C in the pager"),
        (": A floating point parameter", "A floating point parameter"),
        ("Use -Wall but not -x, a-b or 3 - 1", "Use Wall but not x, a-b or 3 - 1"),
        ("the *best* of **all**, conf*", "the best of all, conf"),
        ("kind:code and std::vector at 10:30", "kind: code and std::vector at 10:30"),
        ("Das „Haus“ 的“名字”", "Das Haus 的名字"),
    ],
)
def test_a_text_becomes_a_query_without_markup_and_operators(text: str, typed: str) -> None:
    assert clean_query(text) == typed


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Rotate keys, i.e. all of them. Then rest.", "Rotate keys, i.e. all of them"),
        ("Is it 1.5 times as much? Yes.", "Is it 1.5 times as much"),
        ("Rotate keys\n\n:param x: which. All.", "Rotate keys"),
        ("轮换所有密钥。然后休息。", "轮换所有密钥"),
        ("No end", "No end"),
    ],
)
def test_a_sentence_ends_where_it_ends(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_remarks_are_no_summaries() -> None:
    for remark in (
        "TODO: rotate all keys",
        "# type: ignore[x] of all keys",
        "See the other function",
        "@param x is a key",
    ):
        assert not is_summary(remark)
    assert is_summary("Rotate all keys")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/unit/cart.py", True),
        ("src/__tests__/Cart.tsx", True),
        ("shop/cart_test.go", True),
        ("web/cart.spec.ts", True),
        ("src/main/CartTest.java", True),
        ("conftest.py", True),
        ("src/contest.py", False),
        ("src/latest/index.ts", False),
        ("docs/testing.md", False),
    ],
)
def test_tests_are_recognised_by_their_paths(path: str, expected: bool) -> None:
    assert is_test(path) is expected


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
    done = list(withhold_labels([label], lambda _: f"first\n{line}\nlast"))
    assert [whole for _, whole, _ in done] == ([] if left is None else [f"first\n{left}\nlast"])


def test_a_sentence_of_several_lines_leaves_lines_and_comments_behind() -> None:
    text = "def f():\n    # Rub the thing\n    # until it shines. Then\n    # rest.\n    return 1\n"
    label = Label(DOCSTRINGS, "Rub the thing until it shines", ("y",), None, (Place("x", 1, 5),))
    ((_, left, _),) = withhold_labels([label], lambda _: text)
    assert left == "def f():\n    # \n    # Then\n    # rest.\n    return 1\n"


def test_what_cannot_be_read_again_is_left_alone() -> None:
    label = Label(HEADINGS, "Fine guide", ("y",), None, (Place("x", 1, 1),))
    assert not list(withhold_labels([label], lambda _: None))
