"""Bringing the files of a planned model onto this machine: resumed, checked, and seen only when all are there."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha1, sha256
from pathlib import Path
from shutil import disk_usage, rmtree
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.files.downloaded import NOTE, DownloadedModel, model_path, models_folder, read_downloaded
from waymeet.models.files.model_folder import FAMILIES
from waymeet.models.remote.http import Clock, HttpStatusError, RetryPolicy, exchange, get, guarded, onward, patiently
from waymeet.ports import Progress

if TYPE_CHECKING:
    from http.client import HTTPResponse


T = TypeVar("T")

_BESIDE = re.compile(
    r"config\.json|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|modules\.json|README\.md"
    r"|sentence_bert_config\.json|config_sentence_transformers\.json|\d_[A-Za-z]+/config\.json|(LICENSE|NOTICE)[\w.]*"
)
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_GRAPHS = (("onnx/model.onnx", "onnx/model.onnx_data"), ("model.onnx", "model.onnx_data"))
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
_STATIC = "model2vec"
_PLAN_MANNERS = RetryPolicy(seconds=30.0, tries=4, most_bytes=16 << 20)
_CLOCK = Clock()


class _Large(Struct, frozen=True):
    oid: str
    size: int


class _Entry(Struct, frozen=True):
    type: str
    path: str
    size: int = 0
    oid: str = ""
    lfs: _Large | None = None


class _About(Struct, frozen=True):
    sha: str
    gated: bool | str = False
    tags: tuple[str, ...] = ()


class Part(Struct, frozen=True):
    """One file of a model."""

    path: str
    size: int
    sha256: str = ""
    """Of what it holds, if the hub says so."""
    blob: str = ""
    """Its hash as git makes it, if the hub says that instead."""


class DownloadPlan(Struct, frozen=True):
    """What fetching a model would mean."""

    name: str
    revision: str
    """The commit; what a branch holds may change, this does not."""
    source: str
    licence: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Add up the bytes."""
        return sum(each.size for each in self.parts)

    def address(self, part: Part) -> str:
        """Say where a file is to be had."""
        return f"{self.source}/resolve/{self.revision}/{quote(part.path)}"


def plan_download(name: str, hub: str, revision: str = "main", clock: Clock = _CLOCK) -> DownloadPlan:
    """Ask a hub what a model is made of, and choose the files that are needed; nothing is kept.

    Raises:
        EmbeddingError: there is no such model, or none that can be used here.
    """
    model_path(name)
    hub = hub.rstrip("/")
    if not guarded(hub) or urlsplit(hub).query:
        raise EmbeddingError(f"{hub} is not an address to fetch models from.", "embedding.hub begins with https://.")
    about = _told(f"{hub}/api/models/{name}/revision/{quote(revision, safe='')}", _About, name, clock)
    if about.gated:
        raise EmbeddingError(
            f"{name} is given only to those who signed for it.",
            "Fetch it yourself and give its folder as embedding.model.",
        )
    listed = _told(f"{hub}/api/models/{name}/tree/{about.sha}?recursive=true", list[_Entry], name, clock)
    files = {each.path: _part(each) for each in listed if each.type == "file"}
    licence = next((each.partition(":")[2] for each in about.tags if each.startswith("license:")), "")
    plan = DownloadPlan(name, about.sha, f"{hub}/{name}", licence, ())
    for needed in ("config.json", "tokenizer.json"):
        if needed not in files:
            raise EmbeddingError(f"{name} has no {needed}, without which it cannot be used.", "Choose another model.")
    family = _told(plan.address(files["config.json"]), dict[str, Any], name, clock).get("model_type", "")
    chosen = [*_weights(name, str(family), files), *(path for path in files if _BESIDE.fullmatch(path))]
    return msgspec.structs.replace(plan, parts=tuple(files[path] for path in chosen))


