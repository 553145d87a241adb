"""The pages of a team's server: no cookie reaches a project that its token has no right to."""

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from support.server_process import open_stream
from support.team_server import Team, serve_team
from support.team_visitor import TeamVisitor, send, send_token, sign_in

from waymeet.interfaces.web.items.routes import ITEM_PAGES
from waymeet.interfaces.web.pages.graph import DATA
from waymeet.interfaces.web.routes import PAGES, Web

SECRET = b"opens the vault"
"""A sentence of the project that the visitors may not read."""
NAMES = ("closed", "CLOSED", "%63losed", "closed%2F", "open%2F..%2Fclosed", "..%2Fclosed", "closed;x", "nowhere")
"""Names in place of a project: those that lead to the closed one, and one that does not exist."""
IDS = ("docs/page.md", "closed::docs/page.md", "../closed/docs/page.md", "%2E%2E/closed/docs/page.md")
ROUTES: dict[str, tuple[str, ...]] = {**dict.fromkeys(PAGES, ("GET",)), DATA: ("GET",), "/status/events": ("GET",)}
ROUTES |= {path: tuple(methods) for path, methods in ITEM_PAGES.items()}


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    limits = ("--set", "serve.token_requests=1000000", "--set", "serve.sign_in_attempts=40")
    with serve_team(tmp_path_factory.mktemp("pages"), *limits) as running:
        yield running


@pytest.fixture(scope="module")
def reader(team: Team) -> TeamVisitor:
    return sign_in(team, "reader")


@pytest.fixture(scope="module")
def writer(team: Team) -> TeamVisitor:
    return sign_in(team, "writer")


def fill(path: str, id_: str) -> str:
    return re.sub(r"\{kind\}", "notes", path).replace("{path:path}", id_)


def read_closed(folder: Path) -> dict[str, bytes]:
    files = [*(folder / "closed").rglob("*"), *(folder / "data").rglob("closed-*.json")]
    return {str(path): path.read_bytes() for path in files if path.is_file()}


def test_every_page_is_attempted() -> None:
    """A path that is not in the table would not be attempted below."""
    web = object.__new__(Web)
    web._events, web._graphs = _Nothing(), _Nothing()  # type: ignore[assignment]
    assert set(web.endpoints()) == set(ROUTES)


class _Nothing:
    """Stands for what the pages need to answer."""

    follow = send = None


def test_hundreds_of_attempts_over_every_page_reach_nothing(
    team: Team, reader: TeamVisitor, writer: TeamVisitor
) -> None:
    before, made = read_closed(team.folder), 0
    for visitor, (path, methods) in product((reader, writer), ROUTES.items()):
        query = "?q=zebrafinch&id=docs/page.md&with=classic"
        for name, method in product(NAMES if path in {"/", "/results"} else NAMES[:2], methods):
            address = f"/p/{name}{fill(path, IDS[0])}{query}"
            reply = visitor.get(address) if method == "GET" else visitor.send(address, title="x", text="x", version="x")
            made += 1
            assert reply.status == 404, (method, address, reply.status)
            assert SECRET not in reply.body, (method, address)
        for id_, method in product(IDS[1:] if "{path" in path else IDS[1:2], methods):
            if path == "/status/events":
                continue  # a stream that is open for as long as the client likes
            address = f"/p/open{fill(path, id_)}?q=zebrafinch&id={id_}&with=classic&project=closed&in=../closed/"
            fields = {"title": "zebrafinch", "text": "x", "version": "x", "target": id_, "to": f"/p/{id_}"}
            reply = (
                visitor.get(address)
                if method == "GET"
                else visitor.send(address, None, relation="references", **fields)
            )
            made += 1
            assert SECRET not in reply.body, (method, address)
    for visitor, path in product((reader, writer), ("/all", "/all/results", "/all/compare")):
        for query in (
            *("q=zebrafinch", "q=zebrafinch&project=closed", "q=zebrafinch&project=*", "q=x&in=../closed/"),
            *("q=path:", "q=kind:&project=closed"),
        ):
            reply = visitor.get(f"{path}?{query}")
            made += 1
            assert SECRET not in reply.body, query
            assert b'href="/p/closed' not in reply.body
    assert made >= 200
    assert read_closed(team.folder) == before, "nothing was written"
    assert SECRET in sign_in(team, "other").get("/p/closed/?q=zebrafinch").body, "its own token finds it"


