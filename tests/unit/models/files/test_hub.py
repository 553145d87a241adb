"""Downloads from a hub: a real server process that lists and serves files, well and with faults."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from support import tiny_models as tiny
from support.hub_server import COMMIT, FIRST
from support.subprocess_server import process

from waymeet.errors import EmbeddingError
from waymeet.models.files.downloaded import (
    MANIFEST,
    find_model_folder,
    list_downloaded,
    model_path,
    models_folder,
    read_downloaded,
)
from waymeet.models.files.hub import DownloadPlan, download, plan_download
from waymeet.models.local.folder_embedder import open_folder

pytestmark = pytest.mark.slow

NAME = "tiny/multilingual-e5-small"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models as a hub stores them, with many files that are not needed."""
    root = tmp_path_factory.mktemp("hub")
    tensors = tiny.weights("bert")
    folder = tiny.write_folder(root / NAME, "bert", tensors)
    for beside in ("pytorch_model.bin", "onnx/model.onnx", "onnx/model_qint8.onnx", "README.md", "evil.py"):
        (folder / beside).parent.mkdir(exist_ok=True)
        (folder / beside).write_bytes(b"x" * 2000)
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
def hub(files: Path) -> Iterator[str]:
    with process("hub_server.py", str(files)) as address:
        yield address


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _plan(hub: str, fault: str = "ok", name: str = NAME) -> DownloadPlan:
    return plan_download(name, f"{hub}/{fault}/")


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
    assert list(list_downloaded()) == []


def test_a_model_is_downloaded_and_embeds_with_the_prefixes_of_its_kind(hub: str, files: Path) -> None:
    reports: list[tuple[int, int, str]] = []
    plan = _plan(hub)
    folder = download(plan, lambda *report: reports.append(report))
    assert folder == model_path(NAME) == find_model_folder(NAME)
    assert reports[-1][:2] == (plan.size, plan.size)
    assert reports == sorted(reports, key=lambda report: report[0])
    assert [model.name for _, model in list_downloaded()] == [NAME]
    ours, theirs = open_folder(folder), open_folder(files / NAME)
    assert np.array_equal(ours.embed_query("the search"), theirs.embed_query("the search"))
    assert not np.array_equal(ours.embed_query("the search"), ours.embed_passages(["the search"])[0])
    assert download(plan) == folder  # it is there already
    assert not (folder / "evil.py").exists()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_connection_that_breaks_is_resumed_where_it_broke(hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", FIRST // 2)
    reports: list[int] = []
    assert read_downloaded(download(_plan(hub, "cut"), lambda done, *_: reports.append(done)))
    assert reports[:2] == [FIRST // 2, FIRST]
    assert reports == sorted(reports)


def test_a_download_that_was_interrupted_is_resumed_by_the_next_run(hub: str, files: Path) -> None:
    plan = _plan(hub)
    with pytest.raises(KeyboardInterrupt):
        download(plan, _interrupt)
    assert list(list_downloaded()) == []
    with pytest.raises(EmbeddingError, match="Download it: waymeet models get"):
        find_model_folder(NAME)
    partial = next((models_folder() / ".fetching").glob("*@*/model.safetensors"))
    partial.write_bytes((files / NAME / "model.safetensors").read_bytes()[:FIRST])
    reports: list[int] = []
    assert read_downloaded(download(plan, lambda done, *_: reports.append(done)))
    assert reports[0] > FIRST
    assert reports == sorted(reports)


def test_a_server_that_ignores_ranges_starts_again(hub: str, files: Path) -> None:
    plan = _plan(hub, "blunt")
    with pytest.raises(KeyboardInterrupt):
        download(plan, _interrupt)
    partial = next((models_folder() / ".fetching").glob("*@*/model.safetensors"))
    partial.write_bytes((files / NAME / "model.safetensors").read_bytes()[:FIRST])
    folder = download(plan)
    assert open_folder(folder).dimension == tiny.HIDDEN
    assert (folder / "model.safetensors").read_bytes() == (files / NAME / "model.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("fault", "message"),
    [("wrong", r"model\.safetensors .* wrong checksum"), ("long", r"model\.safetensors is longer than the hub lists")],
)
def test_bytes_that_are_not_those_listed_are_not_installed(hub: str, fault: str, message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        download(_plan(hub, fault))
    sizes = [path.stat().st_size for path in (models_folder() / ".fetching").glob("*@*/model.safetensors")]
    assert sizes in ([], [0])
    assert list(list_downloaded()) == []


def test_a_token_of_another_hub_is_not_sent(hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    sent: list[str | None] = []
    send = httpx2.Client.send

    def watched(client: httpx2.Client, request: httpx2.Request, **options: Any) -> httpx2.Response:
        sent.append(request.headers.get("Authorization"))
        return send(client, request, **options)

    monkeypatch.setattr(httpx2.Client, "send", watched)
    download(_plan(hub))
    assert len(sent) > 2
    assert set(sent) == {None}


def test_no_proxy_is_used_for_a_hub_on_this_machine(hub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert _plan(hub).revision == COMMIT


def test_a_missing_library_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(EmbeddingError, match="huggingface-hub") as caught:
        plan_download(NAME, "http://127.0.0.1:9")
    assert "waymeet[models]" in caught.value.hint


def test_a_hub_that_fails_is_named(hub: str) -> None:
    with pytest.raises(EmbeddingError, match="HTTP 500"):
        _plan(hub, "broken")
    with pytest.raises(EmbeddingError, match="does not list the size"):
        _plan(hub, "sizeless")
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:9 cannot be reached"):
        plan_download(NAME, "http://127.0.0.1:9")


def test_another_revision_takes_the_place_of_the_first(hub: str) -> None:
    plan = _plan(hub)
    folder = download(plan)
    before = read_downloaded(folder)
    assert before
    (folder / MANIFEST).write_bytes(msgspec.json.encode(replace(before, revision="older")))
    (folder / "left over").touch()
    assert download(plan) == folder
    assert read_downloaded(folder) == before
    assert not (folder / "left over").exists()


def test_two_do_not_download_the_same_model_at_once(hub: str) -> None:
    plan = _plan(hub)

    def meanwhile(*_: object) -> None:
        with pytest.raises(EmbeddingError, match="Another process is downloading"):
            download(plan)

    assert read_downloaded(download(plan, meanwhile))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny/pickled", r"only as pytorch_model\.bin, which could run code"),
        ("tiny/gated", "is gated"),
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


def test_a_redirect_to_an_unencrypted_address_is_refused(hub: str) -> None:
    with pytest.raises(EmbeddingError, match=r"redirects to example\.com, which is refused"):
        download(_plan(hub, "astray"))


def test_only_a_path_that_looks_like_one_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny.write_folder(tmp_path / "some" / "model", "bert", tiny.weights("bert"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(EmbeddingError, match="no model some/model here"):
        find_model_folder("some/model")
    assert (
        find_model_folder("./some/model")
        == find_model_folder("~/some/model")
        == find_model_folder(str(tmp_path / "some/model"))
    )
