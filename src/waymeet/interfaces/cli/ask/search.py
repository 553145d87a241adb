"""`waymeet search`."""

import re
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import click
from msgspec.structs import replace

from waymeet.interfaces.cli.common import (
    from_here,
    index_first,
    opened,
    print_json,
    print_lines,
    project_options,
    say,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing, print_text
from waymeet.interfaces.cli.shell_complete import documents, namespaces, recipes
from waymeet.interfaces.daemon import client as daemon
from waymeet.interfaces.render.text import render_answer, to_single_line
from waymeet.interfaces.requests.missing_vectors import embed_missing
from waymeet.interfaces.requests.operations.search import SearchRequest, to_query
from waymeet.project import Project
from waymeet.search.understand.inline_filters import KINDS
from waymeet.types import Answer, Filters, Query

_EPILOG = manual(
    """
    waymeet search how are sessions renewed
    waymeet search retry policy --type adr --property status=accepted
    waymeet search 在庫 --property lang=ja
    waymeet search "rotate keys kind:code path:src/ after:2025-06"
    waymeet search getUserById -n 3 --explain       how scores came about
    waymeet search retry --format files | xargs grep -n retry
    pytest 2>&1 | waymeet search -                  what a stack trace is about
    git diff | waymeet search - --kind docs         pages that speak of what changed
    """,
    exits={0: "found", 1: "nothing found"},
    see="waymeet why-not, waymeet read, waymeet recipes",
)
_GLANCE = 300
"""Characters of a pasted text that a first look goes by."""
_MANY = 300
"""Files from which on a first look is welcome; where a model has to be loaded, it always is."""


@click.command(short_help="Ask the project a question; - reads a stack trace or a diff.", epilog=_EPILOG)
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Most results to show [default: 10].")
@click.option(
    "--recipe",
    default="",
    shell_complete=recipes,
    help="The ranking to use; `waymeet recipes` lists them [default: auto].",
)
@click.option("--mode", default="", help="A recipe's mode: hybrid, bm25_only or vec_only (of classic).")
@click.option(
    "--in",
    "paths",
    multiple=True,
    metavar="PATH",
    shell_complete=documents,
    help="Only below this folder or file. Repeatable.",
)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind. Repeatable.")
@click.option("--type", "doc_types", multiple=True, help="Only documents of this type, such as spec. Repeatable.")
@click.option("--tag", "tags", multiple=True, help="Only documents with this tag. Repeatable.")
@click.option("--lang", "languages", multiple=True, help="Only files in this language, such as python. Repeatable.")
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    shell_complete=namespaces,
    help="Only this package or extra folder. Repeatable.",
)
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
@click.option(
    "--linked", "include_linked", is_flag=True, help="Name the pages each result links to and is linked from."
)
@click.option("--explain", is_flag=True, help="Show how every score came about.")
@click.option("--no-refresh", is_flag=True, help="Answer from the index without looking for changed files.")
@project_options
@format_option()
def command(
    query: tuple[str, ...],
    form: str,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    no_refresh: bool,
    **asked: Any,  # noqa: ANN401 - the options that have the names of a request's fields
) -> int:
    """Ask the project a question. The folder is indexed on first use.

    Words are looked for one by one; the more that fit, and the rarer, the better. "quoted phrases" must occur
    (in a whole question they need not), -word rules out, prefix* stands for all words that begin so.
    A query that begins with a dash goes behind --.
    Filters can stand in the query: kind:code path:src/ tag:x type:spec lang:python ns:billing after:2025-06
    before:2026-01-01 and, for properties that documents have, key:value. Misspelt words are repaired, and it says so.

    A lone - at the end stands for standard input. A stack trace (Python, JavaScript, Java, Go, Rust), the complaints of
    a compiler or checker, and a unified diff are understood: files, lines, names and the message become the question.
    """
    piped = query[-1] == "-"
    text, told = " ".join(query[:-1] if piped else query), ""
    given = _standard_input() if piped else ""
    with opened(root, index, flags) as project:
        if given:
            _index_first(project, text or given[-_GLANCE:], looking=form == "text")
            text, told = _understood(project, text, given)
        request = replace(_request(project, text, asked), refresh=not no_refresh)
        query_asked = to_query(project, request)
        answer = daemon.query_daemon(project, "search", request, Answer)
        if answer is None:  # nobody serves this index, or not as this call would: it is answered here
            _index_first(project, text, looking=form == "text")
            answer = project.search(query_asked, refresh=request.refresh)
            embed_missing(project, answer)
            daemon.start_daemon(project)
        if told and form in {"json", "md"}:
            answer = replace(answer, notes=(told, *answer.notes))
        _print(form, answer, project)
        if not answer.hits and form != "json":
            say(_hint(project, query_asked, answer), err=True)
    return 0 if answer.hits else 1