def test_a_project_that_may_not_be_read_is_answered_like_one_that_does_not_exist(reader: TeamVisitor) -> None:
    pages = [reader.get(f"/p/{name}/").body.decode() for name in ("closed", "absent")]
    plain = [re.sub(r"closed|absent|request [0-9a-f]+", "", page) for page in pages]
    assert plain[0] == plain[1]


def test_the_cookie_counts_for_pages_alone(team: Team, writer: TeamVisitor) -> None:
    cookie = {"Cookie": writer.cookie}
    for path in (
        "/v1/projects",
        "/projects/open/v1/search?query=dawn",
        "/metrics",
        "/openapi.json",
        "/projects/open/mcp",
    ):
        assert send(team, "GET", path, cookie).status == 401, path
    assert send(team, "POST", "/projects/open/v1/notes", {**writer.headers}, b"title=x").status == 401


def test_nobody_sees_a_page_without_signing_in(team: Team) -> None:
    nobody = TeamVisitor(team, "")
    for path in ("/", "/all", "/p/open/", "/p/absent/", "/p/open/notes", "/p/open/status"):
        reply = nobody.get(path)
        assert (reply.status, reply.headers["location"].partition("?")[0]) == (303, "/sign-in"), path
    assert nobody.get("/p/open/read/docs/a%20b.md?lines=2").headers["location"] == (
        "/sign-in?to=%2Fp%2Fopen%2Fread%2Fdocs%2Fa%2520b.md%3Flines%3D2"
    )
    for path in ("/p/open/results?q=dawn", "/p/open/status/events", "/all/results?q=dawn", "/p/open/graph.json"):
        assert nobody.get(path, Accept="*/*").status == 401, path
    assert nobody.send("/p/open/new/notes", title="x").status == 401
    assert nobody.get("/static/page.css").status == 200
    assert nobody.get("/p/open/", Cookie="waymeet-session-1=x").status == 303


def test_a_link_of_another_site_shows_a_page_that_leads_on(team: Team, reader: TeamVisitor) -> None:
    reply = reader.get("/p/open/?q=dawn&kind=docs", **{"Sec-Fetch-Site": "cross-site"})
    assert reply.status == 403
    page = reply.body.decode()
    assert '<a href="/p/open/?q=dawn&amp;kind=docs">Open this page</a>' in page
    assert "gardener" not in page
    assert 'href="/notes"' not in page


def test_a_token_starts_a_session(team: Team) -> None:
    page = TeamVisitor(team, "").get("/sign-in?to=/p/open/%3Fq%3Ddawn")
    assert (page.status, page.headers["referrer-policy"]) == (200, "same-origin")
    assert 'value="/p/open/?q=dawn"' in page.body.decode()
    reply = send_token(team, team.tokens["reader"], "/p/open/?q=dawn")
    assert (reply.status, reply.headers["location"]) == (303, "/p/open/?q=dawn")
    attributes = {part.strip().lower() for part in reply.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= attributes
    assert "secure" not in attributes, "this server has no TLS, and only this machine reaches it"
    assert team.tokens["reader"] not in reply.headers["set-cookie"]
    assert send_token(team, team.tokens["reader"], "https://evil.example/").headers["location"] == "/"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
    ],
)
def test_forms_of_other_sites_are_refused(team: Team, writer: TeamVisitor, headers: dict[str, str]) -> None:
    expected = 421 if "Host" in headers else 403
    assert send_token(team, team.tokens["writer"], **headers).status == expected
    assert writer.send("/p/open/new/notes", {**writer.headers, **headers}, title="Planted").status == expected
    assert writer.send("/sign-out", {**writer.headers, **headers}).status == expected
    assert not list((team.folder / "open").rglob("planted*"))


def test_forms_need_the_token_of_their_session(team: Team, writer: TeamVisitor, reader: TeamVisitor) -> None:
    for token in ("", "wrong", reader.form_token):
        assert writer.send("/p/open/new/notes", title="Planted", form_token=token).status == 403
        assert writer.send("/sign-out", form_token=token).status == 403
    without = {name: value for name, value in writer.headers.items() if name not in {"Origin", "Sec-Fetch-Site"}}
    assert writer.send("/p/open/new/notes", without, title="Planted").status == 403
    assert not list((team.folder / "open").rglob("planted*"))


