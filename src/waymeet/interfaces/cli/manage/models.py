"""`waymeet models`."""

import sys
from collections.abc import Iterator
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waymeet.errors import EmbeddingError
from waymeet.interfaces.cli.common import bars, json_option, open_project, print_json, print_lines, project_options, say
from waymeet.interfaces.cli.group import Group
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.render.text import Line, to_single_line
from waymeet.models.available import AvailableModel, format_megabytes, list_models
from waymeet.settings import Embedding, user_settings_file

if TYPE_CHECKING:
    from waymeet.models.files.hub import DownloadPlan

_EPILOG = manual(
    """
    waymeet models
    waymeet models get intfloat/multilingual-e5-small   fetch one, after asking
    waymeet models remove intfloat/multilingual-e5-small
    """,
    exits={0: "done", 3: "no model"},
    see="waymeet settings embedding, waymeet settings rerank",
    more="""\b
To use a fetched model, in your own settings file:
  [embedding]
  provider = "folder"
  model = "intfloat/multilingual-e5-small"
""",
)
_GET = manual(
    """
    waymeet models get BAAI/bge-small-en-v1.5 --dry-run   only say how large it is
    waymeet models get intfloat/multilingual-e5-small
    waymeet models get cross-encoder/ms-marco-MiniLM-L6-v2   a reranker
    waymeet models get minishlab/potion-base-8M --yes
    """,
    exits={0: "fetched", 3: "it cannot be had or used"},
    see="waymeet models, waymeet settings embedding",
)
_REMOVE = manual(
    """
    waymeet models remove intfloat/multilingual-e5-small
    """,
    exits={0: "deleted", 3: "there is no such model"},
    see="waymeet models",
)


@click.group(
    cls=Group,
    invoke_without_command=True,
    short_help="List the models that can be used here; fetch others.",
    epilog=_EPILOG,
)
@project_options
@json_option
@click.pass_context
def command(
    ctx: click.Context, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool
) -> int | None:
    """List the models that can be used here, and fetch others from a hub.

    Listing asks nobody: whether a key is set is all that is looked at for providers on the network.
    """
    if ctx.invoked_subcommand:
        return None
    with open_project(root, index, flags) as project:
        numbers = project.settings.embedding
    found = list_models(numbers, environ)
    if as_json:
        print_json({"provider": numbers.provider, "model": numbers.model, "models": found})
    else:
        print_lines(_lines(found, numbers))
    return 0