def _request(project: Project, text: str, asked: dict[str, Any]) -> SearchRequest:
    """Put the options as the request that every interface makes."""
    asked = dict(asked)
    variants, depth = asked.pop("variants"), asked.pop("depth")
    no_graph, no_expand = asked.pop("no_graph"), asked.pop("no_expand")
    asked["paths"] = tuple(from_here(project.root, path) for path in asked["paths"])
    asked["intent"] = _intent(asked["intent"])
    for pair in asked["properties"]:
        if not re.fullmatch(r"\s*[^\s=].*?=.*", pair, re.DOTALL):
            raise click.UsageError(f"--property {to_single_line(pair)} is not of the form KEY=VALUE.")
    return SearchRequest(
        query=text,
        limit=asked.pop("limit") or 0,
        depth=0 if no_graph else -1 if depth is None else depth,
        expand=not no_expand,
        **{**asked, **_wordings(variants)},
    )


def _print(form: str, answer: Answer, project: Project) -> None:
    if form == "json":
        print_json(answer)
    elif form == "md":
        from waymeet.interfaces.render.markdown import answer_markdown

        print_text(answer_markdown(answer))
    elif form == "text":
        print_lines(render_answer(answer), project)
    else:
        files = [hit.document for hit in answer.hits]
        print_listing(form, Listing(answer, answer.hits, (), files, "", answer.notes, answer.degraded), project)


def _standard_input() -> str:
    """Read what was piped in."""
    if sys.stdin.isatty():
        say("Paste a stack trace, a diff or a question; Ctrl-D ends it.", err=True)
    text = sys.stdin.read()
    if not text.strip():
        raise click.UsageError("Nothing came from standard input.")
    return text


def _understood(project: Project, text: str, given: str) -> tuple[str, str]:
    """Make a question of what was piped in; say what was understood."""
    from waymeet.analysis.pasted import parse_pasted
    from waymeet.search.understand.pasted import query_from_pasted

    store, _ = project.refreshed_store()
    found = query_from_pasted(parse_pasted(given), store)
    say(to_single_line(found.summary), err=True)
    return f"{text} {found.text}".strip(), found.summary


def _index_first(project: Project, question: str, *, looking: bool) -> None:
    """Index the project on first use; a person who waits for that is shown what a first look finds."""
    seconds = project.settings.terminal.preview_seconds
    if looking and seconds > 0 and sys.stderr.isatty() and not project.indexed:
        from waymeet.interfaces.cli.ask.preview import first_look, look_lines

        until = monotonic() + seconds
        look = first_look(project.root, project.settings.ingest, question, lambda: monotonic() > until)
        slow = look.files >= _MANY or project.settings.embedding.provider != "none"
        if slow and look.seen:
            print_lines(look_lines(look), project, err=True)
    index_first(project)


def _intent(written: str) -> str:
    """Refuse an intent that does not exist."""
    if not written:
        return ""
    from waymeet.analysis.intent import INTENT_WORDS

    if written not in INTENT_WORDS:
        raise click.UsageError(f"--intent {to_single_line(written)} is none of {', '.join(INTENT_WORDS)}.")
    return written


def _wordings(variants: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Read other wordings and what each is for."""
    found: dict[str, tuple[str, ...]] = {}
    for written in variants:
        kind, _, text = written.partition(":")
        if kind not in {"lex", "vec", "hyde"} or not text.strip():
            raise click.UsageError(
                f"--variant {to_single_line(written)} is not of the form lex:TEXT, vec:TEXT or hyde:TEXT."
            )
        found[kind] = (*found.get(kind, ()), text.strip())
    return found


def _hint(project: Project, request: Query, answer: Answer) -> str:
    """Say what to try when nothing was found."""
    if not project.counts().documents:
        return f"{project.root} has no readable text files, or all are ignored."
    if any(each.code == "no_words" for each in answer.degraded):
        return "Ask with at least one word that carries meaning."
    if answer.mode == "vec_only":
        return "Mode vec_only needs an embedding model; try without --mode."
    if request.filters.namespaces:
        from waymeet.project.backend import complete_namespaces as known

        there = known(project.index_path)
        if set(there).isdisjoint(request.filters.namespaces):
            wanted = ", ".join(request.filters.namespaces)
            return f"There is no namespace {wanted}. There are: {', '.join(there) or 'none; see settings namespaces'}."
    if request.filters != Filters() and not project.count_matching(request.filters):
        return "No indexed file passes these filters (--in, --kind, --type, --tag and so on): check their spelling."
    return "Try other words, fewer filters, or `prefix*`."
