"""The page over HTTP: headers, errors, static files, and the operations behind it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from support.server_process import Served, command, isolated_environment, make, served

from waymeet.errors import NotIndexedError
from waymeet.evaluate.metrics import MAIN_METRIC, MetricSummary
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.render.explanation import list_signals
from waymeet.interfaces.web.html import POLICY
from waymeet.project import Project

Ask = Callable[..., Any]
HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    environment = {**isolated_environment(folder), "WAYMEET_SERVE_EDITOR": "vscode"}
    with served(make(folder / "project"), environment) as running:
        yield running


@pytest.mark.parametrize(
    "path", ["/", "/?q=keys", "/results?q=keys", "/read/docs/setup.md", "/read/none.md", "/status"]
)
def test_every_page_forbids_foreign_code(server: Served, path: str) -> None:
    reply = server.ask("GET", path, headers=HTML)
    assert reply.headers["content-security-policy"] == POLICY
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["cache-control"] == "no-store"
    assert b"<script>" not in reply.body
    assert b" style=" not in reply.body
    assert b"http://" not in reply.body.replace(b"http://www.w3.org", b"")


def test_static_files_are_kept_by_the_browser(server: Served) -> None:
    first = server.ask("GET", "/static/page.css")
    assert (first.status, first.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert first.headers["cache-control"] == "no-cache"
    again = server.ask("GET", "/static/page.css", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert server.ask("GET", "/static/..%2fhtml.py").status == 404
    assert server.ask("GET", "/static/none.css").status == 404


def test_errors_are_pages_for_browsers_and_problems_for_programs(server: Served) -> None:
    missing = server.ask("GET", "/read/docs/none.md", headers=HTML)
    assert missing.status == 404
    assert b'role="alert"' in missing.body
    refused = server.ask("GET", "/status", headers={**HTML, "Host": "evil.example"})
    assert refused.status == 421
    assert refused.headers["content-type"].startswith("text/html")
    assert b"The Host header does not name this server." in refused.body
    program = server.ask("GET", "/status", headers={"Host": "evil.example"})
    assert program.headers["content-type"] == "application/problem+json"
    wrong = server.ask("POST", "/", headers=HTML)
    assert wrong.status == 405


def test_a_document_opens_in_the_editor_at_its_line(server: Served) -> None:
    page = server.ask("GET", "/read/docs/setup.md?lines=3-3").body.decode()
    assert f'href="vscode://file{server.root.as_posix()}/docs/setup.md:3"' in page


def test_a_note_lists_its_past_versions(server: Served) -> None:
    created = server.ask("POST", "/v1/notes", {"title": "Keys", "text": "One."}, token=True).json["item"]
    path = f"/v1/notes/{created['id']}"
    changed = server.ask("PATCH", path, {"version": created["version"], "text": "Two."}, token=True)
    assert changed.status == 200
    page = server.ask("GET", f"/read/{created['id']}").body.decode()
    found = re.search(r'2 past versions</summary>\s*<ul><li><a href="([^"]*)">\d{4}-\d\d-\d\d \d\d:\d\d UTC', page)
    assert found
    assert server.ask("GET", found[1]).status == 200
    assert "past version" not in server.ask("GET", "/read/docs/setup.md").body.decode()


def test_the_status_has_the_quality_report_of_the_project(server: Served) -> None:
    assert b"Quality" not in server.ask("GET", "/status").body
    summary = MetricSummary("manual", "auto", 12, {MAIN_METRIC: 0.71}, {MAIN_METRIC: (0.6, 0.8)}, p50_ms=9.0)
    file = server.root / "quality.json"
    try:
        file.write_bytes(msgspec.json.encode(Report((summary,), remarks=("<b>few</b> queries",))))
        page = server.ask("GET", "/status").body.decode()
        assert "0.710" in page
        assert "0.600 to 0.800" in page
        assert "&lt;b&gt;few&lt;/b&gt; queries" in page
        file.write_text('{"results": "of another program"}')
        assert b"Quality" not in server.ask("GET", "/status").body
    finally:
        file.unlink()


def test_the_status_lists_all_settings_on_request(server: Served) -> None:
    assert b"shape.snippet_chars" not in server.ask("GET", "/status").body
    assert b"shape.snippet_chars" in server.ask("GET", "/status?settings=all").body


@pytest.mark.slow
def test_open_starts_a_server_if_none_runs(tmp_path: Any) -> None:
    root, environment = make(tmp_path / "project"), isolated_environment(tmp_path)
    environment["WAYMEET_SERVE_PORT"] = "0"
    environment["BROWSER"] = "false %s"
    opened = command(environment, root, "open", "--json")
    try:
        assert opened.returncode == 0, opened.stderr
        assert '"started": true' in opened.stdout
        again = command(environment, root, "open", "--no-browser", "--json")
        assert '"started": false' in again.stdout
    finally:
        stopped = command(environment, root, "serve", "--stop")
    assert stopped.returncode == 0


def test_facets_count_all_results(ask: Ask) -> None:
    answer = ask("search", query="keys", limit=3, facets=True)
    facets = {facet.name: {value.value: value.count for value in facet.values} for facet in answer.facets}
    assert sum(facets["kind"].values()) == answer.total_found > 3
    assert facets["folder"]["docs/more/"] == 30
    assert ask("search", query="keys").facets == ()


@pytest.mark.parametrize("recipe", ["auto", "classic", "threeway", "memory", "neighbours", "files"])
def test_every_recipe_tells_what_its_scores_come_from(ask: Ask, recipe: str) -> None:
    hits = ask("search", query="rotate signing keys", recipe=recipe, explain=True).hits
    groups = {signal.group for hit in hits for signal in list_signals(hit.explanation) if signal.value > 0.0}
    assert "lexical" in groups
    assert groups <= {"lexical", "vector", "links", "bonuses"} | ({""} if recipe == "memory" else set())


def test_filters_count_documents_until_the_index_changes(opened: Project, ask: Ask) -> None:
    def values(**fields: str) -> dict[str, int]:
        return {value.value: value.count for value in ask("filters", **fields).filters[0].values}

    before, languages = values(name="folder", prefix="DO"), values(name="language")
    assert before["docs/"] > before["docs/more/"] == 30
    (opened.root / "docs" / "added.md").write_text("---\ntags: [two words]\nlang: ja\n---\n# Added\n")
    assert values(name="folder")["docs/"] == before["docs/"] + 1
    assert values(name="tag", prefix="word") == {"two words": 1}
    assert values(name="language", prefix="j")["ja"] == languages.get("ja", 0) + 1
    assert len(ask("filters").filters) == 5


def test_why_not(ask: Ask) -> None:
    report = ask("why_not", query="rotate keys kind:code", id="docs/setup.md")
    assert (report.verdict, report.changes) == ("filtered", ("drop kind:code from the query",))
    assert ask("why_not", query="rotate keys", id="docs/setpu.md").changes == ("did you mean docs/setup.md?",)
    for outside in ("/etc/passwd", "../../../etc/passwd"):
        assert ask("why_not", query="keys", id=outside).reason == "it is outside of the project"


def test_describe(opened: Project, ask: Ask) -> None:
    page = ask("describe", id="docs/fusion.md")
    assert (page.title, page.doc_type, page.tags, page.staleness) == (
        "Rank fusion",
        "spec",
        ("ranking", "core"),
        "unknown",
    )
    code = ask("describe", id="src/users.py")
    assert [(symbol.name, symbol.kind, symbol.line) for symbol in code.symbols] == [("get_user_by_id", "function", 1)]
    with pytest.raises(NotIndexedError):
        ask("describe", id="docs/none.md")


def test_problems_and_settings(opened: Project, ask: Ask) -> None:
    (opened.root / "docs" / "old.md").write_text("---\nsource_refs: [src/gone.py]\n---\n# Old\n\nSee [x](none.md).\n")
    problems = ask("problems")
    assert [document.document for document in problems.stale] == ["docs/old.md"]
    assert {link.target for link in problems.broken_links} >= {"src/gone.py"}
    assert "docs/old.md" in {orphan.document for orphan in problems.orphans}
    assert problems.total_orphans == len(problems.orphans)
    assert [orphan.document for orphan in ask("problems", paths=["docs/old.md"]).orphans] == ["docs/old.md"]
    chosen = {setting.key: setting for setting in ask("settings").settings}
    assert chosen["embedding.provider"].value == "none"
    assert len(ask("settings", everything=True).settings) > len(chosen)
