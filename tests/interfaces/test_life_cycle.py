"""The life cycle of items: reviews, conflicts and checkpoints on the command line and in requests."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from interfaces.conftest import Run
from support.mcp_client import call, text_of

from waymeet import Project
from waymeet.errors import ConflictError, ModelError
from waymeet.formulas.explanation import evaluate
from waymeet.interfaces.http.routes import ROUTES
from waymeet.interfaces.mcp.render import status_text
from waymeet.models import choose_rerankers
from waymeet.notebook.checkpoints import checkpoints
from waymeet.search.feedback import storage
from waymeet.types import Query

KEYS = "The signing keys of the billing service are rotated every 30 days by the job called rotate."
ONE, OTHER = ".waymeet/notes/keys.md", ".waymeet/notes/more-keys.md"


def reviews_of(project: Path) -> dict[str, Any]:
    files = list(project.parent.glob("data/waymeet/indexes/*.read.json"))
    return json.loads(files[0].read_text(encoding="utf-8")) if files else {}


def test_reading_and_confirming_are_recorded_and_searching_is_not(project: Path, run: Run) -> None:
    run("note", "add", "Keys", KEYS)
    run("search", "signing keys", "--kind", "notes")
    run("search", "signing keys", "--recipe", "memory")
    run("note", "list")
    run("note", "update", "keys", "--field", "team=core")
    assert reviews_of(project) == {}
    shown = run("note", "show", "keys")
    assert "1 review, retrievability 1.00, stability " in shown.err
    assert list(reviews_of(project)) == [ONE]
    confirmed = json.loads(run("note", "confirm", "keys", "--json").out)
    assert (confirmed["id"], confirmed["review"]["confirmations"], confirmed["review"]["reviews"]) == (ONE, 1, 2)
    assert run("note", "confirm", "keys", "--version", "0123").code == 4
    assert run("note", "confirm", "nothing").code == 1
    listed = json.loads(run("note", "list", "--json").out)
    assert listed[0]["review"]["confirmations"] == 1
    assert {"stability_days", "difficulty", "last_review_ns", "reviews"} <= listed[0]["review"].keys()


def test_reviews_survive_a_new_index_and_a_renamed_file(project: Path, run: Run) -> None:
    run("index")
    run("note", "add", "Keys", KEYS)
    run("note", "add", "More keys", KEYS)
    run("note", "confirm", "keys")
    run("index")
    (project / ONE).rename(project / ".waymeet/notes/renamed.md")
    run("index")
    assert list(reviews_of(project)) == [".waymeet/notes/renamed.md"]
    (index,) = (path for path in project.parent.glob("data/waymeet/indexes/*") if path.suffix in {".db", ".sqlite"})
    index.unlink()
    run("index")
    assert json.loads(run("note", "show", "renamed", "--json").out)["review"]["confirmations"] == 1
    (conflict,) = json.loads(run("note", "conflicts", "--json").out)
    assert conflict["other"]["id"] == ".waymeet/notes/renamed.md"


def test_a_half_life_of_the_front_matter_is_used_and_explained(project: Path, run: Run) -> None:
    (project / "docs" / "setup.md").write_text("---\nhalf_life_days: never\n---\n# Setup\n\nRotate the keys.\n")
    assert run("note", "add", "Keys", KEYS, "--field", "half_life_days=0").code == 2
    assert run("note", "add", "Keys", KEYS, "--field", "half_life_days=12").code == 0
    found = run("search", "rotate keys", "--recipe", "memory", "--explain", "--json")
    assert "half-life 12 days" in found.out
    note = "docs/setup.md: half_life_days: 'never' is not a positive number of days; the default is used"
    assert note in json.loads(found.out)["notes"]


def test_conflicts_are_listed_resolved_and_counted(project: Path, run: Run) -> None:
    run("index")
    run("note", "add", "Keys", KEYS)
    assert run("note", "conflicts").code == 1
    run("note", "add", "More keys", KEYS.replace("30", "7"))
    listed = run("note", "conflicts")
    assert (listed.code, "may contradict: 7 against 30" in listed.out, ONE in listed.out) == (0, True, True)
    assert "1 pair of items: waymeet note conflicts" in run("status").out
    other = run("task", "conflicts")
    assert (other.code, "1 conflict of other kinds: waymeet note conflicts" in other.err) == (1, True)
    (conflict,) = json.loads(run("note", "conflicts", "--json").out)
    assert run("note", "conflicts", "--resolve", conflict["id"]).code == 2
    resolved = run("note", "conflicts", "--resolve", conflict["id"], "--as", "superseded", "--keep", "more-keys")
    assert resolved.out == f"Resolved {conflict['id']} as superseded: {ONE} and {OTHER}.\n"
    assert "supersedes:" in (project / OTHER).read_text()
    assert run("note", "conflicts", "--json").out == "[]\n"
    assert "waymeet note conflicts" not in run("status").out
    assert run("note", "conflicts", "--resolve", conflict["id"], "--as", "merged").code == 1


def test_checkpoints_from_create_to_delete(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("note", "add", "Keys", KEYS)
    assert run("checkpoint", "list").code == 1
    assert run("checkpoint", "create", "start").out == "Saved checkpoint start with 1 file.\n"
    assert run("checkpoint", "diff", "start").code == 1
    run("note", "update", "keys", "--body", "Changed.")
    run("task", "add", "Later", "Work.")
    diff = run("checkpoint", "diff", "start")
    assert f"-{KEYS}" in diff.out
    assert "+ .waymeet/tasks/later.md  added" in diff.out
    assert json.loads(run("checkpoint", "restore", "start", "--dry-run", "--json").out)["changes"][0]["path"] == ONE
    refused = run("checkpoint", "restore", "start")
    assert (refused.code, "Add --yes" in refused.err) == (2, True)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "confirm", lambda *_, **__: False)
    assert run("checkpoint", "restore", "start").code == 1
    assert (project / ".waymeet/tasks/later.md").exists()
    restored = run("checkpoint", "restore", "start", "--yes")
    assert (restored.code, "2 files restored." in restored.out) == (0, True)
    assert "To return to it: waymeet checkpoint restore before-restoring-start" in restored.err
    assert KEYS in (project / ONE).read_text()
    assert not (project / ".waymeet/tasks/later.md").exists()
    names = [each["name"] for each in json.loads(run("checkpoint", "list", "--json").out)]
    assert names == ["before-restoring-start", "start"]
    assert run("checkpoint", "restore", "before-restoring-start", "--yes").code == 0
    assert (project / ".waymeet/tasks/later.md").exists()
    assert run("checkpoint", "delete", "start").code == 0
    assert run("checkpoint", "diff", "start").code == 1


def test_items_that_were_not_restored_are_exit_4(project: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("note", "add", "Keys", KEYS)
    run("checkpoint", "create", "start")
    run("note", "update", "keys", "--body", "Changed.")
    monkeypatch.setattr(checkpoints.Checkpoints, "_apply", lambda *_: "it is locked")
    restored = run("checkpoint", "restore", "start", "--yes")
    assert (restored.code, f"not restored: {ONE}: it is locked" in restored.err) == (4, True)


def test_requests_confirm_resolve_and_restore(project: Path, ask: Callable[..., Any]) -> None:
    keys = ask("remember", kind="notes", title="Keys", text=KEYS).item
    more = ask("remember", kind="notes", title="More keys", text=KEYS.replace("30", "7")).item
    assert ask("entry", id="keys").review.reviews == 1
    assert ask("confirm", id="keys", version=keys.version).review.confirmations == 1
    with pytest.raises(ConflictError):
        ask("confirm", id="keys", version="0123")
    (conflict,) = ask("conflicts").conflicts
    assert ask("conflicts", kind="tasks").total == 0
    status = ask("status")
    assert [each.id for each in status.conflicts] == [conflict.id]
    assert f"{conflict.id}: {ONE} and {OTHER}: may contradict" in status_text(status)
    saved = ask("update", id="more-keys", version=more.version, confirm=True, resolutions=[f"{conflict.id}=superseded"])
    assert (saved.changed, saved.item.review.confirmations) == (False, 1)
    assert saved.item.fields["supersedes"] == ["keys"]
    assert saved.item.version != more.version  # that of the file with the relation
    assert ask("conflicts").total == 0
    assert ask("create_checkpoint", name="start").files == 2
    ask("forget", id="keys", version=ask("entry", id="keys").version)
    assert [each.change for each in ask("compare_checkpoint", name="start").changes] == ["removed", "changed"]
    assert ask("restore_checkpoint", name="start", dry_run=True).saved_as == ""
    assert ask("restore_checkpoint", name="start").failed == ()
    assert [each.name for each in ask("checkpoints").checkpoints] == ["before-restoring-start", "start"]


def test_an_agent_confirms_and_settles_with_update(project: Path) -> None:
    keys = call(project, "remember", kind="notes", title="Keys", text=KEYS)
    call(project, "remember", kind="notes", title="More keys", text=KEYS.replace("30", "7"))
    call(project, "index")
    status = call(project, "status")
    assert status.structured_content
    (conflict,) = status.structured_content["conflicts"]
    assert f"{conflict['id']}: {ONE} and {OTHER}" in text_of(status)
    assert keys.structured_content
    version = keys.structured_content["item"]["version"]
    settled = [f"{conflict['id']}=keep_both"]
    saved = call(project, "update", id="keys", version=version, confirm=True, resolutions=settled)
    assert not saved.is_error, text_of(saved)
    assert saved.structured_content
    assert saved.structured_content["item"]["review"]["confirmations"] == 1
    settled_status = call(project, "status").structured_content
    assert settled_status is not None
    assert "conflicts" not in settled_status
    wrong = call(project, "update", id="keys", version=version, title="Other", resolutions=settled)
    assert wrong.is_error
    assert "title: Keys" in (project / ONE).read_text()  # nothing was written


def test_a_merged_text_may_settle_the_conflict_by_itself(ask: Callable[..., Any]) -> None:
    ask("remember", kind="notes", title="Keys", text=KEYS)
    more = ask("remember", kind="notes", title="More keys", text=KEYS.replace("30", "7")).item
    (conflict,) = ask("conflicts").conflicts
    resolutions = [f"{conflict.id}=merged"]
    ask("update", id="more-keys", version=more.version, text="The garden needs water.", resolutions=resolutions)
    assert ask("conflicts").total == 0


def test_routes_that_change_something_need_the_token() -> None:
    needs = {(route.method, route.path): route.needs_token for route in ROUTES}
    assert needs["POST", "/v1/confirm"]
    assert needs["POST", "/v1/conflicts"]
    assert needs["POST", "/v1/checkpoints"]
    assert needs["POST", "/v1/checkpoints/restore"]
    assert not needs["GET", "/v1/conflicts"]
    assert not needs["GET", "/v1/checkpoints"]


class ReverseReranker:
    """Scores texts by how late they come."""

    name = "reverse"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        del query
        return [(place + 1) / (len(texts) + 1) for place, _ in enumerate(texts)]


class BrokenReranker:
    name = "broken"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        del query, texts
        raise ModelError("It does not answer.", "")


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object], None]]:
    def choose(model: object) -> None:
        monkeypatch.setenv("WAYMEET_RERANK_PROVIDER", "local")
        monkeypatch.setattr(choose_rerankers, "choose_reranker", lambda *_: model)
        choose_rerankers.choose_models.cache_clear()

    yield choose
    choose_rerankers.choose_models.cache_clear()


def test_given_hits_are_reranked_with_their_explanation(
    project: Path, run: Run, reranker: Callable[[object], None]
) -> None:
    run("index")
    reranker(ReverseReranker())
    with Project.open(project) as opened:
        hits = opened.search(Query("rank fusion keys", limit=4)).hits
        answer = opened.rerank("rank fusion keys", hits)
        assert [hit.id for hit in answer.hits] != [hit.id for hit in hits]
        assert {hit.id for hit in answer.hits} == {hit.id for hit in hits}
        scores = [hit.score for hit in answer.hits]
        assert scores == sorted(scores, reverse=True)
        for hit in answer.hits:
            assert hit.explanation
            assert evaluate(hit.explanation) == pytest.approx(hit.score)
            assert hit.sources[-1].source == "reranker"
        assert (answer.reranked, answer.degraded) == (True, ())
        assert opened.rerank("rank fusion keys", hits, limit=2).hits == answer.hits[:2]
        assert opened.rerank("keys", ()).hits == ()
        (project / hits[0].document).unlink()
        opened.index(embed=False)
        assert [each.code for each in opened.rerank("rank", hits).degraded] == ["gone"]


def test_without_a_reranker_the_order_stays_and_the_answer_says_so(
    project: Path, run: Run, reranker: Callable[[object], None]
) -> None:
    run("index")
    with Project.open(project) as opened:
        hits = opened.search("rank fusion").hits
        answer = opened.rerank("rank fusion", hits)
        assert (answer.hits, answer.reranked) == (hits, False)
        assert [each.code for each in answer.degraded] == ["no_reranker"]
    reranker(BrokenReranker())
    with Project.open(project) as opened:
        answer = opened.rerank("rank fusion", hits)
        assert answer.hits == hits
        assert [each.code for each in answer.degraded] == ["rerank_failed"]


def test_a_suggested_tier_is_shown_and_never_written(project: Path, run: Run) -> None:
    run("index")
    run("note", "add", "Keys", KEYS, "--field", "tier=normal")
    with Project.open(project) as opened:
        note = opened.notebook.load("keys")
        document = opened.refreshed_store()[0].documents([note.id])[note.id]
        for day in range(12):
            storage.record_confirmation(opened.index_path, document, document.modified_ns + day * 86_400_000_000_000)
    assert "suggested tier: critical (12 reviews, 12 of them confirmations)" in run("note", "show", "keys").err
    assert f"{ONE}: critical" in run("status").out
    assert json.loads(run("note", "list", "--json").out)[0]["review"]["suggested_tier"] == "critical"
    assert "tier: normal" in (project / ONE).read_text()
