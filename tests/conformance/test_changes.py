"""Putting, replacing, dropping, and what stays after closing."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from waymeet.ports import CorpusProfile, Counts, Store
from waymeet.settings import Bm25
from waymeet.types import Filters, Fingerprint, IndexEntry

from .make import entry, link, words

GUIDE = entry(
    "docs/guide.md",
    ("Start", "How to begin"),
    ("Next", "How to go on"),
    title="The guide",
    tags=["How-To", "start"],
    properties={"author": "Ada\x00Löv", "version": "2"},
    links=[link("setup", says="the setup")],
    doc_type="plan",
)


def test_an_empty_store_is_empty(store: Store) -> None:
    assert store.generation == 0
    assert store.counts() == Counts(0, 0, 0, 0, 0, {}, {})
    assert not store.rank_lexical(words("anything"), 10, Filters(), Bm25())
    assert not store.edges(["a.md"])
    assert not store.chunks(["a.md#L1-L1"])
    assert not store.chunks_of(["a.md"])
    assert not store.documents(["a.md"])
    assert not store.documents_by_key(["a"])
    assert not store.first_passing_chunks(["a.md"], Filters())
    assert not store.terms_with_prefix("", 10)
    assert not store.fingerprints()
    assert not store.spaces()
    assert not store.chunks_without_vector(["space"], 10)
    assert not store.lexical_evidence(words("anything"), ["a.md#L1-L1"], Bm25())


def test_what_was_put_comes_back_equal(store: Store) -> None:
    store.put([GUIDE])
    assert store.documents(["docs/guide.md", "unknown"]) == {"docs/guide.md": GUIDE.document}
    assert store.chunks_of(["docs/guide.md", "unknown"]) == {"docs/guide.md": GUIDE.chunks}
    assert store.chunk_counts(["docs/guide.md", "unknown"]) == {"docs/guide.md": len(GUIDE.chunks)}
    assert store.chunks(["docs/guide.md#L2-L2", "unknown"]) == {"docs/guide.md#L2-L2": GUIDE.chunks[1]}
    assert store.fingerprints() == {"docs/guide.md": Fingerprint(GUIDE.document.digest, GUIDE.document.size, 1)}


def test_any_text_comes_back_equal(store: Store) -> None:
    odd = entry("ö/日本 語.md", 'NUL \x00, quote ", emoji 🦊, nothing \ufeff', "", title="\x00", names=["\x00", ""])
    store.put([odd])
    assert store.documents([odd.document.id]) == {odd.document.id: odd.document}
    assert store.chunks_of([odd.document.id]) == {odd.document.id: odd.chunks}
    assert store.documents_by_key(["\x00", ""]) == {"\x00": (odd.document.id,), "": (odd.document.id,)}


def test_counts_say_how_much_there_is(store: Store) -> None:
    store.put([GUIDE, entry("src/a.py", "How", kind="code", names=[])])
    found = store.counts()
    assert (found.documents, found.chunks, found.edges, found.dangling) == (2, 3, 1, 1)
    assert found.kinds == {"code": 1, "docs": 1}
    assert found.terms == len(store.terms_with_prefix("", 1000))


def test_terms_that_no_longer_occur_are_not_counted(store: Store) -> None:
    store.put([GUIDE, entry("a.md", "shared alone"), entry("b.md", "shared")])
    before = store.counts().terms
    store.put([entry("a.md", "shared other")])
    assert store.counts().terms == before
    store.drop(["a.md"])
    assert store.counts().terms == len(store.terms_with_prefix("", 1000)) < before


def test_chunks_come_in_their_order_whatever_the_order_of_putting(store: Store) -> None:
    mixed = replace(GUIDE, chunks=GUIDE.chunks[::-1], chunk_terms=GUIDE.chunk_terms[::-1])
    store.put([mixed])
    assert store.chunks_of(["docs/guide.md"]) == {"docs/guide.md": GUIDE.chunks}


def test_putting_again_replaces_all_of_a_document(store: Store) -> None:
    store.put([GUIDE, entry("other.md", "unchanged")])
    shorter = entry("docs/guide.md", "Rewritten", title="Another title")
    store.put([shorter])
    assert store.chunks_of(["docs/guide.md"]) == {"docs/guide.md": shorter.chunks}
    assert store.documents(["docs/guide.md"]) == {"docs/guide.md": shorter.document}
    assert not store.chunks(["docs/guide.md#L2-L2"])
    assert not store.edges(["docs/guide.md"])
    assert not store.rank_lexical(words("begin"), 10, Filters(), Bm25())
    assert not store.first_passing_chunks(["docs/guide.md"], Filters(tags=("start",)))
    assert len(store.rank_lexical(words("unchanged"), 10, Filters(), Bm25())) == 1


def test_the_last_entry_of_a_document_wins(store: Store) -> None:
    store.put([GUIDE, entry("docs/guide.md", "later")])
    assert [chunk.text for chunk in store.chunks_of(["docs/guide.md"])["docs/guide.md"]] == ["later"]
    assert store.counts().documents == 1


def test_dropping_removes_all_of_a_document(store: Store) -> None:
    store.put([GUIDE, entry("other.md", "stays")])
    store.drop(["docs/guide.md", "unknown.md"])
    assert store.fingerprints().keys() == {"other.md"}
    assert not store.rank_lexical(words("begin guide author"), 10, Filters(), Bm25())
    assert not store.documents_by_key(["guide"])
    assert store.counts().edges == 0
    assert set(store.terms_with_prefix("", 100)) == {"stay", "other", "md"}


def test_a_dropped_document_can_come_back(store: Store) -> None:
    store.put([GUIDE])
    store.drop([GUIDE.document.id])
    store.put([GUIDE])
    assert store.chunks_of(["docs/guide.md"]) == {"docs/guide.md": GUIDE.chunks}


def test_every_change_raises_the_generation_by_one(store: Store) -> None:
    store.put([GUIDE, entry("other.md", "text")])
    assert store.generation == 1
    store.put([GUIDE])
    assert store.generation == 2
    store.drop(["other.md", "docs/guide.md"])
    assert store.generation == 3


def test_what_changes_nothing_does_not_raise_the_generation(store: Store) -> None:
    store.put([])
    store.drop([])
    store.drop(["unknown.md"])
    store.put_vectors("space", {})
    store.set_metadata("made by", "a test")
    assert store.generation == 0


def test_notes_are_kept_and_replaced(store: Store) -> None:
    assert store.metadata("analysis") == ""
    store.set_metadata("analysis", "1")
    store.set_metadata("analysis", "2")
    assert store.metadata("analysis") == "2"


def test_names_tell_the_documents_that_carry_them(store: Store) -> None:
    store.put([entry("b/page.md", "x", names=["page", "page", "b/page"]), entry("a/page.md", "x", names=["page"])])
    assert list(store.documents_by_key(["page", "b/page"])) == ["page", "b/page"]  # in the order they were asked for
    assert list(store.documents_by_key(["b/page", "page"], 2)) == ["b/page", "page"]
    assert store.documents_by_key(["page", "b/page"], 1) == {"b/page": ("b/page.md",)}
    assert store.documents_by_key(["page", "b/page", "unknown"]) == {
        "page": ("a/page.md", "b/page.md"),
        "b/page": ("b/page.md",),
    }
    store.put([entry("b/page.md", "x", names=["b/page"])])
    assert store.documents_by_key(["page"]) == {"page": ("a/page.md",)}


def test_everything_is_there_after_reopening(store: Store, reopen: Callable[[Store], Store]) -> None:
    store.put([GUIDE, entry("setup.md", "the setup", links=[link("guide", says="back")])])
    store.set_metadata("key", "value")
    before = store.edges(["setup.md"]), store.rank_lexical(words("setup begin"), 10, Filters(), Bm25()), store.counts()
    again = reopen(store)
    assert again.generation == 1
    assert again.metadata("key") == "value"
    assert (
        again.edges(["setup.md"]),
        again.rank_lexical(words("setup begin"), 10, Filters(), Bm25()),
        again.counts(),
    ) == (before)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(replace(GUIDE, chunk_terms=()), id="terms missing"),
        pytest.param(replace(GUIDE, chunks=(GUIDE.chunks[0], GUIDE.chunks[0])), id="same chunk twice"),
        pytest.param(replace(GUIDE, document=replace(GUIDE.document, id="else.md")), id="chunks of another document"),
        pytest.param(replace(GUIDE, terms={"inbound": {"a": 1}}), id="inbound text with the target"),
        pytest.param(replace(GUIDE, chunk_terms=({"title": {"a": 1}}, {})), id="no field of a chunk"),
    ],
)
def test_an_entry_that_contradicts_itself_is_refused(store: Store, wrong: object) -> None:
    with pytest.raises(ValueError, match=r"docs/guide\.md|else\.md"):
        store.put([entry("good.md", "text"), wrong])  # type: ignore[list-item]
    assert store.generation == 0
    assert not store.fingerprints()


def test_a_chunk_cannot_belong_to_two_documents(store: Store) -> None:
    store.put([GUIDE])
    thief = entry("thief.md", "text")
    thief = replace(thief, chunks=(replace(thief.chunks[0], id=GUIDE.chunks[0].id),))
    with pytest.raises(ValueError, match="two chunks"):
        store.put([thief])
    assert store.generation == 1
    assert store.fingerprints().keys() == {"docs/guide.md"}


def test_the_corpus_profile_counts_documents_with_content(store: Store) -> None:
    assert store.corpus_profile() == CorpusProfile(0, 0, 0, 0.0)
    store.put([entry("a.md", "one two", "three"), entry("b.py", "four", kind="code"), entry("c", kind="folders")])
    found = store.corpus_profile()
    assert (found.documents, found.code) == (2, 1)
    assert found.chunks == store.counts().chunks
    assert found.average_terms > 0.0


def test_roles_are_counted_and_looked_up(store: Store) -> None:
    store.put([_with_role("a.md", "documentation"), _with_role("t.py", "test"), _with_role("u.py", "test")])
    assert store.roles(["a.md", "u.py", "unknown"]) == {"a.md": "documentation", "u.py": "test"}
    profile = store.corpus_profile()
    assert profile.roles == store.counts().roles == {"documentation": 1, "test": 2}
    assert profile.role_share("test") == pytest.approx(2 / 3)
    assert profile.role_share("image") == 0.0
    store.drop(["t.py"])
    assert store.corpus_profile().roles == {"documentation": 1, "test": 1}


def _with_role(path: str, role: str) -> IndexEntry:
    made = entry(path, "text")
    return replace(made, document=replace(made.document, role=role))


def test_commit_dates_replace_those_of_files_until_the_next_put(store: Store) -> None:
    store.put([GUIDE, entry("b.md", "other")])
    generation = store.generation
    store.set_commit_dates({"docs/guide.md": 500, "gone.md": 600})
    guide = store.documents(["docs/guide.md"])["docs/guide.md"]
    assert (guide.changed_ns, guide.changed_by, store.generation) == (500, "commit", generation + 1)
    assert set(store.first_passing_chunks(["docs/guide.md", "b.md"], Filters(changed_from=400))) == {"docs/guide.md"}
    assert set(store.first_passing_chunks(["docs/guide.md", "b.md"], Filters(changed_before=400))) == {"b.md"}
    store.set_commit_dates({"docs/guide.md": 500})
    assert store.generation == generation + 1
    store.put([GUIDE])
    assert store.documents(["docs/guide.md"])["docs/guide.md"] == GUIDE.document
