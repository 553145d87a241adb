"""Fetching a model from a hub, after somebody agreed: what it would be, where it comes from, how large it is.

Only files that hold data are fetched, safetensors or ONNX; weights that come as pickles could run code and are refused.
Every file is checked against the size and the hash that the hub lists for it. A fetch that breaks off goes on where it
was, and a model is seen only when it is whole.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from msgspec import Struct

from waymeet.errors import EmbeddingError
from waymeet.models.files.downloaded import place
from waymeet.models.files.model_folder import FAMILIES
from waymeet.models.remote.http import Clock, Manners, Refused, get, guarded

T = TypeVar("T")

_BESIDE = re.compile(
    r"config\.json|tokenizer\.json|tokenizer_config\.json|special_tokens_map\.json|modules\.json|README\.md"
    r"|sentence_bert_config\.json|config_sentence_transformers\.json|\d_[A-Za-z]+/config\.json|(LICENSE|NOTICE)[\w.]*"
)
_SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
_GRAPHS = (("onnx/model.onnx", "onnx/model.onnx_data"), ("model.onnx", "model.onnx_data"))
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
_STATIC = "model2vec"
_MANNERS = Manners(seconds=30.0, tries=4, most_bytes=16 << 20)
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


class Plan(Struct, frozen=True):
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


def planned(name: str, hub: str, revision: str = "main", clock: Clock = _CLOCK) -> Plan:
    """Ask a hub what a model is made of, and choose the files that are needed; nothing is kept.

    Raises:
        EmbeddingError: there is no such model, or none that can be used here.
    """
    place(name)
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
    plan = Plan(name, about.sha, f"{hub}/{name}", licence, ())
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
        return msgspec.json.decode(get(url, _MANNERS, clock), type=kind)
    except Refused as refused:
        if refused.status in {401, 403, 404}:  # hubs do not tell what they hide from what they do not have
            raise EmbeddingError(
                f"There is no public model {name} (HTTP {refused.status}).", "Check its name and revision."
            ) from None
        raise EmbeddingError(
            f"The hub answers with an error (HTTP {refused.status}): {refused.told}", "Try later."
        ) from None
    except (ValueError, msgspec.MsgspecError) as error:
        raise EmbeddingError(f"The hub sent an answer that cannot be used: {error}.", "Check embedding.hub.") from error
