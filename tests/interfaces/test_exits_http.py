"""No secret leaves the process over HTTP: every route of the description, with planted secrets in every place."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from support.secret_project import (
    NAMED_DOC,
    NAMED_NOTE,
    NOTE,
    SECRETS,
    SKILL,
    TASK,
    find_secrets,
    lost_values,
    mask,
    plant,
)
from support.server_process import Reply, Served, isolated_environment, served

from waymeet.interfaces.http.openapi import build_description
from waymeet.interfaces.http.routes import ROUTES
from waymeet.interfaces.requests.operation_table import OPERATIONS

pytestmark = pytest.mark.slow
_ITEMS = {"notes": NOTE, "tasks": TASK, "skills": SKILL}


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("exits")
    with served(plant(folder / "project"), isolated_environment(folder)) as running:
        yield running


def _reads() -> dict[str, list[dict[str, Any]]]:
    """Give requests for each operation that has a route of its own."""
    return {
        "search": [
            *({"query": "rotate keys", "limit": 50, "explain": True, "include_linked": True, "recipe": recipe}
              for recipe in ("auto", "classic", "memory", "neighbours", "files", "skills_recall", "deep")),
            {"query": "page whose name is a secret", "limit": 50},
            {"query": "named note"},
        ],
        "read": [
            {"id": id_}
            for id_ in (
                *("docs/access.md", "src/app.py", "settings.yaml", NOTE, NAMED_DOC),
                *(mask(NAMED_DOC), f"{NAMED_DOC}#gone", f"{NAMED_DOC}x"),
            )
        ],
        "related": [{"id": "docs/setup.md", "limit": 100}, {"id": NOTE, "limit": 100}, {"id": NAMED_DOC}],
        "context": [{"task": "rotate keys"}],
        "graph": [{"symbols": True}, {"id": "docs/access.md", "depth": 3}],
        "why_not": [{"query": "rotate keys", "id": id_} for id_ in ("docs/access.md", NAMED_DOC, f"{NAMED_DOC}x")],
        "describe": [{"id": "docs/access.md"}, {"id": NOTE}, {"id": mask(NAMED_DOC)}],
        "problems": [{}],
        "filters": [{}],
        "settings": [{"everything": True}],
        "recall_skills": [{"task": "deploy keys"}],
        "status": [{"everything": True}],
    }  # fmt: skip


def _answer_reads(server: Served, name: str, *, by_body: bool) -> Iterator[Reply]:
    for fields in _reads()[name]:
        path = f"/v1/{name.replace('_', '-')}"
        texts = {key: str(value).lower() if isinstance(value, bool) else value for key, value in fields.items()}
        yield server.ask("POST", path, fields) if by_body else server.ask("GET", f"{path}?{urlencode(texts)}")


def _item_path(kind: str, id_: str) -> str:
    return f"/v1/{kind}/{quote(id_)}"


def _answer_items(server: Served, kind: str, method: str, *, one: bool) -> Iterator[Reply]:
    path, id_ = f"/v1/{kind}", _ITEMS[kind]
    if not one:
        new = {"title": f"New {kind}", "text": f"Rotate the keys, not {method} {_secret()}.", "tags": [_secret()]}
        yield server.ask("GET", path) if method == "GET" else server.ask("POST", path, new, token=True)
        return
    item = server.ask("GET", _item_path(kind, id_))
    yield item
    if method == "GET":
        yield server.ask("GET", _item_path("notes", mask(NAMED_NOTE)))
        yield server.ask("GET", _item_path(kind, f"{id_}/{_secret()}"))
        return
    if method == "PATCH":
        yield server.ask("PATCH", _item_path(kind, id_), {"version": "stale", "text": f"Mine {_secret()}"}, token=True)
    else:
        yield server.ask("DELETE", f"{_item_path(kind, id_)}?version=stale", token=True)
    version = item.json["version"]
    if method == "PATCH":
        text = item.json["text"].replace("otate", "otate soon")
        changed = {"version": version, "text": text, "title": item.json["title"]}
        yield server.ask("PATCH", _item_path(kind, id_), changed, token=True)
    else:
        yield server.ask("DELETE", f"{_item_path(kind, id_)}?version={version}", token=True)


def _secret() -> str:
    """Give a planted secret, which a client may send."""
    return SECRETS["name"]


def _answer_index(server: Served, path: str, method: str) -> Iterator[Reply]:
    started = server.ask("POST", "/v1/index", {}, token=True)
    job = f"/v1/index/{started.json['id']}"
    yield started
    if path.endswith("events"):
        yield server.ask(method, f"{job}/events")
    else:
        yield server.ask(method, job if "{" in path else path, token=True, body={} if method == "POST" else None)


def _answer_conflicts(server: Served, method: str) -> Iterator[Reply]:
    for number in range(2):
        text = f"Rotate the keys of the {method} door every {number + 3} days with {_secret()}."
        new = {"title": f"{method} door {number}", "text": text}
        yield server.ask("POST", "/v1/notes", new, token=True)
    listed = server.ask("GET", "/v1/conflicts")
    assert listed.json["conflicts"]
    yield listed
    if method == "POST":
        resolved = {"id": listed.json["conflicts"][0]["id"], "resolution": "keep_both"}
        yield server.ask("POST", "/v1/conflicts", resolved, token=True)
        yield server.ask("POST", "/v1/conflicts", {**resolved, "id": _secret()}, token=True)


def _answer_checkpoints(server: Served, path: str, method: str) -> Iterator[Reply]:
    name = {"name": f"state of {method} {path.rpartition('/')[2]}"}
    yield server.ask("POST", "/v1/checkpoints", name, token=True)
    version = server.ask("GET", _item_path("notes", NOTE)).json["version"]
    server.ask("PATCH", _item_path("notes", NOTE), {"version": version, "title": f"Changed {method}"}, token=True)
    if method == "GET":
        yield server.ask("GET", path if path.endswith("checkpoints") else f"{path}?{urlencode(name)}")
    elif path.endswith("restore"):
        yield server.ask("POST", path, name, token=True)
        yield server.ask("POST", path, {"name": _secret()}, token=True)


def _answer_history(server: Served, path: str) -> Iterator[Reply]:
    listed = server.ask("GET", f"/v1/history?{urlencode({'id': NOTE})}")
    yield listed
    past, version = listed.json["versions"][-1]["version"], listed.json["version"]
    if path.endswith("history"):
        yield server.ask("GET", f"/v1/history?{urlencode({'id': NOTE, 'past_version': past})}")
        yield server.ask("GET", f"/v1/history?{urlencode({'id': NOTE, 'past_version': _secret()})}")
        return
    yield server.ask("POST", path, {"id": NOTE, "past_version": past, "version": "stale"}, token=True)
    yield server.ask("POST", path, {"id": NOTE, "past_version": past, "version": version}, token=True)


def _answers(server: Served, path: str, method: str) -> Iterator[Reply]:
    """Send requests to one route; a route that is not known here is an error."""
    name = path.removeprefix("/v1/").replace("-", "_")
    kind = name.partition("/")[0]
    if name in _reads():
        yield from _answer_reads(server, name, by_body=method == "POST")
    elif kind in _ITEMS:
        yield from _answer_items(server, kind, method, one="{" in path)
    elif kind == "index":
        yield from _answer_index(server, path, method)
    elif kind == "conflicts":
        yield from _answer_conflicts(server, method)
    elif kind == "checkpoints":
        yield from _answer_checkpoints(server, path, method)
    elif kind in {"history", "restore"}:
        yield from _answer_history(server, path)
    elif (others := _OTHERS.get(f"{method} {path}")) is not None:
        yield from (server.ask(method, path, body, token=True) for body in others)
    else:
        pytest.fail(f"{method} {path} is a new route: add requests to it here")


_OTHERS: dict[str, list[Any]] = {
    "POST /v1/links": [
        {"id": NOTE, "relation": "references", "target": NAMED_DOC},
        {"id": NOTE, "relation": "references", "target": mask(NAMED_DOC)},
        {"id": NOTE, "relation": "references", "target": f"{NAMED_DOC}x"},
    ],
    "POST /v1/use-skill": [{"id": SKILL}],
    "POST /v1/confirm": [{"id": NOTE}, {"id": f"{NOTE}/{SECRETS['name']}"}],
    "GET /metrics": [None],
    "GET /healthz": [None],
    "GET /openapi.json": [None],
}


def test_no_route_shows_a_secret_or_loses_one(server: Served) -> None:
    described = [(path, method.upper()) for path, methods in build_description()["paths"].items() for method in methods]
    assert {route.operation.name for route in ROUTES} | {"index"} == set(OPERATIONS), "every operation has a route"
    described.sort(key=lambda route: (route[1] == "DELETE" and "index" not in route[0], route))  # removals come last
    for path, method in described:
        if method == "DELETE" and "index" not in path:
            assert lost_values(server.root) == []
        replies = list(_answers(server, path, method))
        assert any(reply.status < 300 for reply in replies), f"{method} {path}: {replies}"
        for reply in replies:
            shown = f"{reply.headers} {reply.body.decode()}"
            assert find_secrets(shown) == [], f"{method} {path}: {shown[:2000]}"


def test_no_page_shows_a_secret(server: Served) -> None:
    secret = quote(_secret(), safe="")
    paths = [
        "/?q=rotate+keys&n=100",
        f"/?q={secret}&in={secret}&recipe={secret}",
        f"/results?q=rotate+keys+{secret}&n=100",
        "/compare?q=rotate+keys&with=classic",
        f"/why-not?q=rotate+keys&id={quote(NAMED_DOC)}",
        "/status",
        "/status/problems",
        f"/read/{secret}",
        *(f"/read/{quote(id_)}" for id_ in ("docs/access.md", "src/app.py", "settings.yaml", NOTE, NAMED_DOC)),
        f"/read/{quote(mask(NAMED_DOC))}",
        *(path for path in ("/notes", "/tasks", "/tasks/list", "/skills", f"/notes?find={secret}&tag={secret}")),
        *(
            f"/{page}/{quote(id_)}"
            for page in ("item", "edit", "delete", "history")
            for id_ in (NOTE, mask(NAMED_NOTE))
        ),
        f"/history/{quote(NOTE)}?version={server.ask('GET', _item_path('notes', NOTE)).json['version']}",
        f"/item/{secret}",
        f"/pick?q={secret}",
        "/pick?q=page+whose+name",
    ]
    version = server.ask("GET", _item_path("notes", NOTE)).json["version"]
    server.ask("PATCH", _item_path("notes", NOTE), {"version": version, "title": "Changed"}, token=True)
    for path in paths:
        reply = server.ask("GET", path, headers={"Accept": "text/html"})
        assert reply.headers["content-type"].startswith("text/html"), path
        assert find_secrets(f"{reply.headers} {reply.body.decode()}") == [], path


def test_a_masked_id_finds_its_file(server: Served) -> None:
    found = server.ask("POST", "/v1/search", {"query": "page whose name is a secret", "limit": 50}).json
    masked = [hit["id"] for hit in found["hits"] if "[secret]" in hit["id"]]
    assert len(masked) == 3
    for id_ in masked:
        assert "whose name is a secret" in server.ask("POST", "/v1/read", {"id": id_}).json["text"]
    note = server.ask("GET", _item_path("notes", mask(NAMED_NOTE)))
    assert note.json["title"] == "Named note"


def test_the_user_can_switch_masking_off(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("unmasked")
    with served(
        plant(folder / "project"), isolated_environment(folder), "--set", "ingest.mask_secrets=false"
    ) as server:
        note = server.ask("GET", _item_path("notes", NOTE))
        assert "note" in find_secrets(note.body.decode())
        refused = server.ask("PATCH", _item_path("notes", NOTE), {"version": "stale", "text": "x"}, token=True)
        assert "note" in find_secrets(refused.json["current"])


def test_a_round_trip_over_http_changes_nothing(server: Served) -> None:
    before = (server.root / NOTE).read_bytes()
    item = server.ask("GET", _item_path("notes", NOTE)).json
    assert re.search(r"\[secret\]", item["text"])
    sent = {"version": item["version"], "text": item["text"], "title": item["title"], "tags": item["fields"]["tags"]}
    saved = server.ask("PATCH", _item_path("notes", NOTE), sent, token=True)
    assert saved.json["changed"] is False
    assert (server.root / NOTE).read_bytes() == before


def _update(server: Served, change: Callable[[str], str]) -> Reply:
    item = server.ask("GET", _item_path("notes", NOTE)).json
    sent = {"version": item["version"], "text": change(item["text"])}
    return server.ask("PATCH", _item_path("notes", NOTE), sent, token=True)


def test_an_uncertain_update_is_refused_with_the_next_step(server: Served) -> None:
    path = server.root / NOTE
    path.write_text("# A\n" + "".join(f"- {SECRETS[place]}\n" for place in ("note", "task", "code")) + "end\n")
    before = path.read_bytes()
    refused = _update(server, lambda text: text.replace("- [secret]\n", "", 1))
    assert refused.status == 409
    assert refused.json["code"] == "masked_text"
    assert "line" in refused.json["detail"]
    assert "write the new one" in refused.json["next_step"]
    assert path.read_bytes() == before
