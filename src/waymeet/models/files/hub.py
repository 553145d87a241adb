"""Download of models from a Hugging Face hub: plan, resume, checksums, atomic installation.

The package huggingface_hub talks to the hub. It restarts a file that an earlier run left unfinished, so the partial
files that make resuming possible are kept here, and so are the rules for redirects and checksums.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import file_digest, sha1
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import TYPE_CHECKING, BinaryIO, Self
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.files.downloaded import MANIFEST, DownloadedModel, model_path, models_folder, read_downloaded
from waymeet.models.files.model_folder import FAMILIES
from waymeet.models.remote.http import is_loopback, is_protected, redirect_rule
from waymeet.ports import Progress

if TYPE_CHECKING:
    from httpx2 import Request
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

_SMALL_FILES = re.compile(
    r"config\.json|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|modules\.json|README\.md"
    r"|sentence_bert_config\.json|config_sentence_transformers\.json|\d_[A-Za-z]+/config\.json|(LICENSE|NOTICE)[\w.]*"
)
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_GRAPHS = (("onnx/model.onnx", "onnx/model.onnx_data"), ("model.onnx", "model.onnx_data"))
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
_STATIC = "model2vec"
_LIST_SECONDS = 30.0
_RESERVED_BYTES = 64 << 20
"""Disk space that a download leaves free."""


class ModelFile(Struct, frozen=True):
    """One file of a model, as the hub lists it."""

    path: str
    size: int
    sha256: str = ""
    """Of the content; empty if the hub lists none."""
    blob: str = ""
    """The git object id, which the hub lists for small files instead of a SHA-256."""


class DownloadPlan(Struct, frozen=True):
    """The files that a download would transfer."""

    name: str
    revision: str
    """The commit. A branch may move, a commit does not."""
    source: str
    licence: str
    parts: tuple[ModelFile, ...]

    @property
    def size(self) -> int:
        """Sum the sizes in bytes."""
        return sum(part.size for part in self.parts)

    def url(self, part: ModelFile) -> str:
        """Build the URL of a file at the planned commit."""
        return f"{self.source}/resolve/{self.revision}/{quote(part.path)}"


def plan_download(name: str, hub: str, revision: str = "main") -> DownloadPlan:
    """List a model's files on a hub and choose those needed to run it, without storing anything.

    Raises:
        EmbeddingError: the model does not exist, is not public or cannot be run.
    """
    model_path(name)
    hub = hub.rstrip("/")
    if not is_protected(hub) or urlsplit(hub).query:
        raise EmbeddingError(f"{hub} is not an address of a model hub.", "embedding.hub must begin with https://.")
    with _connect(hub, name):
        model = _list_model(name, hub, revision)
    files = {sibling.rfilename: _describe_file(sibling) for sibling in model.siblings or ()}
    for required in ("config.json", "tokenizer.json"):
        if required not in files:
            raise EmbeddingError(f"{name} has no {required}, which is required to run it.", "Choose another model.")
    family = str((model.config or {}).get("model_type", ""))
    paths = [*_choose_weights(name, family, files), *(path for path in files if _SMALL_FILES.fullmatch(path))]
    licence = next((tag.partition(":")[2] for tag in model.tags or () if tag.startswith("license:")), "")
    return DownloadPlan(name, model.sha or "", f"{hub}/{name}", licence, tuple(files[path] for path in paths))


def download(plan: DownloadPlan, progress: Progress | None = None) -> Path:
    """Download a planned model, resuming an unfinished download, and return its folder.

    Raises:
        EmbeddingError: a file is not available, differs from the listed one or does not fit on the disk.
    """
    folder = model_path(plan.name)
    existing = read_downloaded(folder)
    if existing and existing.revision == plan.revision:
        return folder
    partial_folder = models_folder() / ".fetching"
    partial = partial_folder / f"{folder.name}@{plan.revision[:16]}"
    try:
        partial_folder.mkdir(parents=True, exist_ok=True)
        with _lock(partial_folder / f"{folder.name}.lock", plan.name), _connect(plan.source, plan.name):
            _check_free_space(plan, partial)
            _download_files(plan, partial, progress)
            _install(partial, folder, plan)
    except OSError as error:
        raise EmbeddingError(
            f"{plan.name} cannot be stored: {error.strerror or error}.",
            "Free disk space and run the command again: finished parts are kept.",
        ) from error
    return folder


@contextmanager
def _connect(hub: str, name: str) -> Iterator[None]:
    """Let huggingface_hub connect by our rules, and turn its errors into ours.

    Proxies are not used for a hub on this machine, and redirects never lead to unencrypted connections. The library
    has one client per process; Waymeet uses it for downloads only.
    """
    try:
        from httpx2 import Client, HTTPError  # noqa: PLC0415 - only downloads need it
        from huggingface_hub import close_session, set_client_factory  # noqa: PLC0415 - likewise
        from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise EmbeddingError(
            "Downloads of models need the package huggingface-hub.", "pip install 'waymeet[models]'"
        ) from error

    is_allowed, trust_env = redirect_rule(hub), not is_loopback(urlsplit(hub).hostname or "")

    def check_address(request: "Request") -> None:
        if not is_allowed(str(request.url)):
            raise EmbeddingError(
                f"The hub redirects to {request.url.host}, which is refused: unencrypted or on this machine.",
                "Check embedding.hub.",
            )

    hooks = {"request": [check_address]}
    set_client_factory(lambda: Client(event_hooks=hooks, follow_redirects=True, trust_env=trust_env))
    try:
        yield
    except HfHubHTTPError as error:
        raise _describe_refusal(name, error.response.status_code) from None
    except HTTPError as error:
        raise EmbeddingError(
            f"{urlsplit(hub).netloc} cannot be reached: {str(error) or type(error).__name__}.",
            "Check the network and run the command again: finished parts are kept.",
        ) from error
    finally:
        close_session()


def _describe_refusal(name: str, status: int) -> EmbeddingError:
    if status in {401, 403, 404}:  # a hub answers alike for private and missing models
        return EmbeddingError(f"There is no public model {name} (HTTP {status}).", "Check its name and revision.")
    return EmbeddingError(f"The hub answered with an error (HTTP {status}).", "Try later: finished parts are kept.")


def _list_model(name: str, hub: str, revision: str) -> "ModelInfo":
    from huggingface_hub import HfApi  # noqa: PLC0415 - only downloads need it

    api = HfApi(endpoint=hub, token=False, library_name="waymeet")  # a token is for the hub it was issued by
    try:
        model = api.model_info(name, revision=revision, timeout=_LIST_SECONDS, files_metadata=True)
    except (ValueError, TypeError, KeyError, AttributeError) as error:  # the library does not validate answers
        raise EmbeddingError(f"The hub sent an unusable answer: {error}.", "Check embedding.hub.") from error
    if model.gated:
        raise EmbeddingError(
            f"{name} is gated: its publisher gives access only after registration.",
            "Download it yourself and set embedding.model to its folder.",
        )
    if not re.fullmatch(r"[0-9a-f]{40}", model.sha or ""):
        raise EmbeddingError("The hub does not name the commit of the model.", "Check embedding.hub.")
    return model


def _describe_file(sibling: "RepoSibling") -> ModelFile:
    if sibling.lfs is not None:
        return ModelFile(sibling.rfilename, sibling.lfs.size, sha256=sibling.lfs.sha256)
    if sibling.size is None:  # then a truncated file would not be noticed
        raise EmbeddingError(f"The hub does not list the size of {sibling.rfilename}.", "Check embedding.hub.")
    return ModelFile(sibling.rfilename, sibling.size, blob=sibling.blob_id or "")


def _choose_weights(name: str, family: str, files: dict[str, ModelFile]) -> Sequence[str]:
    """Choose the weights: safetensors for supported families, else an ONNX graph."""
    tensors = ["model.safetensors"] if "model.safetensors" in files else sorted(filter(_SHARD.fullmatch, files))
    graph = next(([path for path in paths if path in files] for paths in _GRAPHS if paths[0] in files), [])
    if tensors and (family in FAMILIES or family == _STATIC):
        return tensors
    if graph:
        return graph
    if tensors:
        raise EmbeddingError(
            f"{name} is a model of type {family or 'unknown'!r}, which cannot be run without an ONNX graph.",
            f"Choose one of {', '.join(sorted(FAMILIES))} or {_STATIC}, or one that comes with onnx/model.onnx.",
        )
    pickled = next((path for path in sorted(files) if path.endswith(_PICKLES)), "")
    reason = f"only as {pickled}, which could run code" if pickled else "without weights"
    raise EmbeddingError(f"{name} comes {reason}; it is not downloaded.", "Choose one with safetensors or ONNX.")


def _download_files(plan: DownloadPlan, folder: Path, progress: Progress | None) -> None:
    done = 0
    for part in plan.parts:

        def report(size: int, before: int = done, path: str = part.path) -> None:
            if progress:
                progress(before + size, plan.size, path)

        path = folder / part.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _is_intact(path, part):
            _download_file(plan, part, path, report)
        done += part.size
        report(part.size)


def _download_file(plan: DownloadPlan, part: ModelFile, path: Path, report: Callable[[int], None]) -> None:
    """Download one file, appending to what an earlier run left, and verify it."""
    size = path.stat().st_size if path.is_file() else 0
    resumed = size if size < part.size else 0
    with path.open("ab" if resumed else "wb") as file:
        _transfer(plan, part, file, resumed, report)
        file.flush()
        os.fsync(file.fileno())
    if not _is_intact(path, part):
        path.unlink()
        raise EmbeddingError(
            f"{part.path} of {plan.name} differs from the file the hub lists: wrong checksum.",
            "Run the command again. If the error stays, do not use this model.",
        )


def _transfer(plan: DownloadPlan, part: ModelFile, file: BinaryIO, resumed: int, report: Callable[[int], None]) -> None:
    """Copy a file from the hub, beginning behind the bytes that are present already."""
    from huggingface_hub.file_download import http_get  # noqa: PLC0415 - only downloads need it

    class Meter:
        """Count received bytes before they are written.

        Takes the place of a progress bar of tqdm.
        """

        def __init__(self, *, initial: int, **_: object) -> None:
            self.size = initial

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Keep the count, for retries continue it."""

        def update(self, size: int) -> None:
            self.size += size
            if self.size > part.size:
                raise EmbeddingError(f"{part.path} is longer than the hub lists.", "Do not use this model.")
            report(self.size)

    http_get(
        plan.url(part),
        file,
        resume_size=resumed,
        headers={"Accept-Encoding": "identity", "User-Agent": "waymeet"},
        expected_size=part.size,
        tqdm_class=Meter,  # the library uses no more of tqdm than Meter has
    )


