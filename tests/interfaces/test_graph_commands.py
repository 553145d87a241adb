"""The commands on the link graph: output, exit codes and errors."""

import json
import re
from pathlib import Path

import pytest
from interfaces.conftest import Run

FILES = {
    "README.md": "# Garden\n\nStart with [planting](docs/planting.md).\n",
    "docs/planting.md": (
        "# Planting trees\n\nDig first, as [[Digging holes|depends_on]] says. See [watering](watering.md#when).\n\n"
        "## Notes\n\nUse `dig_hole` of `src/tools.py`.\n"
    ),
    "docs/digging.md": "# Digging holes\n\nCall `dig_hole` once.\n",
    "docs/watering.md": (
        "# Watering\n\n## When\n\nAfter planting trees, in the evening. Do not forget digging holes.\n\n"
        "It is done by water_the_plants(now) every day.\n"
    ),
    "docs/lonely.md": "# Compost heap\n\nNobody links here.\n",
    "docs/broken.md": (
        "# Broken\n\nSee [setup](plantin.md) and\n[that](watering.md#wen) and [out](https://example.org/x.md).\n\n"
        "Also [[No such page]].\n"
    ),
    "docs/ja.md": "# 水やり\n\n毎日の水やりと植え付けの手順。\n",
    "docs/ja2.md": "# 植え付け\n\n土を掘る。\n",
    "src/tools.py": "import os\n\ndef dig_hole(depth):\n    return os.name\n\ndef water_the_plants(now): ...\n",
}


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "garden"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


COMMANDS = [
    ("related", "docs/planting.md"),
    ("links", "docs/planting.md"),
    ("graph", "docs/planting.md"),
    ("graph",),
    ("suggest-links",),
    ("orphans",),
    ("broken-links",),
    ("stale",),
]


@pytest.mark.parametrize("args", COMMANDS)
def test_every_command_indexes_on_first_use_and_speaks_json(garden: Path, run: Run, args: tuple[str, ...]) -> None:
    found = run(*args, "--json")
    assert found.code == 0
    assert "degraded" in json.loads(found.out)
    assert "Traceback" not in found.err
    help_ = run(args[0], "--help").out
    assert "Examples:" in help_


@pytest.mark.parametrize("args", COMMANDS[2:])
def test_an_empty_project(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    found = run(args[0])
    assert found.code in {0, 1}
    assert "Traceback" not in found.err
    assert json.loads(run(args[0], "--json").out)["degraded"] == []


@pytest.mark.parametrize("command", ["related", "links", "graph", "suggest-links"])
def test_an_unknown_id_is_exit_1_with_a_suggestion(garden: Path, run: Run, command: str) -> None:
    found = run(command, "docs/plantin.md")
    assert found.code == 1
    assert "Did you mean docs/planting.md?" in found.err
    assert "has no 'nots'" in run(command, "docs/planting.md#nots").err
    for odd in ("", "#", "../x", "\x1b[31m", "a" * 5000, "\udc80", "\0"):
        found = run(command, "--", odd)
        assert (found.code, "Traceback" in found.err, "\x1b" in found.err) == (1 if odd else found.code, False, False)


@pytest.mark.parametrize(
    "name",
    [
        "docs/planting.md",
        "planting.md",
        "planting",
        "Planting trees",
        "docs/planting.md#L1-L3",
        "docs/planting.md:3",
        "./docs/planting.md",
    ],
)
def test_a_document_is_known_by_many_names(garden: Path, run: Run, name: str) -> None:
    assert json.loads(run("related", name, "--json").out)["id"] == "docs/planting.md"


def test_a_name_that_several_have_is_refused_with_all_of_them(garden: Path, run: Run) -> None:
    (garden / "src" / "README.md").write_text("# Garden\n", encoding="utf-8")
    found = run("links", "Garden")
    assert found.code == 1
    assert "README.md, src/README.md" in found.err


def test_links(garden: Path, run: Run) -> None:
    links = json.loads(run("links", "docs/planting.md", "--json").out)["links"]
    out = {(each["kind"], each["id"]): each for each in links if each["direction"] == "out"}
    assert out["depends_on", "docs/digging.md"]["line"] == 3
    assert out["references", "docs/watering.md#when"]["sentence"] == "See watering."
    assert [each["id"] for each in links if each["direction"] == "in"] == ["docs/", "README.md#garden"]
    text = run("links", "docs/planting.md").out
    assert "→ depends_on" in text
    assert "← references" in text
    only = json.loads(run("links", "docs/planting.md", "--kinds", "depends_on,embeds", "--json").out)["links"]
    assert [each["kind"] for each in only] == ["depends_on"]
    assert run("links", "docs/lonely.md", "--kinds", "references").code == 1
    broken = json.loads(run("links", "docs/broken.md", "--json").out)["links"]
    assert {each["id"] for each in broken if each["dangling"]} >= {"docs/plantin.md"}
    assert "broken" in run("links", "docs/broken.md").out


def test_links_of_a_symbol_and_of_lines(garden: Path, run: Run) -> None:
    links = json.loads(run("links", "src/tools.py#dig_hole", "--kinds", "mentions", "--json").out)["links"]
    assert {each["id"].partition("#")[0] for each in links} == {"docs/planting.md", "docs/digging.md"}
    assert json.loads(run("links", "dig_hole", "--json").out)["id"] == "src/tools.py#dig_hole"
    lines = json.loads(run("links", "docs/planting.md#L5-L9", "--kinds", "references,depends_on", "--json").out)
    assert all(each["direction"] == "in" for each in lines["links"])


def test_related(garden: Path, run: Run) -> None:
    found = json.loads(run("related", "docs/planting.md", "--json").out)["related"]
    reasons = {each["document"]: each["reasons"] for each in found}
    assert reasons["README.md"] == ["links to it"]
    assert "both mention src/tools.py" in reasons["docs/digging.md"]
    assert all(each["hops"] <= 2 for each in found)
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)
    near = json.loads(run("related", "docs/planting.md", "--depth", "1", "--kinds", "references", "--json").out)
    assert {each["document"] for each in near["related"]} == {"README.md", "docs/watering.md"}
    assert run("related", "docs/lonely.md").code == 1
    folder = json.loads(run("related", "docs/lonely.md", "--kinds", "contains", "--json").out)["related"]
    assert "both contained in docs/" in {reason for each in folder for reason in each["reasons"]}


