"""Fetching models from a hub, which is a real server process that lists and gives files, well and badly."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from support import tiny_models as tiny
from support.hub_server import COMMIT, FIRST
from support.subprocess_server import process

from waymeet.errors import EmbeddingError
from waymeet.models.files.downloaded import NOTE, all_fetched, located, model_path, models_folder, read_downloaded
from waymeet.models.files.hub import DownloadPlan, download, plan_download
from waymeet.models.local.folder_embedder import open_folder
from waymeet.models.remote.http import Clock, RetryPolicy

QUICK = Clock(wait=lambda _: None)
NAME = "tiny/multilingual-e5-small"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models as a hub has them, with much beside that nobody needs."""
    root = tmp_path_factory.mktemp("hub")
    tensors = tiny.weights("bert")
    whole = tiny.write_folder(root / NAME, "bert", tensors)
    for beside in ("pytorch_model.bin", "onnx/model.onnx", "onnx/model_qint8.onnx", "README.md", "evil.py"):
        (whole / beside).parent.mkdir(exist_ok=True)
        (whole / beside).write_bytes(b"x" * 2000)
    tiny.write_folder(root / "tiny" / "gated", "bert", tensors)
    pickled = tiny.write_folder(root / "tiny" / "pickled", "bert", None)
    (pickled / "pytorch_model.bin").write_bytes(b"x" * 2000)
    tiny.write_folder(root / "tiny" / "strange", "bert", tensors, model_type="modernbert")
    both = tiny.write_folder(root / "tiny" / "graph", "bert", tensors, model_type="modernbert")
    (both / "onnx").mkdir()
    (both / "onnx" / "model.onnx").write_bytes(b"x" * 2000)
    bare = tiny.write_folder(root / "tiny" / "bare", "bert", tensors)
    (bare / "tokenizer.json").unlink()
    return root


@pytest.fixture(scope="module")
def hub(shelf: Path) -> Iterator[str]:
    with process("hub_server.py", str(shelf)) as address:
        yield address


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _plan(hub: str, manner: str = "ok", name: str = NAME) -> DownloadPlan:
    return plan_download(name, f"{hub}/{manner}/", clock=QUICK)


def test_only_what_is_needed_and_safe_is_planned(hub: str) -> None:
    plan = _plan(hub)
    assert [each.path for each in plan.parts] == [
        "model.safetensors",
        "1_Pooling/config.json",
        "README.md",
        "config.json",
        "modules.json",
        "tokenizer.json",
    ]
    assert (plan.revision, plan.licence, plan.source) == (COMMIT, "mit", f"{hub}/ok/{NAME}")
    assert all(bool(each.sha256) != bool(each.blob) for each in plan.parts)
    assert plan.size == sum(each.size for each in plan.parts)
    assert _plan(hub, name="tiny/graph").parts[0].path == "onnx/model.onnx"
    assert list(all_fetched()) == []


def test_a_model_is_fetched_and_embeds_with_the_prefixes_of_its_kind(hub: str, shelf: Path) -> None:
    told: list[tuple[int, int, str]] = []
    plan = _plan(hub)
    folder = download(plan, lambda *each: told.append(each))
    assert folder == model_path(NAME) == located(NAME)
    assert told[-1][:2] == (plan.size, plan.size)
    assert [each.name for _, each in all_fetched()] == [NAME]
    ours, theirs = open_folder(folder), open_folder(shelf / NAME)
    assert np.array_equal(ours.embed_query("the search"), theirs.embed_query("the search"))
    assert not np.array_equal(ours.embed_query("the search"), ours.embed_passages(["the search"])[0])
    assert download(plan) == folder  # it is there already
    assert not (folder / "evil.py").exists()


def test_a_line_that_breaks_is_taken_up_again_where_it_was(hub: str) -> None:
    plan = _plan(hub, "cut")
    with pytest.raises(EmbeddingError, match=f"broke off after {FIRST}"):
        download(plan, manners=RetryPolicy(tries=1), clock=QUICK)
    assert list(all_fetched()) == []
    with pytest.raises(EmbeddingError, match="Fetch it: waymeet models get"):
        located(NAME)
    kept = next((models_folder() / ".fetching").glob("*@*/model.safetensors"))
    assert kept.stat().st_size == FIRST
    assert read_downloaded(download(plan, clock=QUICK))  # now in one go: every break is mended by the next try


def test_a_server_that_cannot_go_on_from_somewhere_starts_again(hub: str) -> None:
    with pytest.raises(EmbeddingError, match="broke off"):
        download(_plan(hub, "cut"), manners=RetryPolicy(tries=1), clock=QUICK)
    folder = download(_plan(hub, "blunt"))
    assert open_folder(folder).dimension == tiny.HIDDEN


def test_bytes_that_are_not_those_listed_are_thrown_away(hub: str) -> None:
    with pytest.raises(EmbeddingError, match=r"model\.safetensors .* is not what the hub lists"):
        download(_plan(hub, "wrong"), clock=QUICK)
    assert not list((models_folder() / ".fetching").glob("*@*/model.safetensors"))
    assert list(all_fetched()) == []


def test_another_revision_takes_the_place_of_the_first(hub: str) -> None:
    plan = _plan(hub)
    folder = download(plan)
    before = read_downloaded(folder)
    assert before
    (folder / NOTE).write_bytes(msgspec.json.encode(replace(before, revision="older")))
    (folder / "left over").touch()
    assert download(plan) == folder
    assert read_downloaded(folder) == before
    assert not (folder / "left over").exists()


def test_two_do_not_fetch_the_same_model_at_once(hub: str) -> None:
    plan = _plan(hub)

    def meanwhile(*_: object) -> None:
        with pytest.raises(EmbeddingError, match="Another process is fetching"):
            download(plan)

    assert read_downloaded(download(plan, meanwhile))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny/pickled", r"only as pytorch_model\.bin, which could run code"),
        ("tiny/gated", "signed for it"),
        ("tiny/strange", "'modernbert', which cannot be run without an ONNX graph"),
        ("tiny/bare", r"no tokenizer\.json"),
        ("tiny/nowhere", r"no public model tiny/nowhere \(HTTP 404\)"),
        ("../../etc", "not the name of a model"),
        ("tiny/..", "not the name of a model"),
        ("/etc/passwd", "not the name of a model"),
    ],
)
def test_a_model_that_cannot_be_had_or_used_says_why(hub: str, name: str, message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        _plan(hub, name=name)


@pytest.mark.parametrize("hub", ["http://example.com", "ftp://127.0.0.1", "https://", "file:///x"])
def test_a_hub_must_be_safe_to_ask(hub: str) -> None:
    with pytest.raises(EmbeddingError, match="not an address"):
        plan_download(NAME, hub)


def test_nobody_is_sent_where_others_can_listen_in(hub: str) -> None:
    with pytest.raises(EmbeddingError, match=r"HTTP 302"):
        _plan(hub, "astray")


def test_only_a_path_that_looks_like_one_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny.write_folder(tmp_path / "some" / "model", "bert", tiny.weights("bert"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(EmbeddingError, match="no model some/model here"):
        located("some/model")
    assert located("./some/model") == located("~/some/model") == located(str(tmp_path / "some/model"))
