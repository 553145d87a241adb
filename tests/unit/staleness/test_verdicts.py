"""When a document counts as stale: the rule as a table, and the rule over a store."""

from collections.abc import Sequence

import pytest
from conformance.make import entry
from msgspec.structs import replace
from support.processor_time import processor_seconds

from waymeet.formulas.staleness import ChangeTime, ReferenceState, is_after, judge_staleness
from waymeet.settings import Settings
from waymeet.staleness.dates import METADATA_KEY, ChangeDates, DatedDigest, load_change_dates
from waymeet.staleness.references import digest_symbol, has_same_symbol
from waymeet.staleness.verdicts import judge_documents, list_stale
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Chunk, IndexEntry, Link, Symbol

DAY = 86_400 * 10**9
SECOND = 10**9
NOW = 100 * DAY


def at(day: float, known: str = "file") -> ChangeTime:
    return ChangeTime(int(day * DAY), known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("own", "references", "state", "reason"),
    [
        (at(10), [], "unknown", "names no source"),
        (
            at(10),
            [ReferenceState("a.py", at(9))],
            "fresh",
            "up to date: the file it refers to has not changed since 1970-01-11",
        ),
        (at(10), [ReferenceState("a.py", at(10))], "fresh", ""),
        (at(10), [ReferenceState("a.py", at(9)), ReferenceState("b.py", at(8))], "fresh", "none of the 2 files"),
        (
            at(10),
            [ReferenceState("a.py", at(20))],
            "stale",
            "out of date with a.py, which changed 10 days later (1970-01-21)",
        ),
        (at(10), [ReferenceState("a.py", at(9)), ReferenceState("b.py", at(20))], "stale", "with b.py, which changed"),
        (at(10), [ReferenceState("a.py", None)], "stale", "its source a.py does not exist"),
        (
            at(10),
            [ReferenceState("a.py", None, gone=at(5))],
            "stale",
            "its source a.py has been missing since 1970-01-06",
        ),
        (
            at(10),
            [ReferenceState("a.py", at(20), is_mention=True)],
            "possibly_stale",
            "may be out of date with a.py, which it mentions and which changed",
        ),
        (at(10), [ReferenceState("a.py", at(5), is_mention=True)], "fresh", ""),
        (
            at(10),
            [ReferenceState("a.py", at(5)), ReferenceState("b.py", at(20), is_mention=True)],
            "possibly_stale",
            "b.py",
        ),
        (at(10), [ReferenceState("a.py", at(20)), ReferenceState("b.py", at(20), is_mention=True)], "stale", "a.py"),
        # A source that only moved: fresh for a week, then possibly stale; stale if it changed as well.
        (
            at(10),
            [ReferenceState("a.py", at(5), moved_to="b.py", gone=at(95))],
            "fresh",
            "its source a.py was renamed to b.py on",
        ),
        (
            at(10),
            [ReferenceState("a.py", at(5), moved_to="b.py", gone=at(92))],
            "possibly_stale",
            "its source a.py was renamed to b.py on 1970-04-03",
        ),
        (
            at(10),
            [ReferenceState("a.py", at(20), moved_to="b.py", gone=at(15))],
            "stale",
            "out of date with a.py (now b.py), which changed",
        ),
        # Of a symbol: the reason names it, and without it the page is stale, or possibly so if it only mentions it.
        (at(10), [ReferenceState("a.py", at(20), symbol="f")], "stale", "with a.py#f, which changed"),
        (
            at(10),
            [ReferenceState("a.py", at(5), symbol="f"), ReferenceState("a.py", at(5), symbol="g")],
            "fresh",
            "the file it refers to has not changed",
        ),
        (at(10), [ReferenceState("a.py", None, symbol="f")], "stale", "its source a.py#f does not exist"),
        (
            at(10),
            [ReferenceState("a.py", None, moved_to="b.py", symbol="f")],
            "stale",
            "its source a.py#f does not exist",
        ),
        (
            at(10),
            [ReferenceState("a.py", None, is_mention=True, symbol="f")],
            "possibly_stale",
            "a.py#f, which it mentions, does not exist",
        ),
        # Within one day the difference is in hours.
        (
            at(10, "commit"),
            [ReferenceState("a.py", at(10.5, "commit"))],
            "stale",
            "changed 12 hours later (1970-01-11)",
        ),
    ],
)
def test_the_rule(own: ChangeTime, references: Sequence[ReferenceState], state: str, reason: str) -> None:
    verdict = judge_staleness(own, references, NOW, 7)
    assert (verdict.state, reason in verdict.reason) == (state, True), verdict