@command.command("get", short_help="Fetch a model from a hub, after asking.", epilog=_GET)
@click.argument("name")
@click.option("--revision", default="main", show_default=True, help="A branch, tag or commit of the model.")
@click.option("--yes", "-y", "agreed", is_flag=True, help="Fetch it without asking.")
@click.option("--dry-run", "only_plan", is_flag=True, help="Say what would be fetched, and fetch nothing.")
@project_options
@json_option
def get(
    name: str,
    revision: str,
    agreed: bool,
    only_plan: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Fetch the model NAME from the hub into your data folder, after saying how large it is and asking.

    Only safetensors and ONNX are fetched, never weights that could run code; every file is checked against the hub's
    list. A fetch that broke off goes on where it was.
    """
    from waymeet.models.files.hub import download, plan_download

    with open_project(root, index, flags) as project:
        hub = project.settings.embedding.hub
    plan = plan_download(name, hub, revision)
    if not as_json:
        print_lines(_plan_lines(plan))
    if only_plan:
        if as_json:
            print_json({**_plain(plan), "parts": plan.parts})
        return 0
    _runnable(plan)
    _agree(plan, agreed=agreed)
    with bars("Fetching") as (progress,):
        folder = download(plan, progress)
    tried = _tried(folder)
    if as_json:
        print_json({**_plain(plan), "folder": str(folder), **tried})
    else:
        say(f"Fetched to {folder} and tried: {_tried_line(tried)}.")
        print_lines(_use_lines(name, reranks=tried["kind"] == "reranker"))
    return 0


@command.command("remove", short_help="Delete a fetched model.", epilog=_REMOVE)
@click.argument("name")
@click.option("--yes", "-y", "agreed", is_flag=True, help="Delete it without asking.")
def remove(name: str, agreed: bool) -> int:
    """Delete the fetched model NAME; vectors that it made stay in the indexes and are not used any more."""
    from shutil import rmtree

    from waymeet.models.files.downloaded import model_path, read_downloaded

    folder = model_path(name)
    found = read_downloaded(folder)
    if found is None:
        raise EmbeddingError(f"There is no fetched model {name}.", "List them: waymeet models")
    if not agreed and not _asked(f"Delete {to_single_line(name)} ({format_megabytes(found.size)})?"):
        raise click.UsageError("Nothing was deleted. Agree with --yes.")
    rmtree(folder)
    say(f"Deleted {folder}.")
    return 0


def _runnable(plan: "DownloadPlan") -> None:
    """Make sure that the model can be run before anything is fetched."""
    from importlib.util import find_spec

    needed = {"tokenizers": "models"} | (
        {"onnxruntime": "onnx"} if any(each.path.endswith(".onnx") for each in plan.parts) else {}
    )
    for package, extra in needed.items():
        if find_spec(package) is None:
            raise EmbeddingError(f"{plan.name} needs the package {package}.", f"pip install 'waymeet[{extra}]'")


def _agree(plan: "DownloadPlan", *, agreed: bool) -> None:
    from waymeet.models.files.downloaded import model_path, read_downloaded

    found = read_downloaded(model_path(plan.name))
    here = found is not None and found.revision == plan.revision
    if not (agreed or here) and not _asked(f"Fetch {format_megabytes(plan.size)}?"):
        raise click.UsageError("Nothing was fetched. Agree with --yes.")


def _asked(question: str) -> bool:
    """Ask, if somebody is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty() and click.confirm(question, err=True)


def _plain(plan: "DownloadPlan") -> dict[str, object]:
    return {
        "name": plan.name,
        "revision": plan.revision,
        "source": plan.source,
        "licence": plan.licence,
        "size": plan.size,
    }


def _plan_lines(plan: "DownloadPlan") -> Iterator[Line]:
    yield [(plan.name, "bold cyan"), (f"  {format_megabytes(plan.size)}", "bold")]
    yield [("  from      ", "dim"), (plan.source, "")]
    yield [("  revision  ", "dim"), (plan.revision, "")]
    yield [("  licence   ", "dim"), (plan.licence or "not stated", "")]
    for part in sorted(plan.parts, key=lambda each: -each.size):
        if part.size >= 1_000_000:
            yield [("  file      ", "dim"), (f"{part.path}  {format_megabytes(part.size)}", "")]


def _tried(folder: Path) -> dict[str, object]:
    """Use a model once, so that one that cannot be used is noticed now."""
    from waymeet.models.files.model_folder import describe_folder

    described = describe_folder(folder)
    if described.config.reranks:
        from waymeet.models.rerank.cross_encoder import LocalReranker

        LocalReranker(folder).score("where is the key", ["under the mat"])
        return {"kind": "reranker"}
    from waymeet.models.local.folder_embedder import open_folder

    embedder = open_folder(folder)
    embedder.embed_query("where is the key")
    return {"kind": "embedder", "dimension": embedder.dimension, "space": embedder.space}


def _tried_line(tried: dict[str, object]) -> str:
    return "it scores texts" if tried["kind"] == "reranker" else f"it gives vectors of {tried['dimension']} numbers"


def _use_lines(name: str, *, reranks: bool) -> Iterator[Line]:
    section, provider = ("rerank", "local") if reranks else ("embedding", "folder")
    yield [("To use it, put into ", "dim"), (str(user_settings_file()), "")]
    yield [(f"  [{section}]", "cyan")]
    yield [(f'  provider = "{provider}"', "cyan")]
    yield [(f'  model = "{name}"', "cyan")]


def _lines(found: list[AvailableModel], numbers: Embedding) -> Iterator[Line]:
    titles = {
        "packaged": "On this machine, from packages",
        "fetched": "On this machine, fetched",
        "network": "On the network: texts are sent there, but only if you choose it",
    }
    wide = max(len(each.name) for each in found) + 2
    for kind, title in titles.items():
        rows = [each for each in found if each.kind == kind]
        if rows:
            yield [(title, "bold")]
        for each in rows:
            mark = "* " if each.is_chosen else "  "
            state = (f"  ({each.state})", "green" if each.is_ready else "yellow")
            yield [(mark, "bold"), (f"{each.name:<{wide}}", "cyan"), (each.about, ""), state]
    model = f", embedding.model = {numbers.model}" if numbers.model else ""
    yield [(f"embedding.provider = {numbers.provider}{model}", "dim")]
