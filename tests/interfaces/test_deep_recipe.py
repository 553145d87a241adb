"""`waymeet search --recipe deep` with models over HTTP: chosen by the user, and reported when they fail."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from interfaces.conftest import Run
from support.model_server import ModelServer, Reply, chatting, judged, serving

from waymeet.models.choose_rerankers import choose_models

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Serve both sorts of models, and forget afterwards what was chosen."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    wording = chatting({"wordings": ["joining ranked results", "merging of scores"]})
    with serving(lambda body: wording(body) if "messages" in body else judged(body)) as one:
        yield one
    choose_models.cache_clear()


@pytest.fixture
def _chosen(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose both in the environment, as a user would."""
    for section, provider in (("RERANK", "endpoint"), ("EXPAND", "chat")):
        monkeypatch.setenv(f"WAYMEET_{section}_PROVIDER", provider)
        monkeypatch.setenv(f"WAYMEET_{section}_URL", server.url)
        monkeypatch.setenv(f"WAYMEET_{section}_MODEL", "small")
        monkeypatch.setenv(f"WAYMEET_{section}_KEY_VARIABLE", "MY_KEY")
    monkeypatch.setenv("MY_KEY", KEY)


def asked(run: Run, *more: str) -> dict[str, object]:
    done = run("search", "setup", "lists", "--recipe", "deep", "--json", *more)
    assert done.code == 0, done.err
    assert KEY not in done.out + done.err
    found: dict[str, object] = json.loads(done.out)
    return found


def stages(found: dict[str, object], *names: str) -> list[object]:
    degraded = found["degraded"]
    assert isinstance(degraded, list)
    return [each["code"] for each in degraded if each["stage"] in names]


@pytest.mark.usefixtures("project", "_chosen")
def test_all_stages_run_and_are_told(run: Run, server: ModelServer) -> None:
    found = asked(run)
    assert found["mode"] == "deep"
    assert found["expanded"] == ["joining ranked results", "merging of scores"]
    assert found["strong_signal"] is False
    assert found["reranked"] is True
    assert stages(found, "expand", "rerank") == []
    assert server.paths == ["/v1/chat/completions", "/v1/rerank"]
    assert server.keys == [f"Bearer {KEY}"] * 2
    asked(run)
    assert len(server.paths) == 2  # both were remembered


@pytest.mark.usefixtures("project", "_chosen")
def test_models_that_fail_leave_an_answer_that_says_so(run: Run, server: ModelServer) -> None:
    server.replies = [Reply(401, f"wrong key {KEY}".encode()), Reply(401, f"wrong key {KEY}".encode())]
    found = asked(run)
    assert found["hits"]
    assert stages(found, "expand") == ["llm_unavailable"]
    assert stages(found, "rerank") == ["rerank_failed"]
    shown = run("search", "setup", "lists", "--recipe", "deep")
    assert KEY not in shown.out + shown.err


@pytest.mark.usefixtures("project")
def test_keys_alone_and_a_project_s_own_file_send_nothing(
    run: Run, server: ModelServer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("VOYAGE_API_KEY", "COHERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    found = asked(run)
    assert stages(found, "expand", "rerank") == ["llm_unavailable", "no_reranker"]
    (project / "waymeet.toml").write_text(f'[rerank]\nprovider = "endpoint"\nurl = "{server.url}"\nmodel = "m"\n')
    done = run("search", "rank", "--recipe", "deep")
    assert done.code == 2
    assert "may not set" in done.err
    assert server.asked == []


@pytest.mark.usefixtures("project")
def test_the_asker_s_own_wordings_and_no_expansion(run: Run) -> None:
    assert asked(run, "--variant", "lex:rotate keys")["expanded"] == ["rotate keys"]
    assert stages(asked(run, "--no-expand"), "expand") == []


@pytest.mark.usefixtures("project")
def test_classic_has_no_mode_deep_but_says_where_it_is(run: Run) -> None:
    done = run("search", "rank", "--mode", "deep")
    assert done.code == 2
    assert "--recipe deep" in done.err
