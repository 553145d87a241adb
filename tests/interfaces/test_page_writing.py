"""Writing on the page over HTTP: signing in, the checks of every form, and what a form does."""

import os
import sys
from collections.abc import Callable, Iterator
from html import unescape
from urllib.parse import quote

import pytest
from support.page_writer import FORM, Writer, make_link, sign_in
from support.server_process import Reply, Served, command, isolated_environment, make, served

from waymeet.interfaces.web.items.routes import ITEM_PAGES
from waymeet.interfaces.web.pages.sign_in import SIGN_OUT

NOTE = ".waymeet/notes/{}.md"
WRITING = [path for path, methods in ITEM_PAGES.items() if "POST" in methods] + [SIGN_OUT]
HTML = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("writing")
    with served(make(folder / "project"), isolated_environment(folder)) as running:
        yield running


@pytest.fixture(scope="module")
def writer(server: Served) -> Writer:
    return sign_in(server)


def text_of(reply: Reply) -> str:
    return unescape(reply.body.decode())


def version_of(writer: Writer, id_: str) -> str:
    kind = "tasks" if "/tasks/" in id_ else "notes"
    version: str = writer.server.ask("GET", f"/v1/{kind}/{quote(id_)}").json["version"]
    return version


def create(writer: Writer, kind: str, title: str, **fields: str) -> str:
    reply = writer.send(f"/new/{kind}", title=title, **fields)
    assert reply.status == 303, text_of(reply)
    return reply.headers["location"].removeprefix("/item/")


def read(server: Served, id_: str) -> str:
    return (server.root / id_).read_text(encoding="utf-8")


def test_a_link_signs_in_once_and_leaves_no_code(server: Served) -> None:
    link = make_link(server)
    assert link.startswith("/sign-in?code=")
    assert server.ask("HEAD", link).status == 405, "only a browser that shows the page uses the code"
    assert server.ask("GET", link, headers={"Sec-Purpose": "prefetch;prerender"}).status == 405
    first = server.ask("GET", link)
    assert (first.status, first.headers["location"]) == (303, "/")
    assert first.headers["referrer-policy"] == "no-referrer"
    name, *attributes = first.headers["set-cookie"].split("; ")
    assert name.startswith(f"waymeet-session-{server.port}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/", "Max-Age=604800"} == set(attributes)
    again = server.ask("GET", link)
    assert (again.status, again.headers["location"]) == (303, "/sign-in?failed=1")
    assert "set-cookie" not in again.headers
    page = server.ask("GET", "/sign-in?failed=1", headers=HTML)
    assert page.status == 403
    assert "was used before" in text_of(page)


def test_open_prints_a_link_for_one_browser(server: Served) -> None:
    opened = command(server.environment, server.root, "open", "--no-browser", "rotate keys")
    link = opened.stdout.strip().removeprefix(server.address)
    assert (opened.returncode, link.startswith("/sign-in?code=")) == (0, True)
    assert server.ask("GET", link).headers["location"] == "/?q=rotate+keys"


def test_a_link_leads_only_to_pages_of_the_server(server: Served) -> None:
    for target in ("//evil.example", "https://evil.example", "/\\evil.example"):
        assert server.ask("GET", f"{make_link(server)}&to={quote(target, safe='')}").headers["location"] == "/"