def test_graph_around_and_whole(garden: Path, run: Run) -> None:
    graph = json.loads(run("graph", "docs/planting.md", "--format", "json", "--kinds", "references").out)
    assert {node["id"] for node in graph["nodes"]} == {"docs/planting.md", "README.md", "docs/watering.md"}
    assert {"source": "README.md", "target": "docs/planting.md", "kind": "references", "links": 1} in graph["edges"]
    text = run("graph", "docs/planting.md", "--kinds", "references").out
    assert text.splitlines()[0] == "docs/planting.md  Planting trees"
    assert "├─ ← README.md  Garden  references" in text
    whole = json.loads(run("graph", "--json", "--kinds", "references,depends_on").out)
    assert {node["id"] for node in whole["nodes"]} >= set(FILES)
    few = run("graph", "--json", "--limit", "3")
    assert len(json.loads(few.out)["nodes"]) == 3
    assert json.loads(few.out)["cut"] is True
    assert "more than 3 nodes" in few.err
    alone = json.loads(run("graph", "docs/planting.md", "--depth", "0", "--json").out)
    assert [node["id"] for node in alone["nodes"]] == ["docs/planting.md"]


def test_graph_of_symbols(garden: Path, run: Run) -> None:
    graph = json.loads(run("graph", "src/tools.py#dig_hole", "--json").out)
    assert graph["nodes"][0] == {"id": "src/tools.py#dig_hole", "title": "dig_hole", "kind": "symbol", "hops": 0}
    assert {edge["kind"] for edge in graph["edges"]} >= {"mentions"}
    inside = json.loads(run("graph", "src/tools.py", "--symbols", "--kinds", "contains", "--json").out)
    assert {"src/tools.py#dig_hole", "src/tools.py#water_the_plants"} <= {node["id"] for node in inside["nodes"]}


def test_hostile_titles_stay_inside_their_quotes(garden: Path, run: Run) -> None:
    evil = 'x"]; click n0 "javascript:alert(1)" %% \\" -> <script>`#quot;'
    (garden / "docs" / "evil.md").write_text(
        f"---\ntitle: {json.dumps(evil + chr(27) + '[31m')}\n---\n\n[a](planting.md)\n", encoding="utf-8"
    )
    run("index")
    dot = run("graph", "docs/evil.md", "--format", "dot").out
    for line in dot.splitlines()[2:-1]:
        assert re.fullmatch(
            r'  "(?:[^"\\]|\\["\\])*"(?: -> "(?:[^"\\]|\\["\\])*")? \[label="(?:[^"\\]|\\["\\])*"\];', line
        )
    mermaid = run("graph", "docs/evil.md", "--format", "mermaid").out
    assert mermaid.startswith("flowchart LR\n")
    for line in mermaid.splitlines()[1:]:
        assert re.fullmatch(r'  n\d+(?:\["[^"<>`\[\]]*"\]| -->\|"[^"<>`\[\]]*"\| n\d+)', line)
    for args in (("graph",), ("graph", "docs/evil.md"), ("related", "docs/planting.md"), ("links", "docs/planting.md")):
        assert "\x1b" not in run(*args).out