def test_many_causes_are_counted_and_all_are_listed() -> None:
    verdict = judge_staleness(at(1), [ReferenceState(f"{n}.py", at(2)) for n in range(9)], NOW, 7)
    assert verdict.reason.endswith("; also 1.py, 2.py, 3.py and 5 more")
    assert len(verdict.causes) == 9


@pytest.mark.parametrize(
    ("later", "earlier", "expected"),
    [
        (ChangeTime(SECOND, "commit"), ChangeTime(0, "commit"), True),
        (ChangeTime(0, "commit"), ChangeTime(0, "commit"), False),
        (ChangeTime(1, "edit"), ChangeTime(0, "edit"), True),
        (ChangeTime(1, "edit"), ChangeTime(0, "file"), True),
        (ChangeTime(59 * SECOND), ChangeTime(0), False),
        (ChangeTime(61 * SECOND), ChangeTime(0), True),
    ],
)
def test_file_times_close_together_are_not_compared(later: ChangeTime, earlier: ChangeTime, expected: bool) -> None:
    assert is_after(later, earlier) is expected


@pytest.mark.parametrize("at", [-1, 0, 2**63, 10**30, -(10**30)])
def test_a_time_that_no_calendar_has_breaks_nothing(at: int) -> None:
    assert judge_staleness(ChangeTime(0), [ReferenceState("a.py", ChangeTime(at))], 0, 7).reason


def dated(made: IndexEntry, day: float) -> IndexEntry:
    return replace(made, document=replace(made.document, modified_ns=int(day * DAY)))


def linked(kind: str, name: str) -> Link:
    return Link(refs=(f"p:{name}",), kind=kind)


def code(path: str, day: float) -> IndexEntry:
    return dated(entry(path, "pass", names=(f"p:{path}",), kind="code"), day)


def page(path: str, day: float, *links: Link) -> IndexEntry:
    return dated(entry(path, "text", names=(f"p:{path}",), links=links), day)


def states(store: MemoryStore) -> dict[str, str]:
    return {each.document: each.state for each in list_stale(store, Settings(), NOW, load_change_dates(store))}


def test_a_store_is_judged_by_its_edges() -> None:
    store = MemoryStore()
    store.put(
        [
            code("src/old.py", 1),
            code("src/new.py", 50),
            page("a.md", 10, linked("source", "src/old.py")),
            page("b.md", 10, linked("source", "src/new.py"), linked("source", "src/old.py")),
            page("c.md", 10, linked("mentions", "src/new.py")),
            page("d.md", 10, linked("references", "src/new.py")),
            page("e.md", 10, linked("source", "src/none.py")),
            page("f.md", 10, linked("references", "a.md"), linked("mentions", "src/none.py")),
            page("g.md", 60, linked("source", "src/new.py"), linked("mentions", "src/new.py")),
            page("h.md", 10, linked("source", "g.md")),
            page("docs/release-notes.md", 10, linked("mentions", "src/new.py")),  # about the past
            page("NEWS.md", 10, linked("mentions", "src/new.py"), linked("source", "src/new.py")),
        ]
    )
    assert states(store) == {
        "NEWS.md": "stale",
        "b.md": "stale",
        "e.md": "stale",
        "h.md": "stale",
        "c.md": "possibly_stale",
        "d.md": "possibly_stale",
        "docs/release-notes.md": "unknown",
        "f.md": "unknown",
        "a.md": "fresh",
        "g.md": "fresh",
    }
    documents = store.documents(["src/new.py", "a.md"])
    verdicts = judge_documents(store, documents, Settings(), NOW)
    assert {id_: each.state for id_, each in verdicts.items()} == {"src/new.py": "unknown", "a.md": "fresh"}


def test_what_is_remembered_counts_until_the_content_changes() -> None:
    store = MemoryStore()
    source = code("src/a.py", 50)
    store.put([source, page("a.md", 50, linked("source", "src/a.py"))])
    times = {
        "a.md": DatedDigest(store.documents(["a.md"])["a.md"].digest, at(20, "commit")),
        "src/a.py": DatedDigest(source.document.digest, at(10, "commit")),
    }
    store.set_metadata(METADATA_KEY, _encode(ChangeDates(times=times)))
    assert states(store) == {"a.md": "fresh"}
    store.put([replace(source, document=replace(source.document, digest="other"))])
    assert states(store) == {"a.md": "stale"}