def test_pages_of_other_origins_cannot_sign_in(server: Served) -> None:
    link = make_link(server)
    assert server.ask("GET", link, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert server.ask("GET", link, headers={"Sec-Fetch-Site": "same-site"}).status == 403
    assert server.ask("GET", link, headers={"Host": "evil.example"}).status == 421
    assert server.ask("GET", link).headers["location"] == "/", "the code was not used"


def test_only_the_owner_of_the_index_gets_a_code(server: Served) -> None:
    assert server.ask("POST", "/daemon/sign-in", {}).status == 403
    assert server.ask("POST", "/daemon/sign-in", {}, token=True).status == 403
    assert server.ask("POST", "/daemon/sign-in", {}, {"Authorization": "Waymeet 00:00"}).status == 401
    assert server.ask("POST", "/daemon/sign-out", {}, token=True).status == 403


@pytest.mark.parametrize("path", WRITING)
def test_every_form_is_checked(writer: Writer, path: str) -> None:
    id_ = create(writer, "tasks", f"Checked {path}")
    before, files = read(writer.server, id_), sorted((writer.server.root / ".waymeet").rglob("*.md"))
    address = path.replace("{kind}", "notes").replace("{path:path}", id_)
    fields = {
        "title": "Changed",
        "version": version_of(writer, id_),
        "status": "done",
        "kind": "tasks",
        "relation": "references",
        "target": "docs/setup.md",
        "past_version": version_of(writer, id_),
    }
    own = writer.headers
    refused = {
        "no cookie": {**own, "Cookie": ""},
        "unknown cookie": {**own, "Cookie": f"waymeet-session-{writer.server.port}=x"},
        "cookie of another port": {**own, "Cookie": writer.cookie.replace("-session-", "-session-1")},
        "another port of this machine": {**own, "Origin": "http://127.0.0.1:9999", "Sec-Fetch-Site": "same-site"},
        "another page": {**own, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
        "another page, old browser": {**FORM, "Cookie": writer.cookie, "Origin": "https://evil.example"},
        "a frame without an origin": {**own, "Origin": "null"},
        "same site": {**own, "Sec-Fetch-Site": "same-site"},
        "an address that was typed": {**own, "Sec-Fetch-Site": "none"},
        "no browser": {**FORM, "Cookie": writer.cookie},
        "rebound name": {**own, "Host": "evil.example"},
    }
    for name, headers in refused.items():
        reply = writer.send_with(headers, address, fields)
        assert reply.status in {403, 421}, (name, reply)
    assert writer.send(address, form_token="", **fields).status == 403
    assert writer.send(address, form_token="x" * 43, **fields).status == 403
    assert writer.server.ask("POST", address, b"{}", headers={**own, "Content-Type": "application/json"}).status == 415
    assert read(writer.server, id_) == before
    assert sorted((writer.server.root / ".waymeet").rglob("*.md")) == files
    assert writer.get("/sign-in").status == 200


def test_the_token_and_the_cookie_are_for_different_paths(writer: Writer) -> None:
    by_cookie = writer.server.ask("POST", "/v1/notes", {"title": "x"}, {"Cookie": writer.cookie})
    assert by_cookie.status == 401
    by_token = writer.server.ask(
        "POST", "/new/notes", b"title=x", {**FORM, "Authorization": f"Bearer {writer.server.token}"}
    )
    assert by_token.status == 403


def test_sessions_are_revoked(server: Served) -> None:
    left, other = sign_in(server), sign_in(server)
    assert left.send(SIGN_OUT).headers["location"] == "/sign-in?ended=1"
    assert left.send("/new/notes", title="x").status == 403
    assert other.send("/new/notes", title="Still signed in").status == 303
    ended = command(server.environment, server.root, "open", "--sign-out")
    assert (ended.returncode, ended.stdout.startswith("Signed out ")) == (0, True)
    again = command(server.environment, server.root, "open", "--sign-out")
    assert (again.returncode, again.stdout) == (0, "No browser was signed in.\n")
    refused = other.send("/new/notes", title="Refused", text="Keep this text.")
    assert refused.status == 403
    assert "Keep this text." in text_of(refused), "the text is not lost"
    assert not (server.root / NOTE.format("refused")).exists()


def test_a_form_of_an_earlier_session_is_sent_once_more(server: Served) -> None:
    first = sign_in(server)
    second = sign_in(server)
    mixed = Writer(server, second.cookie, first.form_token)
    reply = mixed.send("/new/notes", title="Renewed", text="Mine.")
    assert (reply.status, "Send it once more" in text_of(reply)) == (403, True)
    assert second.form_token in text_of(reply), "the form has the new token"


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="needs root, to be another user")
def test_another_user_of_this_machine_cannot_use_code_or_cookie(server: Served) -> None:
    writer, link = sign_in(server), make_link(server)
    cookie = {"Accept": "text/html", "Cookie": writer.cookie}

    def attack() -> str:
        stolen = server.ask("GET", link).headers["location"]
        page = server.ask("GET", "/notes", headers=cookie).body.decode()
        sent = writer.send("/new/notes", title="Stolen").status
        return f"{stolen} {'Reading only' in page} {'form_token' in page} {sent}"

    assert as_nobody(attack) == "/sign-in?failed=1 True False 403"
    assert writer.send("/new/notes", title="Mine").status == 303
    assert server.ask("GET", link).headers["location"] == "/", "the code was not used up"


def as_nobody(call: Callable[[], str]) -> str:
    """Call a function in a process of another user, and give its result."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setuid(65_534)
            os.write(writing, call().encode())
        finally:
            os._exit(0)  # the child must not run the other tests
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        result = pipe.read().decode()
    os.waitpid(child, 0)
    return result


def test_reading_needs_no_session(server: Served) -> None:
    for path in ("/notes", "/tasks", "/tasks/list", "/skills", "/new/notes", "/sign-in"):
        reply = server.ask("GET", path, headers=HTML)
        assert reply.status == 200
        assert reply.headers["referrer-policy"] == "same-origin", "else browsers send no Origin with a form"
        assert b'form_token" value=""' in reply.body or b"form_token" not in reply.body
    assert "waymeet open" in text_of(server.ask("GET", "/notes", headers=HTML))
    assert server.ask("GET", "/new/else", headers=HTML).status == 404