def test_orphans(garden: Path, run: Run) -> None:
    found = {each["document"] for each in json.loads(run("orphans", "--json").out)["orphans"]}
    assert found == {"docs/lonely.md", "docs/broken.md", "docs/ja.md", "docs/ja2.md"}
    everything = json.loads(run("orphans", "--all", "--kind", "docs", "--json").out)["orphans"]
    assert "README.md" in {each["document"] for each in everything}
    assert "docs/lonely.md  Compost heap" in run("orphans").out


def test_broken_links(garden: Path, run: Run) -> None:
    found = json.loads(run("broken-links", "--json").out)["broken"]
    assert [
        (each["line"], each["problem"], each["suggestions"]) for each in found if each["document"] == "docs/broken.md"
    ] == [
        (3, "missing", ["docs/planting.md"]),
        (4, "anchor", ["docs/watering.md#when"]),
        (6, "missing", []),
    ]
    assert {each["document"] for each in found} == {"docs/broken.md"}
    text = run("broken-links").out
    assert "docs/broken.md:3" in text
    assert "did you mean docs/planting.md?" in text
    assert run("broken-links").code == 0
    assert run("broken-links", "--exit-code").code == 1
    assert run("broken-links", "docs/planting.md", "--exit-code").code == 0
    (garden / "docs" / "broken.md").unlink()
    assert run("broken-links", "--exit-code").code == 0


def test_links_to_folders_and_to_what_is_not_indexed_are_not_broken(garden: Path, run: Run) -> None:
    (garden / ".gitignore").write_text("build/\n", encoding="utf-8")
    (garden / "build").mkdir()
    (garden / "build" / "Out.md").write_text("x", encoding="utf-8")
    text = "# Index\n\n[docs](docs/), [out](build/Out.md), [none](build/none.md), [up](../../etc/passwd)\n"
    (garden / "index.md").write_text(text, encoding="utf-8")
    found = json.loads(run("broken-links", "index.md", "--json").out)["broken"]
    assert {each["text"] for each in found} == {"none", "up"}


def test_a_link_by_a_former_name_is_told(garden: Path, run: Run) -> None:
    run("index")
    (garden / "docs" / "watering.md").rename(garden / "docs" / "water.md")
    run("index")
    found = json.loads(run("broken-links", "docs/planting.md", "--json").out)["broken"]
    assert [(each["problem"], each["suggestions"]) for each in found] == [("renamed", ["docs/water.md"])]
    assert "is now docs/water.md" in run("broken-links", "docs/planting.md").out


def test_suggested_links_are_ready_to_paste(garden: Path, run: Run) -> None:
    found = json.loads(run("suggest-links", "docs/watering.md", "--json").out)["suggestions"]
    by = {each["target"]: each for each in found}
    assert by["docs/digging.md"]["linked_sentence"] == "Do not forget [digging holes](digging.md)."
    assert by["docs/digging.md"]["line"] == 5
    assert by["src/tools.py#water_the_plants"]["linked_sentence"].startswith("It is done by `water_the_plants`(now)")
    assert "docs/planting.md" not in by  # planting links to it already
    japanese = json.loads(run("suggest-links", "docs/ja.md", "--json").out)["suggestions"]
    assert [(each["target"], each["text"]) for each in japanese] == [("docs/ja2.md", "植え付け")]
    assert japanese[0]["linked_sentence"] == "毎日の水やりと[植え付け](ja2.md)の手順。"


def test_pages_that_are_much_alike_are_suggested_once(garden: Path, run: Run) -> None:
    text = "The compost turns leaves, peels and grass into soil within a year if turned often.\n"
    (garden / "docs" / "one.md").write_text(f"# Soil\n\n{text}", encoding="utf-8")
    (garden / "docs" / "two.md").write_text(f"# Earth\n\n{text}", encoding="utf-8")
    found = json.loads(run("suggest-links", "--json").out)["suggestions"]
    alike = [(each["document"], each["target"]) for each in found if each["kind"] == "similar"]
    assert alike == [("docs/one.md", "docs/two.md")]
    assert "similar" in run("suggest-links").out


def test_a_file_whose_name_holds_what_parts_a_place_is_named_whole(project: Path, run: Run) -> None:
    (project / "docs" / "c#.md").write_text("# C sharp\n\nSee [setup](setup.md).\n", encoding="utf-8")
    (project / "docs" / "c.md").write_text("# C\n\nAnother page.\n", encoding="utf-8")
    assert "docs/c#.md" in run("links", "docs/setup.md", "--format", "files").out.splitlines()
    assert "docs/c#.md" in run("graph", "docs/setup.md", "--format", "files").out.splitlines()
    assert "docs/setup.md" in run("links", "docs/c#.md", "--format", "files").out.splitlines()
    assert run("related", "docs/c#.md", "--json").code == 0
