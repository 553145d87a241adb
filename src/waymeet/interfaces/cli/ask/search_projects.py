"""`waymeet search --all` and `--in-project`: search several projects."""

from collections.abc import Iterable
from pathlib import Path

import click
from msgspec.structs import replace

from waymeet.interfaces.cli.common import print_degraded, print_json, print_json_line, print_lines, say
from waymeet.interfaces.cli.output_format import print_files, print_text
from waymeet.interfaces.cli.slow_notice import say_if_slow
from waymeet.interfaces.daemon.client import query_daemon
from waymeet.interfaces.render.text import render_answer
from waymeet.interfaces.requests.operations.search import SearchAnswer, SearchRequest, answer_search
from waymeet.project import Project
from waymeet.project.registered.projects import Projects
from waymeet.project.registered.registry import ALL, choose_projects, find_project, split_project_name
from waymeet.recipes import check_mode
from waymeet.types import Answer, Hit


def choose_names(in_projects: Iterable[str], *, is_all: bool) -> tuple[str, ...]:
    """List the names of the projects to search, empty for the current one.

    >>> choose_names(["api, wiki", "tea"], is_all=False), choose_names([], is_all=True)
    (('api', 'wiki', 'tea'), ('*',))
    """
    names = tuple(name for option in in_projects for part in option.split(",") if (name := part.strip()))
    if is_all and names:
        raise click.UsageError("--all and --in-project exclude each other.")
    return (ALL,) if is_all else names


def check_options(names: tuple[str, ...], **given: object) -> None:
    """Refuse options that are about one project, if several are named."""
    for name, value in given.items():
        if names and value:
            raise click.UsageError(f"{name} is about one project; leave it out, or leave out --all and --in-project.")


def print_answer(project: Project, request: SearchRequest, form: str, *, opens: bool, summarise: bool) -> int:
    """Search several projects, print or open the result, and return the exit code."""
    check_mode(project.recipe(request.recipe or "auto"), request.mode, project.settings.recipes)
    entries = choose_projects(request.projects)  # a wrong name is an error before anything is loaded
    answer = _answer(project, request, len(entries))
    is_found = bool(answer.hits) and (answer.has_word_match or not answer.low_relevance)
    if opens and is_found:
        return _open_first(answer.hits[0])
    _print(form, answer, project, summarise=summarise)
    if not is_found and form != "json":
        searched = f"{len(entries)} projects" if len(entries) > 1 else entries[0].name
        say(f"Nothing was found in {searched}. Try other words. List the projects: waymeet projects", err=True)
    return 0 if is_found else 1


def _answer(project: Project, request: SearchRequest, number: int) -> Answer:
    """Answer by the daemon of the current project if one runs, else in this process."""
    answer: Answer | None = query_daemon(project, "search", request, SearchAnswer)
    if answer is None:
        with Projects(flags=project.flags, own=[project] if project.is_indexed else []) as others:
            project.others = others
            with say_if_slow(f"Searching {number} projects …", project.settings.terminal):
                answer = answer_search(project, request)
            project.others = None
    fields = {name: getattr(answer, name) for name in Answer.__struct_fields__}
    return Answer(**fields)


def _open_first(hit: Hit) -> int:
    """Open the first result in the editor."""
    from waymeet.interfaces.cli.ask.editor import open_hit

    entry = find_project(choose_projects([hit.project]), hit.project)
    with Project.open(entry.root, index=Path(entry.index) if entry.index else None) as project:
        return open_hit(project, replace(hit, id=_plain(hit.id), document=_plain(hit.document)))


def _plain(id_: str) -> str:
    return split_project_name(id_)[1]


def _print(form: str, answer: Answer, project: Project, *, summarise: bool) -> None:
    if form == "json":
        print_json(answer)
    elif form == "md":
        from waymeet.interfaces.render.markdown import answer_markdown

        print_text(answer_markdown(answer))
    elif form == "text":
        print_lines(render_answer(answer, summarise=summarise))
    elif form == "jsonl":
        for hit in answer.hits:
            print_json_line(hit)
        _print_remarks(answer)
    else:
        roots = {
            entry.name: Path(entry.root) for entry in choose_projects({hit.project for hit in answer.hits} or [ALL])
        }
        print_files((str(roots[hit.project] / _plain(hit.document)) for hit in answer.hits), project)
        _print_remarks(answer)


def _print_remarks(answer: Answer) -> None:
    for note in answer.notes:
        say(f"note: {note}", err=True)
    print_degraded(answer.degraded)
