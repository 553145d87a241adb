"""The user's other projects on the page of a server of one project."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from support.page_writer import Writer, sign_in
from support.server_process import Served, command, isolated_environment, make, open_stream, served

PAGES = {
    "tea": "# Water\n\nSoft water from the filter. See [green](green.md) and [[green]].\n",
    "お茶の会": "# お湯の温度\n\n緑茶の水は八十度のお湯で淹れます。filter\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("projects")
    environment = isolated_environment(folder)
    for name, text in {**PAGES, "broken": "# Broken\n\nfilter\n"}.items():
        (folder / name).mkdir()
        (folder / name / "water.md").write_text(text, encoding="utf-8")
        (folder / name / "green.md").write_text("# Green\n\nGreen tea.\n", encoding="utf-8")
        assert command(environment, folder / name, "index", "--no-embed").returncode == 0
    (index,) = Path(environment["XDG_DATA_HOME"]).rglob("broken-*.sqlite")
    index.write_bytes(b"no database")
    own = make(folder / "own")
    assert command(environment, own, "index", "--no-embed").returncode == 0
    with served(own, environment) as running:
        yield running


@pytest.fixture(scope="module")
def writer(server: Served) -> Writer:
    return sign_in(server)


def text_of(writer: Writer, path: str) -> str:
    reply = writer.get(path)
    assert reply.status == 200, (path, reply.body)
    return unescape(reply.body.decode())


def test_other_projects_are_for_browsers_that_are_signed_in(server: Served) -> None:
    html = {"Accept": "text/html"}
    for path in (
        "/all",
        "/all?q=filter",
        "/all/results?q=filter",
        "/all/compare?q=filter",
        "/p/tea/",
        "/p/absent/",
        "/p/tea/read/water.md",
    ):
        reply = server.ask("GET", path, headers=html)
        assert reply.status == 403, path
        assert b"waymeet open" in reply.body
    assert server.ask("GET", "/p/tea/read/water.md", token=True).status == 403, "the page needs its session"
    page = server.ask("GET", "/", headers=html).body.decode()
    assert "tea" not in page.replace("steady", "")
    assert 'id="switch"' not in page


def test_the_switcher_lists_all_projects(writer: Writer) -> None:
    page = text_of(writer, "/?q=keys")
    for name in ("tea", "お茶の会"):
        assert f'href="/p/{quote(name)}/?q=keys"' in page
    assert 'href="/all?q=keys"' in page
    assert 'href="/?q=keys" translate="no" aria-current="true"' in page


def test_a_search_over_all_projects_names_those_that_cannot_be_read(writer: Writer) -> None:
    page = text_of(writer, "/all?q=filter")
    assert 'href="/p/tea/read/water.md?lines=1-3#L1"' in page
    assert f'href="/p/{quote("お茶の会")}/read/water.md?lines=1-3#L1"' in page
    notice = page.partition('<details class="notice">')[2].partition("</details>")[0]
    assert "broken:" in notice
    assert "project_unavailable" in notice
    own = text_of(writer, "/all?q=signing+keys")
    assert 'href="/read/docs/setup.md?lines=' in own
    chosen = text_of(writer, f"/all?q=filter&project={quote('お茶の会')}")
    assert "/p/tea/read/" not in chosen
    assert writer.get("/all?q=filter&project=absent").status == 404


def test_filters_are_suggested_from_all_projects(server: Served, writer: Writer) -> None:
    values = dict(re.findall(r"<code>(kind:\w+)</code> <span class=\"count\">(\d+)", text_of(writer, "/all?q=kind:")))
    chosen = dict(
        re.findall(r"<code>(kind:\w+)</code> <span class=\"count\">(\d+)", text_of(writer, "/all?q=kind:&project=tea"))
    )
    assert int(values["kind:docs"]) > int(chosen["kind:docs"]) > 0
    assert "kind:code" in values
    assert "kind:code" not in chosen
    assert 'href="/all?q=filter+kind%3Adocs+"' in text_of(writer, "/all/results?q=filter+kind:d")
    assert server.ask("GET", "/v1/filters?projects=*").status == 401
    listed = server.ask("GET", "/v1/filters?projects=*&name=kind", token=True).json
    assert {each["value"]: str(each["count"]) for each in listed["filters"][0]["values"]} == {
        key.removeprefix("kind:"): count for key, count in values.items()
    }
    assert [each["code"] for each in listed["degraded"]] == ["project_unavailable"]


def test_rankings_of_all_projects_are_compared(writer: Writer) -> None:
    results = text_of(writer, "/all?q=filter")
    assert 'href="/all/compare?q=filter&with=classic"' in results
    assert 'href="/p/tea/why-not?q=filter"' in results
    page = text_of(writer, "/all/compare?q=filter&with=classic")
    assert page.count('href="/p/tea/read/water.md?lines=1-3#L1"') == 2
    assert "<line " in page
    chosen = text_of(writer, "/all/compare?q=filter&project=tea")
    assert quote("お茶の会") + "/read/" not in chosen
    assert '<input type="hidden" name="project" value="tea">' in chosen
    assert writer.get("/all/compare?q=filter&recipe=unknown").status == 400


def test_a_stream_of_another_project_ends_with_the_session(server: Served) -> None:
    leaving = sign_in(server)
    with open_stream(server.port, "/p/tea/status/events", {"Cookie": leaving.cookie}) as stream:
        assert stream.readline() == b"event: progress\n"
        assert leaving.send("/sign-out").status == 303
        assert stream.read().endswith(b"\n\n"), "it ends"


def test_the_pages_of_another_project_stay_in_it(writer: Writer) -> None:
    page = text_of(writer, "/p/tea/read/water.md")
    assert 'href="/p/tea/read/green.md' in page
    assert 'action="/p/tea/"' in page
    for path in (
        "/",
        "/?q=water",
        "/compare?q=water",
        "/why-not?q=water&id=green.md",
        "/graph",
        "/status",
        "/notes",
        "/tasks",
    ):
        shown = text_of(writer, f"/p/tea{path}")
        links = [part.partition('"')[0] for name in ("href", "action") for part in shown.split(f'{name}="')[1:]]
        inside = [link for link in links if link.startswith("/") and not link.startswith(("/static/", "/p/", "/all"))]
        assert set(inside) <= {"/", "/?q=water", "/sign-out"}, path
    assert writer.get("/p/tea/read/absent.md").status == 404
    assert writer.get("/p/absent/").status == 404


def test_a_project_that_cannot_be_opened_says_why(writer: Writer) -> None:
    reply = writer.get("/p/broken/?q=filter")
    assert reply.status >= 400
    assert b"waymeet" in reply.body


def test_the_servers_own_project_has_its_own_addresses(writer: Writer) -> None:
    assert writer.get("/p/own/read/docs/setup.md?lines=1").headers["location"] == "/read/docs/setup.md?lines=1"
    assert writer.get("/p/tea").headers["location"] == "/p/tea/"


def test_notes_of_another_project_can_be_written(server: Served, writer: Writer) -> None:
    saved = writer.send("/p/tea/new/notes", title="Kettle", text="Descale it.")
    assert saved.headers["location"] == "/p/tea/item/.waymeet/notes/kettle.md"
    assert (server.root.parent / "tea" / ".waymeet" / "notes" / "kettle.md").exists()
    assert "The note was created." in text_of(writer, saved.headers["location"])
    refused = server.ask("POST", "/p/tea/new/notes", b"title=x", headers={**writer.headers, "Cookie": ""})
    assert refused.status == 403
