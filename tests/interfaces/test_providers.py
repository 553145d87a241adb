"""Rerankers and expanders of every provider, asked by the command line over HTTP in another process."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run

from waymeet.models.choose_rerankers import choose_models

SERVER = Path(__file__).parent.parent / "support" / "model_process.py"
KEY = "sk-of-the-process-0123456789"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Run the providers in a process of their own."""
    with subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


@pytest.fixture
def asked(run: Run, project: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Ask by `deep`, with settings as a user has them in the environment."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for variable in ("VOYAGE_API_KEY", "COHERE_API_KEY", "MY_KEY"):
        monkeypatch.setenv(variable, KEY)

    def ask(section: str, question: str = "rotate keys", **numbers: str) -> dict[str, Any]:
        for name, value in numbers.items():
            monkeypatch.setenv(f"WAYMEET_{section.upper()}_{name.upper()}", value.format(address=address))
        done = run("search", question, "--recipe", "deep", "--explain", "--json")
        assert done.code == 0, done.err
        assert KEY not in done.out + done.err
        found: dict[str, Any] = json.loads(done.out)
        return found

    yield ask
    choose_models.cache_clear()


def troubles(found: dict[str, Any], stage: str) -> list[str]:
    return [each["code"] for each in found["degraded"] if each["stage"] == stage]


def reranked(found: dict[str, Any]) -> dict[str, float]:
    """Give what the reranker thought of each document, as the explanation tells it."""

    def said(tree: dict[str, Any]) -> Iterator[float]:
        if tree["description"] == "reranker score":
            yield tree["value"]
        for part in tree["parts"]:
            yield from said(part)

    return {hit["document"]: next(said(hit["explanation"])) for hit in found["hits"]}


@pytest.mark.parametrize(
    "numbers",
    [
        {"provider": "voyage", "url": "{address}/voyage/v1"},
        {"provider": "cohere", "url": "{address}/cohere/v2"},
        {"provider": "endpoint", "url": "{address}/v1", "model": "jina", "key_variable": "MY_KEY"},
        {"provider": "endpoint", "url": "{address}/v1", "model": "logits", "key_variable": "MY_KEY"},
        {"provider": "chat", "url": "{address}/v1", "model": "gpt-4.1", "key_variable": "MY_KEY"},
        {"provider": "chat", "url": "{address}/v1", "model": "gpt-5-mini", "key_variable": "MY_KEY"},
    ],
    ids=["voyage", "cohere", "jina", "logits", "chat", "chat without temperature"],
)
def test_every_provider_reranks(asked: Any, numbers: dict[str, str]) -> None:
    """The best text has both words of the question: .02 + .96."""
    found = asked("rerank", **numbers)
    assert troubles(found, "rerank") == []
    assert found["reranked"]
    assert reranked(found)["docs/setup.md"] == pytest.approx(0.98)


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-5-mini"])
def test_a_chat_model_puts_the_question_in_other_words(asked: Any, model: str) -> None:
    found = asked("expand", "setup lists", provider="chat", url="{address}/v1", model=model, key_variable="MY_KEY")
    assert found["expanded"] == ["signing keys", "key rotation"]
    assert troubles(found, "expand") == []


@pytest.mark.parametrize(
    ("model", "seconds", "said"),
    [
        ("busy", "5", "HTTP 429"),
        ("broken", "5", "HTTP 500"),
        ("garbled", "5", "cannot be used"),
        ("slow", "0.2", "no answer within 0.2 seconds"),
    ],
)
def test_a_provider_in_trouble_leaves_an_answer_that_says_so(asked: Any, model: str, seconds: str, said: str) -> None:
    found = asked(
        "rerank",
        provider="endpoint",
        url="{address}/v1",
        model=model,
        key_variable="MY_KEY",
        timeout_seconds=seconds,
    )
    assert found["hits"]
    assert not found["reranked"]
    assert troubles(found, "rerank") == ["rerank_failed"]
    assert any(said in each["detail"] for each in found["degraded"])


def test_a_key_that_is_wrong_is_named_by_its_variable_alone(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-another-0123456789")
    found = asked("rerank", provider="endpoint", url="{address}/v1", model="jina", key_variable="MY_KEY")
    (told,) = [each["detail"] for each in found["degraded"] if each["stage"] == "rerank"]
    assert "Check the key in MY_KEY" in told
    assert "sk-another" not in json.dumps(found)
