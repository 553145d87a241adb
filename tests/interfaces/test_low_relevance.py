"""What people and agents are told when nothing found seems to answer."""

import json
from pathlib import Path

from interfaces.conftest import Run

from waymeet import Project
from waymeet.interfaces.adapters.common import find_passages
from waymeet.interfaces.mcp.render import context_text, search_text
from waymeet.interfaces.requests.operations.context import ContextRequest, answer_context
from waymeet.interfaces.requests.operations.search import SearchRequest, answer_search
from waymeet.types import LOW_RELEVANCE_NOTE, Filters

GOOD, NOISE = "how are ranked lists fused", "which keys did harbour pilots of ancient carthage wear"
SAID = "No result looks relevant; showing the closest matches:"


def test_people_read_it_before_the_results(project: Path, run: Run) -> None:
    doubtful, good = run("search", NOISE), run("search", GOOD)
    assert doubtful.code == good.code == 0
    assert doubtful.out.startswith(f"{SAID}\n\n1. docs/")
    assert doubtful.out.lower().count(LOW_RELEVANCE_NOTE) == 1
    assert LOW_RELEVANCE_NOTE not in good.out.lower()
    assert "relevance" not in good.out
    assert "chance" in run("search", GOOD, "--explain").out


def test_every_form_has_it(project: Path, run: Run) -> None:
    found = json.loads(run("search", NOISE, "--json").out)
    assert (found["doubtful"], found["notes"]) == (True, [LOW_RELEVANCE_NOTE])
    assert all(0.0 < hit["relevance"] < 0.07 for hit in found["hits"])
    assert json.loads(run("search", GOOD, "--json").out)["doubtful"] is False
    assert f"- note: {LOW_RELEVANCE_NOTE}" in run("search", NOISE, "--format", "md").out
    for form in ("files", "jsonl"):
        assert f"note: {LOW_RELEVANCE_NOTE}" in run("search", NOISE, "--format", form).err
    assert json.loads(run("search", NOISE, "--format", "jsonl").out.splitlines()[0])["relevance"] < 0.07


def test_the_bar_is_a_setting(project: Path, run: Run) -> None:
    assert SAID not in run("search", NOISE, "--set", "shape.doubt=0").out
    assert SAID in run("search", GOOD, "--set", "shape.doubt=0.99").out


def test_evidence_is_part_of_an_explanation(project: Path, run: Run) -> None:
    shown = run("search", GOOD, "--explain").out
    assert "chance that it answers" in shown
    assert "of the question's words, by rarity" in shown


def test_agents_read_it_outside_of_quotations(project: Path, run: Run) -> None:
    run("index")
    with Project.open(project) as opened:
        found = answer_search(opened, SearchRequest(query=NOISE))
        said = search_text(found)
        pack = answer_context(opened, ContextRequest(task=NOISE))
        assert search_text(answer_search(opened, SearchRequest(query=GOOD))).startswith("<quoted-")
        facts = find_passages(opened, NOISE, 3, "auto", Filters())[0].metadata
    assert said.startswith(f"doubtful: {LOW_RELEVANCE_NOTE}")
    assert said.count(LOW_RELEVANCE_NOTE) == 1
    assert context_text(pack).startswith(f"doubtful: {LOW_RELEVANCE_NOTE}")
    assert pack.pieces[0].relevance == found.hits[0].relevance == facts["relevance"]
    assert facts["doubtful"] is True


def test_a_budget_leaves_the_sum_of_the_evidence(project: Path, run: Run) -> None:
    run("index")
    with Project.open(project) as opened:
        found = answer_search(opened, SearchRequest(query=GOOD, explain=True, budget=400))
    tree = found.hits[0].relevance_explanation
    assert "details of explanations" in found.cut
    assert tree is not None
    assert tree.value == found.hits[0].relevance
    assert all(not part.parts for part in tree.parts)
