"""`waymeet models`, and providers chosen on the command line, against servers that are processes of their own."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import numpy as np
import pytest
from interfaces.conftest import Run
from support import tiny_models as tiny
from support.subprocess_server import process

KEY = "sk-very-secret-0123456789"
E5 = "tiny/multilingual-e5-small"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("hub")
    tensors = tiny.weights("bert")
    tiny.write_folder(root / E5, "bert", tensors)
    random = np.random.default_rng(8)
    named = {f"bert.{name}": each for name, each in tensors.items()}
    for name, shape in (("bert.pooler.dense", (tiny.HIDDEN, tiny.HIDDEN)), ("classifier", (1, tiny.HIDDEN))):
        named[f"{name}.weight"] = random.normal(size=shape).astype(np.float32)
        named[f"{name}.bias"] = random.normal(size=shape[0]).astype(np.float32)
    tiny.write_folder(root / "tiny/cross", "bert", named, architectures=["BertForSequenceClassification"])
    with process("hub_server.py", str(root)) as address:
        yield f"{address}/ok"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with process("embedding_server.py") as address:
        yield address


def _asked(server: str, manner: str) -> list[dict[str, str]]:
    with build_opener(ProxyHandler({})).open(f"{server}/asked") as answer:
        return [each for each in json.load(answer) if each["manner"] == manner]


def test_models_are_listed_without_asking_anybody(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    listed = json.loads(run("models", "--json", "--set", "embedding.provider=granite").out)
    rows = {each["name"]: each for each in listed["models"]}
    assert list(rows) == ["granite", "multilingual", "voyage", "openai", "cohere", "compatible"]
    assert [name for name, each in rows.items() if each["chosen"]] == ["granite"]
    assert rows["openai"]["ready"]
    assert rows["voyage"]["state"] == "VOYAGE_API_KEY is not set"
    told = run("models")
    assert told.code == 0
    assert "OPENAI_API_KEY is set" in told.out
    assert KEY not in told.out


def test_nothing_is_fetched_unless_somebody_agrees(run: Run, project: Path, hub: str) -> None:
    refused = run("models", "get", E5, "--set", f"embedding.hub={hub}")
    assert refused.code == 2
    assert "Confirm with --yes" in refused.err
    assert f"{hub}/{E5}" in refused.out
    assert "mit" in refused.out
    planned = run("models", "get", E5, "--set", f"embedding.hub={hub}", "--dry-run", "--json")
    assert {each["path"] for each in json.loads(planned.out)["parts"]} > {"model.safetensors", "config.json"}
    rows = json.loads(run("models", "--json").out)["models"]
    assert not any(each["kind"] == "fetched" for each in rows)


def test_a_fetched_model_is_tried_used_and_removed(run: Run, project: Path, hub: str) -> None:
    came = run("models", "get", E5, "--yes", "--set", f"embedding.hub={hub}")
    assert (came.code, f'model = "{E5}"' in came.out, "12 dimensions" in came.out) == (0, True, True)
    chosen = ("--set", "embedding.provider=folder", "--set", f"embedding.model={E5}")
    rows = {each["name"]: each for each in json.loads(run("models", "--json", *chosen).out)["models"]}
    assert rows[E5]["chosen"]
    assert "embedder, bert, safetensors" in rows[E5]["about"]
    assert run("index", *chosen).code == 0
    answer = json.loads(run("search", "the search finds words", "--json", *chosen).out)
    assert answer["hits"]
    assert not any(each["stage"] == "vector" for each in answer["degraded"])
    assert run("models", "remove", E5).code == 2
    assert run("models", "remove", E5, "--yes").code == 0
    assert run("models", "remove", E5, "--yes").code == 3
    gone = run("index", *chosen)
    assert gone.code == 3 or "no model" in gone.err + gone.out
    answer = json.loads(run("search", "rank fusion", "--json", *chosen).out)
    assert answer["hits"]
    assert any(each["stage"] == "vector" for each in answer["degraded"])


def test_a_fetched_reranker_reads_the_best_again(run: Run, project: Path, hub: str) -> None:
    came = json.loads(run("models", "get", "tiny/cross", "--yes", "--json", "--set", f"embedding.hub={hub}").out)
    assert came["kind"] == "reranker"
    run("index")
    chosen = ("--set", "rerank.provider=local", "--set", "rerank.model=tiny/cross", "--recipe", "deep")
    answer = json.loads(run("search", "rank fusion", "--json", *chosen).out)
    assert answer["hits"]
    assert not any(each["stage"] in {"rerank", "reread"} for each in answer["degraded"])
    broken = run("search", "rank fusion", "--json", *chosen[:2], "--set", "rerank.model=tiny/gone", "--recipe", "deep")
    assert "no model tiny/gone here" in broken.out


def test_a_model_that_is_not_there_ends_with_a_reason(run: Run, project: Path, hub: str) -> None:
    missing = run("models", "get", "tiny/nowhere", "--set", f"embedding.hub={hub}")
    assert missing.code == 3
    assert "no public model tiny/nowhere" in missing.err


@pytest.mark.parametrize("provider", ["voyage", "openai", "cohere", "compatible"])
def test_a_chosen_provider_embeds_a_project_and_is_asked_the_question(
    run: Run, project: Path, server: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VOYAGE_API_KEY", "OPENAI_API_KEY", "CO_API_KEY", "MINE"):
        monkeypatch.setenv(name, KEY)
    manner = f"ok-{provider}"
    run("index")
    assert _asked(server, manner) == []  # a key alone sends nothing
    url = f"{server}/{manner}/{'v2' if provider == 'cohere' else 'v1'}"
    chosen = [f"embedding.provider={provider}", f"embedding.url={url}", "embedding.dimension=8"]
    chosen += ["embedding.model=m", "embedding.key_variable=MINE"] if provider == "compatible" else []
    flags = [part for each in chosen for part in ("--set", each)]
    assert run("index", *flags).code == 0
    answer = run("search", "rotate the keys", "--json", *flags)
    assert not any(each["stage"] == "vector" for each in json.loads(answer.out)["degraded"])
    asked = _asked(server, manner)
    assert len(asked) >= 2
    assert all(each["key"] == f"Bearer {KEY}" for each in asked)
    held = [path for path in project.parent.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert held == []
    assert KEY not in run("settings", "embedding", *flags).out


def test_a_project_that_chooses_a_server_is_refused(run: Run, project: Path, server: str) -> None:
    (project / "waymeet.toml").write_text(
        f'[embedding]\nprovider = "compatible"\nurl = "{server}/stolen/v1"\nmodel = "m"\n'
    )
    refused = run("index")
    assert refused.code == 2
    assert "may not set embedding.provider" in refused.err
    assert _asked(server, "stolen") == []