def _is_intact(path: Path, part: ModelFile) -> bool:
    """Check size and checksum of a file.

    Without a listed checksum the size decides.
    """
    if not path.is_file() or path.stat().st_size != part.size:
        return False
    if not (part.sha256 or part.blob):
        return True
    git_header = f"blob {part.size}\0".encode()
    with path.open("rb") as file:
        if part.sha256:
            return file_digest(file, "sha256").hexdigest() == part.sha256
        return file_digest(file, lambda: sha1(git_header, usedforsecurity=False)).hexdigest() == part.blob


def _check_free_space(plan: DownloadPlan, folder: Path) -> None:
    present = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
    free = disk_usage(models_folder()).free
    if plan.size - present + _RESERVED_BYTES > free:
        raise EmbeddingError(
            f"{plan.name} needs {(plan.size - present) / 1e6:,.0f} MB, and {models_folder()} has "
            f"{max(free - _RESERVED_BYTES, 0) / 1e6:,.0f} MB free.",
            "Free disk space, or choose a smaller model.",
        )


def _install(partial: Path, folder: Path, plan: DownloadPlan) -> None:
    """Move a complete model into place, replacing another revision."""
    manifest = DownloadedModel(plan.name, plan.revision, plan.source, plan.licence, plan.size)
    (partial / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    old = partial.with_name(f"{folder.name}@old")
    rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    partial.rename(folder)
    rmtree(old, ignore_errors=True)


@contextmanager
def _lock(path: Path, name: str) -> Iterator[None]:
    """Let one process at a time download a model."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - start-up is a feature

    try:
        with FileLock(path, timeout=0):
            yield
    except Timeout as error:
        raise EmbeddingError(f"Another process is downloading {name}.", "Wait for it to finish.") from error
