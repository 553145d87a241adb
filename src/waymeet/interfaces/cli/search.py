"""`waymeet search`."""

from pathlib import Path

import click

from waymeet.interfaces.cli.common import (
    from_here,
    index_first,
    json_option,
    opened,
    print_json,
    print_lines,
    project_options,
    say,
)
from waymeet.interfaces.present import answer_lines, one_line
from waymeet.project import Project
from waymeet.types import Answer, Filters, Query, Variant

_EPILOG = """\b
Examples:
  waymeet search how are sessions renewed
  waymeet search retry policy --type adr --property status=accepted
  waymeet search 在庫 --property lang=ja
  waymeet search rotate keys --lang python --in src
  waymeet search "rotate keys kind:code path:src/ after:2025-06"
"""


@click.command(
    short_help="Ask the project a question.", epilog=_EPILOG, context_settings={"ignore_unknown_options": False}
)
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Most results to show [default: 10].")
@click.option("--recipe", default=None, help="The ranking to use; `waymeet recipes` lists them [default: auto].")
@click.option("--mode", default="", help="A recipe's mode: hybrid, bm25_only or vec_only (of classic).")
@click.option("--in", "paths", multiple=True, metavar="PATH", help="Only below this folder or file. Repeatable.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["docs", "code", "notes", "tasks", "skills", "files", "folders"]),
    help="Only this kind. Repeatable.",
)
@click.option("--type", "doc_types", multiple=True, help="Only documents of this type, such as spec. Repeatable.")
@click.option("--tag", "tags", multiple=True, help="Only documents with this tag. Repeatable.")
@click.option("--lang", "languages", multiple=True, help="Only files in this language, such as python. Repeatable.")
@click.option("--namespace", "namespaces", multiple=True, help="Only this package or extra folder. Repeatable.")
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only documents whose front matter says so, such as tier=critical or lang=ja. Repeatable.",
)
@click.option("--depth", type=click.IntRange(0, 10), help="How many links far to walk.")
@click.option("--link-type", "link_types", multiple=True, help="Walk only links of this type. Repeatable.")
@click.option("--no-graph", is_flag=True, help="Do not follow links: the same as --depth 0.")
@click.option("--intent", default="", help="What you are up to, such as fix_bug (of memory) [default: by the words].")
@click.option("--no-expand", is_flag=True, help="Do not ask a model for other wordings (of deep).")
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="lex:…|vec:…|hyde:…",
    help="Your own other wording, for words, for meaning, or as a passage that would answer (of deep). Repeatable.",
)
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
    languages: tuple[str, ...],
    namespaces: tuple[str, ...],
    properties: tuple[str, ...],
    depth: int | None,
    link_types: tuple[str, ...],
    no_graph: bool,
    intent: str,
    no_expand: bool,
    variants: tuple[str, ...],
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
    Filters can stand in the query: kind:code path:src/ tag:x type:spec lang:python ns:billing after:2025-06
    before:2026-01-01 and, for properties that documents have, key:value. Misspelt words are repaired, and it says so.
    """
    with opened(root, index, flags) as project:
        index_first(project)
        request = Query(
            text=" ".join(query),
            limit=limit or project.settings.shape.limit,
            recipe=recipe or ("classic" if mode else "auto"),
            mode=mode,
            filters=Filters(
                paths=tuple(from_here(project.root, path) for path in paths),
                kinds=kinds,
                doc_types=tuple(map(_doc_type, doc_types)),
                tags=tags,
                languages=tuple(map(str.lower, languages)),
                namespaces=namespaces,
                properties=tuple(map(_pair, properties)),
            ),
            explain=explain,
            depth=0 if no_graph else depth,
            link_types=link_types,
            intent=_intent(intent),
            variants=tuple(map(_variant, variants)),
            expand=not no_expand,
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


def _doc_type(written: str) -> str:
    """Spell a type as documents do: `ADR` is a decision_record."""
    from waymeet.analysis.doctypes import stated

    return stated(written)


def _intent(written: str) -> str:
    """Refuse an intent that does not exist."""
    if not written:
        return ""
    from waymeet.analysis.intent import CLUES

    if written not in CLUES:
        raise click.UsageError(f"--intent {one_line(written)} is none of {', '.join(CLUES)}.")
    return written


def _variant(written: str) -> Variant:
    """Read another wording and what it is for."""
    for kind in ("lex", "vec", "hyde"):
        text = written.removeprefix(f"{kind}:").strip()
        if written.startswith(f"{kind}:") and text:
            return Variant(text, kind)
    raise click.UsageError(f"--variant {one_line(written)} is not of the form lex:TEXT, vec:TEXT or hyde:TEXT.")


def _pair(written: str) -> tuple[str, str]:
    """Part a property into its key and its value."""
    key, equals, value = written.partition("=")
    if not equals or not key.strip():
        raise click.UsageError(f"--property {one_line(written)} is not of the form KEY=VALUE.")
    return key.strip(), value.strip()


def _hint(project: Project, request: Query, answer: Answer) -> str:
    """Say what to try when nothing was found."""
    if not project.counts().documents:
        return f"{project.root} has no readable text files, or all are ignored."
    if any(each.code == "no_words" for each in answer.degraded):
        return "Ask with at least one word that carries meaning."
    if answer.mode == "vec_only":
        return "Mode vec_only needs an embedding model; try without --mode."
    if request.filters != Filters() and not project.matching(request.filters):
        return "No indexed file passes these filters (--in, --kind, --type, --tag and so on): check their spelling."
    return "Try other words, fewer filters, or `prefix*`."