def test_stale_is_restricted_to_paths() -> None:
    store = MemoryStore()
    store.put([page("docs/a.md", 1), page("docs2/b.md", 1), page("c.md", 1)])

    def found(*paths: str) -> list[str]:
        return [each.document for each in list_stale(store, Settings(), NOW, ChangeDates(), paths)]

    assert found("docs") == ["docs/a.md"]
    assert found("docs/", "c.md") == ["c.md", "docs/a.md"]
    assert len(found(".")) == len(found()) == 3


def pieces(text: str, *symbols: Symbol, at_line: int = 0) -> tuple[Chunk, ...]:
    """Divide a text into two chunks at a line, if any."""
    lines = text.split("\n")
    parts = [(0, lines[:at_line]), (at_line, lines[at_line:])] if at_line else [(0, lines)]
    return tuple(
        Chunk(f"a#{n}", "a", n, at + 1, at + len(part), "\n".join(part), symbols=symbols if not n else ())
        for n, (at, part) in enumerate(parts)
    )


def test_a_symbol_is_the_same_wherever_it_lies() -> None:
    text = "def f():\n    g()\n\n    h()"
    here = digest_symbol("f", pieces(text, Symbol("f", "function", 1, 4)))
    assert here == digest_symbol("f()", pieces(text, Symbol("f", "function", 1, 4), at_line=2))
    assert here == digest_symbol("f", pieces(f"x = 1\n\n{text}\n\ny = 2", Symbol("f", "function", 3, 6)))
    assert here != digest_symbol("f", pieces(text, Symbol("f", "function", 1, 2)))


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("K.m", True),
        ("K::m", True),
        ("m", True),
        ("MOST", True),
        ("L2", True),
        ("there", True),
        ("K.n", False),
        ("called", False),
    ],
)
def test_what_a_file_has(name: str, there: bool) -> None:
    text = "MOST: int = 3\nclass K:\n    def m(self): return called(1)\nfrom else_where import there"
    found = pieces(text, Symbol("K", "class", 2, 3), Symbol("K.m", "method", 3, 3))
    assert (digest_symbol(name, found) is not None) is there


@pytest.mark.parametrize(
    ("text", "is_missing"),
    [
        ("class K:\n    m = 1", True),
        ("class K(object):\n    m = 1", True),
        ("class K(Base):\n    m = 1", False),
        ("class K[T](\n    Base,\n):\n    m = 1", False),
        ("export class K extends Base {\n}", False),
        ("class K : public Base {\n};", False),
        ("class K < Base\nend", False),
        ("class K: Base {\n}", False),
        ("from .app import K as K\nclass J:\n    m = 1", False),
    ],
)
def test_what_a_class_may_inherit_or_a_file_reexports_is_not_called_missing(text: str, is_missing: bool) -> None:
    symbols = [Symbol(name, "class", 1, 2) for name in ("K", "J") if f"class {name}" in text]
    assert (digest_symbol("K.gone", pieces(text, *symbols)) is None) is is_missing


@pytest.mark.parametrize(
    ("former", "same"),
    [
        ("def f():\n    g()\n", True),
        ("x = 1\r\n\r\ndef f():\r\n    g()\r\n\r\n\r\ny = 1\r\n", True),
        ("def f():\n    g()\n\n    h()\n", False),
        ("@cache\ndef f():\n    g()\n", False),
        ("def f():\n    h()\n", False),
        ("", False),
    ],
)
def test_a_former_version_has_the_same_symbol(former: str, same: bool) -> None:
    assert has_same_symbol("f", pieces("def f():\n    g()", Symbol("f", "function", 1, 2)), former) is same


def test_looking_for_a_name_takes_no_time() -> None:
    for text in ("a " * 50_000, "<*&" * 50_000, "\n" * 50_000, "a\n" * 50_000):
        with processor_seconds(2):
            assert digest_symbol("nowhere", pieces(text, Symbol("f", "function", 1, 1))) is None


def _encode(change_dates: ChangeDates) -> str:
    import msgspec

    return msgspec.json.encode(change_dates).decode()
