"""A vault in English and Japanese with the code it describes: its pages in the graph and in results."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from interfaces.conftest import Run

from waymeet.project import Project
from waymeet.types import Edge, Filters, Query

VAULT = Path(__file__).parents[1] / "fixtures" / "vault"
DESIGN = "docs/stock-design.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(shutil.copytree(VAULT, tmp_path / "vault"))


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Iterator[Project]:
    with Project.open(root, index=tmp_path / "index.db") as opened:
        opened.index()
        yield opened


def edges(project: Project, document: str, *kinds: str) -> list[Edge]:
    return [edge for edge in project._open_store().edges([document], kinds) if edge.source.document == document]


def ends(project: Project, document: str, *kinds: str) -> list[str]:
    """List where the edges of a document lead, dangling ones as what they look for."""
    return [
        "#".join(filter(None, edge.target)) if edge.target else f"? {edge.text}"
        for edge in edges(project, document, *kinds)
    ]


def search(project: Project, text: str, **filters: object) -> list[str]:
    return [hit.document for hit in project.search(Query(text, filters=Filters(**filters))).hits]  # type: ignore[arg-type]


# --- the graph -----------------------------------------------------------------------------------------------------


def test_a_document_knows_its_sources(project: Project) -> None:
    assert ends(project, DESIGN, "source") == ["src/teashop/stock.py", "src/teashop/orders.py#reorder_leaves"]


def test_mentions_lead_to_symbols_and_files(project: Project) -> None:
    assert ends(project, DESIGN, "mentions") == [
        "src/teashop/stock.py#Pantry.count_leaves",
        "src/teashop/orders.py#reorder_leaves",
        "src/teashop/orders.py",
        "src/teashop/stock.py#Pantry",
        "src/teashop/orders.py",
    ]


def test_a_symbol_knows_the_documents_that_mention_it(project: Project) -> None:
    inward = {
        edge.source
        for edge in project._open_store().edges(["src/teashop/orders.py"], ("mentions",))
        if edge.target == ("src/teashop/orders.py", "reorder_leaves")
    }
    assert inward == {
        (DESIGN, "counting"),
        ("docs/stock-design.ja.md", "数え方"),
        ("docs/handbook.rst", "handbook"),
    }


def test_what_documents_say_of_code_finds_it(project: Project) -> None:
    assert "src/teashop/stock.py" in search(project, "weighs every tin", kinds=("code",))


def test_typed_links_of_text_and_front_matter(project: Project) -> None:
    assert ends(project, DESIGN, "depends_on") == ["docs/brewing-rules.md"]
    assert ends(project, DESIGN, "conflicts_with") == ["docs/handbook.rst#opening-hours"]
    assert ends(project, DESIGN, "implements") == ["docs/adr/0001-weigh-leaves.md"]
    assert ends(project, DESIGN, "inspires") == ["guides/en/setup.md"]
    assert ends(project, "docs/adr/0001-weigh-leaves.md", "supersedes", "related_to") == ["docs/handbook.rst", DESIGN]


def test_anchors_lead_to_sections(project: Project) -> None:
    (edge,) = edges(project, "docs/brewing-rules.md", "references")
    assert edge.target == (DESIGN, "counting")
    assert "weighs every tin" in project.read(f"{DESIGN}#counting").text


def test_blocks_of_code_are_children(project: Project) -> None:
    assert ends(project, DESIGN, "contains") == [f"{DESIGN}#counting/python-1", f"{DESIGN}#reordering/sh-1"]
    assert "from teashop.stock import Pantry" in project.read(f"{DESIGN}#counting/python-1").text


def test_a_dangling_link_resolves_when_its_page_appears(project: Project, root: Path) -> None:
    page = '---\nsupersedes: Count spoons\n---\n\nFollows [the plan](delivery.md "depends_on") and [[配達の計画]].\n'
    (root / "docs" / "shopping.md").write_text(page, encoding="utf-8")
    project.index()
    dangling = ["? Count spoons", "? the plan", "? 配達の計画"]
    assert ends(project, "docs/shopping.md") == dangling
    (root / "docs" / "delivery.md").write_text("# Delivery\n\nBy bicycle.\n", encoding="utf-8")
    (root / "docs" / "spoons.md").write_text("---\naliases: [Count spoons]\n---\n", encoding="utf-8")
    (root / "docs" / "delivery.ja.md").write_text("# 配達の計画\n\n自転車で。\n", encoding="utf-8")
    project.index()
    assert ends(project, "docs/shopping.md") == ["docs/spoons.md", "docs/delivery.md", "docs/delivery.ja.md"]
    for name in ("delivery.md", "spoons.md", "delivery.ja.md"):
        (root / "docs" / name).unlink()
    project.index()
    assert ends(project, "docs/shopping.md") == dangling


def test_the_end_of_a_path_is_enough(project: Project, root: Path) -> None:
    (root / "lib" / "house" / "tea").mkdir(parents=True)
    (root / "lib" / "house" / "tea" / "tins.py").write_text("TINS = 3\n", encoding="utf-8")
    (root / "hint.md").write_text("Look at `tea/tins.py` and ask nobody.\n", encoding="utf-8")
    project.index()
    assert ends(project, "hint.md", "mentions") == ["lib/house/tea/tins.py"]


def test_a_mention_resolves_only_while_it_is_unambiguous(project: Project, root: Path) -> None:
    other = root / "src" / "teashop" / "other.py"
    other.write_text("def reorder_leaves() -> None: ...\n", encoding="utf-8")
    project.index()
    assert "? reorder_leaves()" in ends(project, DESIGN, "mentions")
    other.unlink()
    project.index()
    assert "? reorder_leaves()" not in ends(project, DESIGN, "mentions")


# --- answers -------------------------------------------------------------------------------------------------------


def test_properties_tiers_and_languages_filter(project: Project) -> None:
    assert set(search(project, "leaves tea", properties=(("tier", "critical"),))) == {DESIGN}
    assert set(search(project, "tea water", properties=(("tier", "constitutional"),))) == {"docs/brewing-rules.md"}
    assert set(search(project, "leaves", properties=(("owner", "hana"),))) == {DESIGN}
    assert set(search(project, "Pantry", languages=("rst",))) == {"docs/handbook.rst"}


def test_an_answer_shows_one_twin_and_names_the_other(project: Project) -> None:
    english = project.search("leaves counted last evening of the month").hits[0]
    assert english.document == "README.md"
    assert [(twin.document, twin.lang) for twin in english.translations] == [("README.ja.md", "ja")]
    answer = project.search("茶葉は月末の夜に数えます")
    assert answer.hits[0].document == "README.ja.md"
    assert [(twin.document, twin.lang) for twin in answer.hits[0].translations] == [("README.md", "en")]
    assert not {"README.md", DESIGN} & {hit.document for hit in answer.hits}


def test_twins_are_aligned_by_headings(project: Project) -> None:
    hits = project.search("suppliers distance").hits
    (hit,) = (hit for hit in hits if hit.sections[0].headings[-1:] == ("Suppliers",))
    (twin,) = hit.translations
    assert project.read(twin.id).text.startswith("### 仕入れ先")


def test_languages_in_folders_are_twins(project: Project) -> None:
    assert search(project, "kettle valve sunrise")[0] == "guides/en/setup.md"
    assert search(project, "やかん 弁")[0] == "guides/ja/setup.md"


def test_other_formats_are_found_and_read(project: Project) -> None:
    notebook = project.search("astringency steeping").hits[0]
    assert notebook.document == "docs/tasting.ipynb"
    assert project.read(notebook.id).text.startswith("# Tasting notes")
    assert project.search("unwanted output").hits == ()
    page = project.search("yokan wire").hits[0]
    assert (page.document, page.kind, page.title) == ("docs/menu.html", "docs", "Menu")
    assert "<p>Yokan, cut with a wire.</p>" in project.read(page.id).text
    assert search(project, "opening hours seven")[0] == "docs/handbook.rst"


@pytest.fixture
def at(root: Path, tmp_path: Path) -> list[str]:
    return ["-C", str(root), "--index", str(tmp_path / "cli.db")]


# --- the command line ----------------------------------------------------------------------------------------------


def test_the_other_twin_stands_in_one_line(at: list[str], run: Run) -> None:
    done = run("search", "suppliers distance", *at)
    assert done.code == 0
    assert "   also in Japanese: docs/stock-design.ja.md#L18-L20" in done.out.splitlines()
    found = json.loads(run("search", "suppliers distance", "--json", *at).out)
    assert found["hits"][0]["translations"][0] == {
        "id": "docs/stock-design.ja.md#L18-L20",
        "document": "docs/stock-design.ja.md",
        "title": "在庫の設計",
        "lang": "ja",
    }


def test_filters_by_property_language_and_namespace(at: list[str], run: Run) -> None:
    found = json.loads(run("search", "leaves", "--property", "tier=critical", "--json", *at).out)
    assert {hit["document"] for hit in found["hits"]} == {DESIGN}
    found = json.loads(run("search", "leaves", "--lang", "Python", "--json", *at).out)
    assert {hit["document"].rpartition(".")[2] for hit in found["hits"]} == {"py"}
    assert run("search", "leaves", "--namespace", "no-such", *at).code == 1
    wrong = run("search", "leaves", "--property", "tier", *at)
    assert (wrong.code, "KEY=VALUE" in wrong.err) == (2, True)