def test_a_token_that_may_read_cannot_write_and_each_attempt_is_logged(team: Team, reader: TeamVisitor) -> None:
    for path in (path for path, methods in ITEM_PAGES.items() if "POST" in methods):
        reply = reader.send(
            f"/p/open{fill(path, 'docs/page.md')}", title="Planted", text="x", version="x", status="done"
        )
        assert reply.status == 403, path
        assert b"not change it" in reply.body, path
    assert not list((team.folder / "open").rglob("planted*"))
    page = reader.get("/p/open/notes").body
    assert b"Your token may read this project, and not change it." in page
    assert b"/new/notes" not in page
    log = (team.folder / "state" / "waymeet" / "audit.log").read_text(encoding="utf-8")
    entries = [json.loads(line) for line in log.splitlines()]
    logged = {each["operation"] for each in entries if (each["token"], each["result"]) == ("reader", "read_only")}
    assert logged == {f"page {name}" for name in ("remember", "update", "link", "forget", "restore_version")}


def test_a_token_that_may_write_writes_and_is_logged_without_contents(team: Team, writer: TeamVisitor) -> None:
    saved = writer.send("/p/open/new/notes", title="Harvest marker", text="Tomatoes in August.")
    assert saved.status == 303
    assert saved.headers["location"].startswith("/p/open/item/.waymeet/notes/harvest-marker")
    assert b"Tomatoes in August" in writer.get(saved.headers["location"]).body
    log = (team.folder / "state" / "waymeet" / "audit.log").read_text(encoding="utf-8")
    last = json.loads(log.splitlines()[-1])
    assert [last[name] for name in ("token", "project", "operation", "result")] == [
        "writer",
        "open",
        "page remember",
        "done",
    ]
    assert "Harvest" not in log


def test_a_session_ends_with_its_token_or_by_signing_out(team: Team) -> None:
    token = team.run("token", "add", "guest", "--read", "open").stdout.strip()
    guest = sign_in(team, token)
    assert guest.get("/p/open/").status == 200
    assert team.run("token", "revoke", "guest").returncode == 0
    assert guest.get("/p/open/").status == 303
    assert guest.get("/p/open/results?q=dawn", Accept="*/*").status == 401
    assert send_token(team, token).status == 403
    other = sign_in(team, "reader")
    left = other.send("/sign-out")
    assert (left.status, left.headers["location"]) == (303, "/sign-in")
    assert "max-age=0" in left.headers["set-cookie"].lower()
    assert other.get("/p/open/").status == 303


def test_a_stream_ends_when_its_token_is_revoked(team: Team) -> None:
    token = team.run("token", "add", "follower", "--read", "open").stdout.strip()
    cookie, bearer = {"Cookie": sign_in(team, token).cookie}, {"Authorization": f"Bearer {token}"}
    path = "/p/open/status/events"
    with open_stream(team.port, path, cookie) as first, open_stream(team.port, path, bearer) as second:
        assert first.readline() == second.readline() == b"event: progress\n"
        assert team.run("token", "revoke", "follower").returncode == 0
        assert first.read().endswith(b"\n\n"), "it ends"
        assert second.read().endswith(b"\n\n"), "it ends"


def test_filters_are_suggested_from_readable_projects(team: Team, reader: TeamVisitor) -> None:
    own, all_ = (visitor.get("/all?q=path:").body.decode() for visitor in (reader, sign_in(team, "owner")))
    assert '<code>path:docs/</code> <span class="count">1<' in own
    assert '<code>path:docs/</code> <span class="count">2<' in all_


def test_the_owner_signs_in_too_and_sees_all_projects(team: Team) -> None:
    owner = sign_in(team, "owner")
    page = owner.get("/all?q=the").body
    assert b'href="/p/closed/' in page
    assert b'href="/p/open/' in page
    assert owner.get("/p/open").headers["location"] == "/p/open/"


def test_wrong_tokens_are_refused_and_attempts_are_limited(team: Team) -> None:
    """The last test: it uses up the attempts."""
    wrong = f"{team.tokens['reader'][:-1]}_"
    refused = send_token(team, wrong, "/p/open/")
    assert refused.status == 403
    assert b"wrong, revoked or expired" in refused.body
    assert wrong.encode() not in refused.body
    assert "set-cookie" not in refused.headers
    replies = [send_token(team, "") for _ in range(41)]
    assert {403, 429} >= {reply.status for reply in replies} >= {429}
    assert int(replies[-1].headers["retry-after"]) >= 1
