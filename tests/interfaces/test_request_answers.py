"""Answers of all requests but search: read, graph, context, items, skills, index."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from waymeet import Project
from waymeet.errors import ConflictError, NoIndexError, NotIndexedError, WaymeetError
from waymeet.interfaces.requests.decode import convert
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.requests.operation_table import OPERATIONS
from waymeet.interfaces.requests.operations.search import SearchRequest

Ask = Callable[..., Any]

# --- reading -------------------------------------------------------------------------------------------------------


def test_read(opened: Project, ask: Ask) -> None:
    section = ask("read", id="docs/fusion.md#L6-L8")
    assert (section.start, section.end, section.kind) == (6, 8, "docs")
    assert section.text.startswith("# Rank fusion")
    lines = ask("read", id=str(opened.root / "docs" / "fusion.md"), start=7, lines=2)
    assert (lines.id, lines.text) == ("docs/fusion.md#L7-L8", "\nRanked lists are fused by reciprocal rank.")
    longer = ask("read", id="docs/fusion.md#L6-L8", lines=5)
    assert (longer.start, longer.end) == (6, 10)
    assert ask("read", id="docs/fusion.md", start=11).start == 11
    with pytest.raises(NotIndexedError, match="past the end"):
        ask("read", id="docs/fusion.md", start=1000)
    with pytest.raises(NotIndexedError):
        ask("read", id="/etc/passwd")


def test_reading_on_within_a_budget(opened: Project, ask: Ask) -> None:
    text = (opened.root / "docs" / "fusion.md").read_text("utf-8").removesuffix("\n")
    read: list[str] = []
    start = 0
    while start or not read:
        part = ask("read", id="docs/fusion.md", start=start, budget=20)
        read.append(part.text)
        assert bool(part.cut) == bool(part.next_start)
        start = part.next_start
    assert len(read) > 2
    assert "\n".join(read) == text


# --- the graph -----------------------------------------------------------------------------------------------------


def test_related(ask: Ask) -> None:
    both = ask("related", id="docs/setup.md", limit=50)
    assert both.total_links == 31
    assert {each.document for each in both.related} >= {"docs/fusion.md", "docs/more/keys3.md"}
    inward = ask("related", id="docs/setup.md", direction="in", depth=1, limit=50)
    assert {each.direction for each in inward.links} == {"in"}
    assert len(inward.related) == 31
    outward = ask("related", id="docs/setup.md", direction="out", depth=1)
    assert outward.related == outward.links == ()
    assert [each.document for each in ask("related", id="README.md", direction="out", depth=1).related] == [
        "docs/fusion.md"
    ]
    few = ask("related", id="docs/setup.md", limit=3)
    assert few.cut == ("28 of 31 links: raise `limit` to list them",)
    tight = ask("related", id="docs/setup.md", limit=50, budget=500)
    assert tight.tokens <= 500
    assert "to fit the budget" in tight.cut[-1]
    with pytest.raises(NotIndexedError, match="Nothing indexed"):
        ask("related", id="nowhere.md")


def test_graph(opened: Project, ask: Ask) -> None:
    around = ask("graph", id="docs/setup.md", limit=5)
    assert len(around.nodes) == 5
    assert around.cut
    everything = ask("graph", limit=1000)
    assert not everything.cut
    assert everything.edges == opened.graph(limit=1000).edges


# --- context -------------------------------------------------------------------------------------------------------


def test_context(opened: Project, ask: Ask) -> None:
    found = ask("context", task="how are ranked lists fused", budget=600)
    assert found.tokens <= found.budget == 600
    assert found.pieces[0].id.startswith("docs/fusion.md#")
    for piece in found.pieces:
        assert ask("read", id=piece.id).text == piece.text or not piece.whole
    assert found.pieces[0].whole
    assert all(each.kind == "docs" for each in ask("context", task="keys", kinds=["docs"]).pieces)


# --- notes, tasks and skills ---------------------------------------------------------------------------------------


def test_an_entry_is_written_changed_related_and_forgotten(opened: Project, ask: Ask) -> None:
    saved = ask(
        "remember", kind="tasks", title="Rotate", text="Do it.", priority="high", due="2026-12-31", tags=["a", "b"]
    )
    entry = saved.item
    assert entry.fields == {
        "title": "Rotate",
        "tags": ["a", "b"],
        "priority": "high",
        "due": "2026-12-31",
        "status": "todo",
    }
    assert ask("read", id=entry.id).version == entry.version
    moved = ask("update", id="rotate", version=entry.version, status="done", due="", properties=["owner=me"]).item
    assert (moved.fields["status"], moved.fields["owner"], "due" in moved.fields) == ("done", "me", False)
    assert (moved.text.strip(), moved.fields["tags"]) == ("Do it.", ["a", "b"]), "what is not named stays"
    with pytest.raises(ConflictError) as conflict:
        ask("update", id="rotate", version=entry.version, text="Other.")
    failure = to_failure(conflict.value)
    assert (failure.code, failure.status, failure.version) == ("conflict", 409, moved.version)
    assert "Do it." in failure.current
    assert "Other." in failure.refused
    linked = ask("link", id="rotate", relation="references", target=str(opened.root / "docs" / "setup.md")).item
    assert linked.fields["references"] == ["docs/setup.md"]
    assert ask("related", id=entry.id).links[0].id == "docs/setup.md"
    taken = ask("link", id="rotate", relation="references", target="docs/setup.md", remove=True).item
    assert "references" not in taken.fields
    with pytest.raises(ConflictError):
        ask("link", id="rotate", relation="blocks", target="docs/setup.md", version=entry.version)
    assert [each.name for each in ask("entries", kind="tasks", statuses=["done"], tags=["A"]).items] == ["rotate"]
    assert ask("entries", kind="tasks", properties=["owner=you"]).total == 0
    with pytest.raises(ConflictError):
        ask("forget", id="rotate", version=entry.version)
    assert ask("forget", id="rotate", version=taken.version, kind="tasks").id == entry.id
    with pytest.raises(WaymeetError) as gone:
        ask("entry", id="rotate")
    assert to_failure(gone.value).status == 404


def test_several_values_of_one_property_add_up(ask: Ask) -> None:
    for name in ("One", "Two"):
        ask("remember", kind="notes", title=name)
    properties = ["depends_on=one", "depends_on=two"]
    three = ask("remember", kind="notes", title="Three", properties=properties).item
    assert three.fields["depends_on"] == ["one", "two"]


def test_skills(ask: Ask) -> None:
    steps = ["Run the tests", "Tag the commit"]
    ask("remember", kind="skills", title="Release", description="Ship it", triggers=["ship a version"], steps=steps)
    ask("remember", kind="skills", title="Cook", description="Soup", triggers=["boil"])
    found = ask("recall_skills", task="ship a version of this")
    assert [(each.name, each.steps, each.used) for each in found.skills] == [("release", tuple(steps), 0)]
    assert ask("use_skill", id="release").used == 1
    assert ask("recall_skills", task="ship a version").skills[0].used == 1
    assert ask("entry", id="release").used == 1
    assert {each.name: each.used for each in ask("entries", kind="skills").items} == {"release": 1, "cook": 0}


# --- the index -----------------------------------------------------------------------------------------------------


def test_status_and_index(opened: Project, ask: Ask, tmp_path: Path) -> None:
    found = ask("status")
    assert found.indexed
    assert found.status.counts == opened.counts()
    for number in range(25):
        (opened.root / f"new{number}.md").write_text("# New\n", "utf-8")
    behind = ask("status")
    assert [each.code for each in behind.degraded] == ["behind", "no_model"]
    assert len(behind.status.changes) == 20
    assert behind.cut == ("5 of 25 changes: set `everything` to list them",)
    assert len(ask("status", everything=True).status.changes) == 25
    assert ask("index").added == 25
    assert ask("index").added == 0


def test_without_an_index(project: Path) -> None:
    with Project.open(project) as opened:
        status = OPERATIONS["status"].call(opened, convert(OPERATIONS["status"].request, {}))
        assert not status.indexed
        assert status.degraded[0].code == "no_index"
        with pytest.raises(NoIndexError) as missing:
            OPERATIONS["search"].call(opened, SearchRequest(query="x"))
    assert to_failure(missing.value).code == "no_index"
