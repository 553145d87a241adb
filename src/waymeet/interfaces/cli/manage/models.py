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
    waymeet models get intfloat/multilingual-e5-small   download a model
    waymeet models remove intfloat/multilingual-e5-small
    """,
    exits={0: "done", 3: "no model"},
    see="waymeet settings embedding, waymeet settings rerank",
    more="""\b
To use a downloaded model, in your own settings file:
  [embedding]
  provider = "folder"
  model = "intfloat/multilingual-e5-small"
""",
)
_GET = manual(
    """
    waymeet models get BAAI/bge-small-en-v1.5 --dry-run   only show its size
    waymeet models get intfloat/multilingual-e5-small
    waymeet models get cross-encoder/ms-marco-MiniLM-L6-v2   a reranker
    waymeet models get minishlab/potion-base-8M --yes
    """,
    exits={0: "downloaded", 3: "not available, or not usable"},
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
    epilog=_EPILOG,
)
@project_options
@json_option
@click.pass_context
def command(
    ctx: click.Context, root: Path | None, index: Path | None, flags: tuple[str, ...], as_json: bool
) -> int | None:
    """List the available models, or download others from a hub.

    Listing sends no requests: providers on the network are available if their key is set.
    """
    if ctx.invoked_subcommand:
        return None
    with open_project(root, index, flags) as project:
        settings = project.settings.embedding
    models = list_models(settings, environ)
    if as_json:
        print_json({"provider": settings.provider, "model": settings.model, "models": models})
    else:
        print_lines(_lines(models, settings))
    return 0


@command.command("get", short_help="Download a model from a hub.", epilog=_GET)
@click.argument("name")
@click.option("--revision", default="main", show_default=True, help="Branch, tag or commit of the model.")
@click.option("--yes", "-y", "agreed", is_flag=True, help="Do not ask.")
@click.option("--dry-run", "only_plan", is_flag=True, help="Show the files without downloading them.")
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
    """Download the model NAME from the hub to your data folder, after confirmation.

    Only safetensors and ONNX files are downloaded, no formats that can run code. Checksums are verified. An
    interrupted download is resumed.
    """
    from waymeet.models.files.hub import download, plan_download

    with open_project(root, index, flags) as project:
        hub, terminal = project.settings.embedding.hub, project.settings.terminal
    plan = plan_download(name, hub, revision)
    if not as_json:
        print_lines(_plan_lines(plan))
    if only_plan:
        if as_json:
            print_json({**_to_json(plan), "parts": plan.parts})
        return 0
    _check_packages(plan)
    _confirm_download(plan, agreed=agreed)
    with bars(terminal, "Downloading") as (progress,):
        folder = download(plan, progress)
    result = _test_model(folder)
    if as_json:
        print_json({**_to_json(plan), "folder": str(folder), **result})
    else:
        say(f"Downloaded to {folder} and tested: {_describe_test(result)}.")
        print_lines(_use_lines(name, reranks=result["kind"] == "reranker"))
    return 0


@command.command("remove", short_help="Delete a downloaded model.", epilog=_REMOVE)
@click.argument("name")
@click.option("--yes", "-y", "agreed", is_flag=True, help="Do not ask.")
def remove(name: str, agreed: bool) -> int:
    """Delete the downloaded model NAME. Its vectors stay in the indexes, unused."""
    from shutil import rmtree

    from waymeet.models.files.downloaded import model_path, read_downloaded

    folder = model_path(name)
    downloaded = read_downloaded(folder)
    if downloaded is None:
        raise EmbeddingError(f"No downloaded model is named {name}.", "To list them: waymeet models")
    if not agreed and not _confirm(f"Delete {to_single_line(name)} ({format_megabytes(downloaded.size)})?"):
        raise click.UsageError("Nothing was deleted. Confirm with --yes.")
    rmtree(folder)
    say(f"Deleted {folder}.")
    return 0


def _check_packages(plan: "DownloadPlan") -> None:
    """Check that the packages which run the model are installed, before it is downloaded."""
    from importlib.util import find_spec

    needed = {"tokenizers": "models"} | (
        {"onnxruntime": "onnx"} if any(part.path.endswith(".onnx") for part in plan.parts) else {}
    )
    for package, extra in needed.items():
        if find_spec(package) is None:
            raise EmbeddingError(f"{plan.name} needs the package {package}.", f"pip install 'waymeet[{extra}]'")


def _confirm_download(plan: "DownloadPlan", *, agreed: bool) -> None:
    from waymeet.models.files.downloaded import model_path, read_downloaded

    downloaded = read_downloaded(model_path(plan.name))
    is_current = downloaded is not None and downloaded.revision == plan.revision
    if not (agreed or is_current) and not _confirm(f"Download {format_megabytes(plan.size)}?"):
        raise click.UsageError("Nothing was downloaded. Confirm with --yes.")


def _confirm(question: str) -> bool:
    """Ask on a terminal. Elsewhere the answer is no."""
    return sys.stdin.isatty() and sys.stderr.isatty() and click.confirm(question, err=True)


def _to_json(plan: "DownloadPlan") -> dict[str, object]:
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
    for part in sorted(plan.parts, key=lambda part: -part.size):
        if part.size >= 1_000_000:
            yield [("  file      ", "dim"), (f"{part.path}  {format_megabytes(part.size)}", "")]


def _test_model(folder: Path) -> dict[str, object]:
    """Run the model once, to detect an unusable one."""
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


def _describe_test(result: dict[str, object]) -> str:
    return "a reranker" if result["kind"] == "reranker" else f"an embedder of {result['dimension']} dimensions"


def _use_lines(name: str, *, reranks: bool) -> Iterator[Line]:
    section, provider = ("rerank", "local") if reranks else ("embedding", "folder")
    yield [("To use it, add to ", "dim"), (str(user_settings_file()), "")]
    yield [(f"  [{section}]", "cyan")]
    yield [(f'  provider = "{provider}"', "cyan")]
    yield [(f'  model = "{name}"', "cyan")]


def _lines(models: list[AvailableModel], settings: Embedding) -> Iterator[Line]:
    titles = {
        "packaged": "On this machine, from packages",
        "fetched": "On this machine, downloaded",
        "network": "On the network (if you choose one, texts are sent to it)",
    }
    width = max(len(model.name) for model in models) + 2
    for kind, title in titles.items():
        group = [model for model in models if model.kind == kind]
        if group:
            yield [(title, "bold")]
        for model in group:
            mark = "* " if model.is_chosen else "  "
            state = (f"  ({model.state})", "green" if model.is_ready else "yellow")
            yield [(mark, "bold"), (f"{model.name:<{width}}", "cyan"), (model.about, ""), state]
    name = f", embedding.model = {settings.model}" if settings.model else ""
    yield [(f"embedding.provider = {settings.provider}{name}", "dim")]
