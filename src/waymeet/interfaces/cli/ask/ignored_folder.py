"""Notice for a search in an ignored folder, whose files are not in the index."""

from pathlib import Path

import click

from waymeet.ingest.discover.ignore import find_ignore_rule
from waymeet.interfaces.cli import ROOT
from waymeet.project import Project


def describe_ignored_folder(project: Project) -> str:
    """Say which rule ignores the current folder, and how to search it.

    Empty if it is the project's root or not ignored, or if the project was chosen by an option.
    """
    context = click.get_current_context()
    if context.params.get("root") or context.meta.get(ROOT):
        return ""
    folder = Path.cwd().resolve()
    if folder == project.root or not folder.is_relative_to(project.root):
        return ""
    path = f"{folder.relative_to(project.root).as_posix()}/"
    ignored = find_ignore_rule(project.root, path, project.settings.ingest)
    if ignored is None:
        return ""
    return (
        f"The folder {path} is not indexed: ignored by {ignored.rule}. Results are from the rest of {project.root}. "
        f"To search this folder alone, add -C . to the command; to index it with the rest, {ignored.advice}."
    )
