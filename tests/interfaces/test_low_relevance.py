"""The note of an answer without a relevant result, in every interface and format."""

import json
from pathlib import Path

from interfaces.conftest import Run

from waymeet import Project
from waymeet.interfaces.adapters.common import find_passages
from waymeet.interfaces.mcp.render import context_text, search_text
from waymeet.interfaces.requests.operations.context import ContextRequest, answer_context
from waymeet.interfaces.requests.operations.search import SearchRequest, answer_search
from waymeet.types import LOW_RELEVANCE_NOTE

GOOD, NOISE = "how are ranked lists fused", "which keys did harbour pilots of ancient carthage wear"
SHOWN_NOTE = "No result looks relevant; showing the closest matches."


def test_people_read_it_before_the_results(project: Path, run: Run) -> None:
    low, good = run("search", NOISE), run("search", GOOD)
    assert low.code == good.code == 0
    assert low.out.startswith(f"{SHOWN_NOTE}\n\n1. docs/")
    assert low.out.lower().count(LOW_RELEVANCE_NOTE) == 1
    assert LOW_RELEVANCE_NOTE not in good.out.lower()
    assert "relevance" not in good.out


def test_every_form_has_it(project: Path, run: Run) -> None:
    found = json.loads(run("search", NOISE, "--json").out)
    assert (found["low_relevance"], found["notes"]) == (True, [LOW_RELEVANCE_NOTE])
    assert all(0.0 < hit["relevance"] < 0.07 for hit in found["hits"])
    assert json.loads(run("search", GOOD, "--json").out)["low_relevance"] is False
    assert f"- note: {LOW_RELEVANCE_NOTE}" in run("search", NOISE, "--format", "md").out
    for form in ("files", "jsonl"):
        assert f"note: {LOW_RELEVANCE_NOTE}" in run("search", NOISE, "--format", form).err
    assert json.loads(run("search", NOISE, "--format", "jsonl").out.splitlines()[0])["relevance"] < 0.07


def test_the_threshold_is_a_setting(project: Path, run: Run) -> None:
    assert SHOWN_NOTE not in run("search", NOISE, "--set", "relevance.min=0").out
    assert SHOWN_NOTE in run("search", GOOD, "--set", "relevance.min=1").out


def test_evidence_is_part_of_an_explanation(project: Path, run: Run) -> None:
    hit = json.loads(run("search", GOOD, "--json", "--explain").out)["hits"][0]
    assert hit["relevance_explanation"]["value"] == hit["relevance"]
    assert hit["relevance_explanation"]["parts"]


def test_agents_read_it_outside_of_quotations(project: Path, run: Run) -> None:
    run("index")
    with Project.open(project) as opened:
        found = answer_search(opened, SearchRequest(query=NOISE))
        said = search_text(found)
        pack = answer_context(opened, ContextRequest(task=NOISE))
        assert search_text(answer_search(opened, SearchRequest(query=GOOD))).startswith("<quoted-")
        facts = find_passages(opened, NOISE, {"limit": 3})[0].metadata
    assert LOW_RELEVANCE_NOTE in said.splitlines()[0]
    assert said.count(LOW_RELEVANCE_NOTE) == 1
    assert LOW_RELEVANCE_NOTE in context_text(pack).splitlines()[0]
    assert pack.pieces[0].relevance == found.hits[0].relevance == facts["relevance"]
    assert facts["low_relevance"] is True


def test_a_budget_leaves_the_sum_of_the_evidence(project: Path, run: Run) -> None:
    run("index")
    with Project.open(project) as opened:
        found = answer_search(opened, SearchRequest(query=GOOD, explain=True, budget=400))
    tree = found.hits[0].relevance_explanation
    assert "details of explanations" in found.cut
    assert tree is not None
    assert tree.value == found.hits[0].relevance
    assert all(not part.parts for part in tree.parts)