def _weights(name: str, family: str, files: dict[str, Part]) -> Sequence[str]:
    """Choose the weights: safetensors where we can run them, else a graph."""
    whole = ["model.safetensors"] if "model.safetensors" in files else sorted(filter(_SHARD.fullmatch, files))
    graph = next(([path for path in paths if path in files] for paths in _GRAPHS if paths[0] in files), [])
    if whole and (family in FAMILIES or family == _STATIC):
        return whole
    if graph:
        return graph
    if whole:
        raise EmbeddingError(
            f"{name} is a model of type {family or 'unknown'!r}, which cannot be run without an ONNX graph.",
            f"Choose one of {', '.join(sorted(FAMILIES))} or {_STATIC}, or one that comes with onnx/model.onnx.",
        )
    pickled = next((path for path in sorted(files) if path.endswith(_PICKLES)), "")
    said = f"only as {pickled}, which could run code" if pickled else "without weights"
    raise EmbeddingError(f"{name} comes {said}: it is not fetched.", "Choose one with safetensors or ONNX.")


def _part(entry: _Entry) -> Part:
    if entry.lfs is not None:
        return Part(entry.path, entry.lfs.size, sha256=entry.lfs.oid.removeprefix("sha256:"))
    return Part(entry.path, entry.size, blob=entry.oid)


def _told(url: str, kind: type[T], name: str, clock: Clock) -> T:
    """Ask the hub something and read its answer."""
    try:
        return msgspec.json.decode(get(url, _PLAN_MANNERS, clock), type=kind)
    except HttpStatusError as refused:
        if refused.status in {401, 403, 404}:  # hubs do not tell what they hide from what they do not have
            raise EmbeddingError(
                f"There is no public model {name} (HTTP {refused.status}).", "Check its name and revision."
            ) from None
        raise EmbeddingError(
            f"The hub answers with an error (HTTP {refused.status}): {refused.told}", "Try later."
        ) from None
    except (ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"The hub sent an answer that cannot be used: {error}.", "Check embedding.hub.") from error


_MANNERS = RetryPolicy(seconds=60.0, tries=6)
_PART = 1 << 18
_SPARE = 64 << 20
"""Bytes of the disk that are left alone."""


def download(
    plan: DownloadPlan, progress: Progress | None = None, manners: RetryPolicy = _MANNERS, clock: Clock = _CLOCK
) -> Path:
    """Fetch a model, or go on with it, and give its folder.

    Raises:
        EmbeddingError: a file cannot be had, is not what was listed, or does not fit on the disk.
    """
    final = model_path(plan.name)
    found = read_downloaded(final)
    if found and found.revision == plan.revision:
        return final
    waiting = models_folder() / ".fetching"
    folder = waiting / f"{final.name}@{plan.revision[:16]}"
    try:
        waiting.mkdir(parents=True, exist_ok=True)
        with _alone(waiting / f"{final.name}.lock", plan.name):
            _room(plan, folder)
            _all(plan, folder, progress, manners, clock)
            _swap(folder, final, plan)
    except OSError as error:
        raise EmbeddingError(
            f"{plan.name} cannot be kept: {error.strerror or error}.", "Make room, and run it again: what came is kept."
        ) from error
    return final


def _all(plan: DownloadPlan, folder: Path, progress: Progress | None, manners: RetryPolicy, clock: Clock) -> None:
    done = 0
    for part in plan.parts:
        path, before = folder / part.path, done

        def shown(held: int, before: int = before, name: str = part.path) -> None:
            if progress:
                progress(before + held, plan.size, name)

        path.parent.mkdir(parents=True, exist_ok=True)
        if not _right(path, part):
            _file(plan, part, path, _Way(plan.address(part), manners, clock, shown))
        done += part.size
        shown(part.size)


