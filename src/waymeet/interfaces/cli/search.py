"""`waymeet search`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    from_here,
    indexed,
    json_option,
    opened,
    print_json,
    print_lines,
    project_options,
    say,
    several,
)
from waymeet.interfaces.present import answer_lines, one_line
from waymeet.places import everything
from waymeet.project import Project
from waymeet.types import Answer, Filters, Query


@click.command(short_help="Ask the project a question.", context_settings={"ignore_unknown_options": False})
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Most results to show [default: 10].")
@click.option("--recipe", default=None, help="The ranking to use; `waymeet recipes` lists them [default: auto].")
@click.option("--mode", default="", help="A recipe's mode: hybrid, bm25_only or vec_only (of classic).")
@click.option("--in", "paths", multiple=True, metavar="PATH", help="Only below this folder or file. Repeatable.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(["docs", "code", "files"]), help="Only this kind. Repeatable."
)
@click.option("--type", "doc_types", multiple=True, help="Only documents of this type, such as spec. Repeatable.")
@click.option("--tag", "tags", multiple=True, help="Only documents with this tag. Repeatable.")
@click.option("--depth", type=click.IntRange(0, 10), help="How many links far to walk.")
@click.option("--link-type", "link_types", multiple=True, help="Walk only links of this type. Repeatable.")
@click.option("--linked", is_flag=True, help="Name the pages each result links to and is linked from.")
@click.option("--explain", is_flag=True, help="Show how every score came about.")
@click.option("--no-refresh", is_flag=True, help="Answer from the index without looking for changed files.")
@project_options
@json_option
def command(
    query: tuple[str, ...],
    limit: int | None,
    recipe: str | None,
    mode: str,
    paths: tuple[str, ...],
    kinds: tuple[str, ...],
    doc_types: tuple[str, ...],
    tags: tuple[str, ...],
    depth: int | None,
    link_types: tuple[str, ...],
    linked: bool,
    explain: bool,
    no_refresh: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask the project a question. The folder is indexed on first use.

    Words are looked for one by one; the more that fit, and the rarer, the better. "quoted phrases" must occur,
    -word rules out, prefix* stands for all words that begin so. A query that begins with a dash goes behind --.
    """
    with opened(root, index, flags) as project:
        _index_first(project)
        request = Query(
            text=" ".join(query),
            limit=limit or project.settings.shape.limit,
            recipe=recipe or ("classic" if mode else "auto"),
            mode=mode,
            filters=Filters(tuple(from_here(project.root, path) for path in paths), kinds, doc_types, tags),
            explain=explain,
            depth=depth,
            link_types=link_types,
            include_linked=linked,
        )
        answer = project.search(request, refresh=not no_refresh)
        if as_json:
            print_json(answer)
        else:
            print_lines(answer_lines(answer))
            if not answer.hits:
                say(_hint(project, request, answer), err=True)
    return 0 if answer.hits else 1


def _index_first(project: Project) -> None:
    """Index the project if that never happened, unless nobody can have meant it."""
    if project.indexed:
        return
    if everything(project.root):
        raise click.UsageError(
            f"{one_line(str(project.root))} is not a project and will not be indexed by itself.\n"
            "Go to a project's folder, or name it: waymeet index PATH"
        )
    report = indexed(project)
    say(f"Indexed {project.root}: {several(report.added, 'file')} in {report.seconds:.1f} s.", err=True)


def _hint(project: Project, request: Query, answer: Answer) -> str:
    """Say what to try when nothing was found."""
    if not project.counts().documents:
        return f"{project.root} has no readable text files, or all are ignored."
    if any(each.code == "no_words" for each in answer.degraded):
        return "Ask with at least one word that carries meaning."
    if answer.mode == "vec_only":
        return "Mode vec_only needs an embedding model; try without --mode."
    if request.filters != Filters() and not project.matching(request.filters):
        return "No indexed file passes these filters (--in, --kind, --type, --tag): check their spelling."
    return "Try other words, fewer filters, or `prefix*`."