class _Way:
    """How a file comes here: from where, with how much patience, and who is told how far it is."""

    def __init__(self, url: str, manners: RetryPolicy, clock: Clock, shown: Callable[[int], None]) -> None:
        self.url = url
        self.manners = manners
        self.clock = clock
        self.shown = shown

    def bring(self, path: Path, size: int) -> None:
        """Bring a file, or the rest of it."""
        patiently(self.url, lambda _: self._once(path, size), self.manners, self.clock)

    def _once(self, path: Path, size: int) -> None:
        have = path.stat().st_size if path.is_file() else 0
        have = have if have < size else 0
        headers = {"Range": f"bytes={have}-"} if have else {}

        def take(answer: "HTTPResponse") -> None:
            goes_on = answer.status == 206 and (answer.headers.get("Content-Range") or "").startswith(f"bytes {have}-")
            self._take(answer, path, have if goes_on else 0, size)

        exchange(self.url, headers, None, take, self.manners, clock=self.clock, follow=onward(self.url))

    def _take(self, answer: "HTTPResponse", path: Path, have: int, size: int) -> None:
        with path.open("ab" if have else "wb") as file:
            while held := answer.read1(_PART):
                have += len(held)
                if have > size:
                    raise EmbeddingError(f"{path.name} is longer than the hub lists.", "Do not use this model.")
                _write(file.write, held, path)
                self.shown(have)
            os.fsync(file.fileno())
        if have < size:
            raise ConnectionError(f"{path.name} broke off after {have:,} of {size:,} bytes")  # tried again from there


def _write(write: Callable[[bytes], object], held: bytes, path: Path) -> None:
    """Write to the disk; what goes wrong here is not the line's fault and not tried again."""
    try:
        write(held)
    except OSError as error:
        raise EmbeddingError(f"{path} cannot be written: {error.strerror}.", "Make room, and run it again.") from error


def _file(plan: DownloadPlan, part: Part, path: Path, way: _Way) -> None:
    """Fetch one file, going on where it was; one that is not what was listed is thrown away."""
    try:
        way.bring(path, part.size)
    except HttpStatusError as refused:
        raise EmbeddingError(
            f"{part.path} of {plan.name} cannot be had (HTTP {refused.status}).", "Try later: what came is kept."
        ) from None
    if not _right(path, part):
        path.unlink()
        raise EmbeddingError(
            f"{part.path} of {plan.name} is not what the hub lists: its hash differs.",
            "Run it again; if that does not help, do not use this model.",
        )


def _right(path: Path, part: Part) -> bool:
    """Tell whether a file is what was listed; one without any hash is known by its size alone."""
    if not path.is_file() or path.stat().st_size != part.size:
        return False
    if not (part.sha256 or part.blob):
        return True
    digest = sha256() if part.sha256 else sha1(f"blob {part.size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while held := file.read(_PART):
            digest.update(held)
    return digest.hexdigest() == (part.sha256 or part.blob)


def _room(plan: DownloadPlan, folder: Path) -> None:
    """Make sure that the disk can take the rest of it."""
    have = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
    free = disk_usage(models_folder()).free
    if plan.size - have + _SPARE > free:
        raise EmbeddingError(
            f"{plan.name} needs {(plan.size - have) / 1e6:,.0f} MB, and {models_folder()} has room for "
            f"{max(free - _SPARE, 0) / 1e6:,.0f} MB.",
            "Make room, or choose a smaller model.",
        )


def _swap(folder: Path, final: Path, plan: DownloadPlan) -> None:
    """Put a whole model into its place in one step; another revision that was there makes room for it."""
    note = DownloadedModel(plan.name, plan.revision, plan.source, plan.licence, plan.size)
    (folder / NOTE).write_bytes(msgspec.json.encode(note))
    old = folder.with_name(f"{final.name}@old")
    rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    folder.rename(final)
    rmtree(old, ignore_errors=True)


@contextmanager
def _alone(lock: Path, name: str) -> Iterator[None]:
    """Let one process at a time fetch a model."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - start-up is a feature

    try:
        with FileLock(lock, timeout=0):
            yield
    except Timeout as error:
        raise EmbeddingError(f"Another process is fetching {name}.", "Wait for it to finish.") from error
