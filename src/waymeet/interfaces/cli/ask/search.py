"""`waymeet search`."""

import re
import sys
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click
from msgspec.structs import replace

from waymeet.interfaces.cli.ask.ignored_folder import describe_ignored_folder
from waymeet.interfaces.cli.ask.search_projects import check_options, choose_names, print_answer
from waymeet.interfaces.cli.common import (
    index_if_needed,
    no_background_option,
    open_project,
    print_degraded,
    print_json,
    print_lines,
    project_options,
    say,
    to_root_path,
)
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, format_option, print_listing, print_text
from waymeet.interfaces.cli.shell_complete import (
    complete_documents,
    complete_namespaces,
    complete_projects,
    complete_recipes,
)
from waymeet.interfaces.cli.slow_notice import say_if_slow
from waymeet.interfaces.daemon.client import query_daemon, start_daemon
from waymeet.interfaces.render.text import render_answer, to_single_line
from waymeet.interfaces.requests.missing_vectors import add_missing, describe_start
from waymeet.interfaces.requests.operations.search import SearchRequest, to_query
from waymeet.project import Project
from waymeet.recipes import check_mode
from waymeet.search.understand.inline_filters import KINDS
from waymeet.types import Answer, Filters, Query

_EPILOG = manual(
    """
    waymeet search how are sessions renewed
    waymeet search retry policy --type adr --property status=accepted
    waymeet search 在庫 --property lang=ja
    waymeet search "rotate keys kind:code path:src/ after:2025-06"
    waymeet search getUserById -n 3 --explain       why results rank there
    waymeet search retry --format files | xargs grep -n retry
    pytest 2>&1 | waymeet search -                  find the code of a stack trace
    git diff | waymeet search - --kind docs         find docs about changed code
    waymeet search --all how are keys rotated       all your projects
    waymeet search -i                               pick a result while typing
    waymeet search getUserById --open               open the first result in the editor
    """,
    exits={
        0: "found",
        1: "nothing found, or nothing relevant and no word of the query occurs",
        130: "interrupted, or left without a choice",
    },
    see="waymeet why-not, waymeet read, waymeet recipes, waymeet projects",
)
_NO_MATCH = "No word of the query occurs in these results. Try other words."
_PREVIEW_CHARS = 300
"""Characters of a pasted text that a preview searches for."""
_PREVIEW_FILES = 300
"""Number of files from which a preview is shown; it is always shown if an embedding model has to be loaded."""


@click.command(epilog=_EPILOG)
@click.argument("query", nargs=-1)
@click.option("-n", "--limit", type=click.IntRange(1, 1000), help="Maximum number of results [default: 10].")
@click.option(
    "--recipe",
    default="",
    shell_complete=complete_recipes,
    help="Ranking to use; see `waymeet recipes` [default: auto].",
)
@click.option("--mode", default="", help="Mode of the recipe that --recipe names, such as bm25_only of classic.")
@click.option(
    "--in",
    "paths",
    multiple=True,
    metavar="PATH",
    shell_complete=complete_documents,
    help="Only this folder or file. Repeatable.",
)
@click.option("--all", "is_all", is_flag=True, help="Search all your projects; see `waymeet projects`.")
@click.option(
    "--in-project",
    "in_projects",
    multiple=True,
    metavar="NAME[,NAME]",
    shell_complete=complete_projects,
    help="Search these projects of yours. Repeatable.",
)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind. Repeatable.")
@click.option("--type", "doc_types", multiple=True, help="Only documents of this type, such as spec. Repeatable.")
@click.option("--tag", "tags", multiple=True, help="Only documents with this tag. Repeatable.")
@click.option(
    "--lang", "languages", multiple=True, help="Only files in this programming language, such as python. Repeatable."
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    shell_complete=complete_namespaces,
    help="Only this package or extra folder. Repeatable.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only documents with this front matter, such as tier=critical or lang=ja. Repeatable.",
)
@click.option("--depth", type=click.IntRange(0, 10), help="Number of links to follow.")
@click.option("--link-type", "link_types", multiple=True, help="Follow only links of this type. Repeatable.")
@click.option("--no-graph", is_flag=True, help="Do not follow links; same as --depth 0.")
@click.option("--intent", default="", help="Intent of the query, such as fix_bug (memory) [default: guessed].")
@click.option("--no-expand", is_flag=True, help="Do not let a model rephrase the query (deep).")
@click.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="lex:…|vec:…|hyde:…",
    help="Your own rephrasing: for full-text search, for vector search, or a hypothetical answer (deep). Repeatable.",
)
@click.option(
    "--linked", "include_linked", is_flag=True, help="List the pages each result links to and is linked from."
)
@click.option("--explain", is_flag=True, help="Show each signal's share of the score, and the matched words.")
@click.option("--explain-full", is_flag=True, help="Show the whole computation of each score as a tree.")
@click.option("--no-refresh", is_flag=True, help="Do not check for changed files before searching.")
@click.option(
    "-i", "--interactive", is_flag=True, help="Show results while typing, with a preview; Enter opens the editor."
)
@click.option("--open", "opens", is_flag=True, help="Open the first result in $VISUAL or $EDITOR, at its line.")
@no_background_option
@project_options
@format_option()
def command(
    query: tuple[str, ...],
    form: str,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    no_refresh: bool,
    explain_full: bool,
    interactive: bool,
    opens: bool,
    **options: Any,  # noqa: ANN401 - named like the fields of a request
) -> int:
    """Search the project. The folder is indexed on first use.

    Results match any of the words; more and rarer matches rank higher. "quoted phrases" must occur (not in a full
    question or error message), -word excludes, prefix* matches prefixes. Put a query that begins with a dash after --.

    Filters can be part of the query: kind:code path:src/ tag:x type:spec lang:python ns:billing after:2025-06
    before:2026-01-01, and key:value for properties of documents.

    A lone - at the end reads standard input: a stack trace (Python, JavaScript, Java, Go, Rust), compiler or linter
    output, or a unified diff. Its files, lines, names and message become the query.

    --all and --in-project search several projects. Ids then begin with the name of their project (tea::docs/water.md).

    -i shows results while you type. Arrow keys select, PageUp and PageDown scroll, Enter opens the editor at the line,
    Ctrl-Y copies the citation, Tab hides the preview, Esc leaves.
    """
    is_piped = query[-1:] == ("-",)
    text = " ".join(query[:-1] if is_piped else query)
    options |= {"explain": options["explain"] or explain_full, "refresh": not no_refresh}
    _check_usage(query, form, interactive=interactive, opens=opens, explain=options["explain"])
    names = choose_names(options.pop("in_projects"), is_all=options.pop("is_all"))
    check_options(names, **{"--project": root, "--index": index, "-i": interactive, "-": is_piped})
    pasted = _read_standard_input() if is_piped else ""
    with open_project(root, index, flags) as project:
        if interactive:
            return _pick(project, text, options)
        search = partial(_search_projects, project, names) if names else partial(_search, project, pasted)
        return search(text, form, options, opens=opens, summarise=not explain_full)


def _search_projects(
    project: Project,
    names: tuple[str, ...],
    text: str,
    form: str,
    options: dict[str, Any],
    *,
    opens: bool,
    summarise: bool,
) -> int:
    """Search several projects, print or open the result, and return the exit code."""
    request = _to_request(project, text, options, names)
    return print_answer(project, request, form, opens=opens, summarise=summarise)


def _search(
    project: Project, pasted: str, text: str, form: str, options: dict[str, Any], *, opens: bool, summarise: bool
) -> int:
    """Search, print the answer or open its first result, and return the exit code."""
    note = ""
    if pasted:
        refresh = options["refresh"]
        _index_with_preview(project, text or pasted[-_PREVIEW_CHARS:], preview=form == "text", wait=refresh)
        text, note = _query_from_pasted(project, text, pasted, refresh=refresh)
    request = _to_request(project, text, options)
    answer = _answer(project, request, preview=form == "text")
    ignored = describe_ignored_folder(project)
    if form in {"json", "md"}:
        answer = replace(answer, notes=(*filter(None, (note, ignored)), *answer.notes))
    elif ignored:
        say(to_single_line(ignored), err=True)
    is_found = bool(answer.hits) and (answer.has_word_match or not answer.low_relevance)
    if opens and is_found:
        return _open_first(project, answer)
    _print(form, answer, project, summarise=summarise)
    if not is_found and form != "json":
        say(_NO_MATCH if answer.hits else _hint(project, to_query(project, request), answer), err=True)
    return 0 if is_found else 1


def _check_usage(query: tuple[str, ...], form: str, *, interactive: bool, opens: bool, explain: bool) -> None:
    """Check that there is a query, and that no two options exclude each other."""
    if interactive:
        from waymeet.interfaces.cli.ask.pick import check_terminal

        check_terminal(form, {"--open": opens, "--explain": explain, "-": query[-1:] == ("-",)})
    elif not query:
        raise click.MissingParameter(param_type="argument", param_hint="'QUERY...'")
    elif opens and form != "text":
        raise click.UsageError(f"--open and --format {form} exclude each other.")


def _pick(project: Project, text: str, options: dict[str, Any]) -> int:
    """Run the picker, and open the chosen result."""
    from waymeet.interfaces.cli.ask.pick import pick

    _index_with_preview(project, text, preview=bool(text), wait=options["refresh"])
    return pick(project, text, lambda typed: _to_request(project, typed, options))


def _open_first(project: Project, answer: Answer) -> int:
    """Open the first result in the editor."""
    from waymeet.interfaces.cli.ask.editor import open_hit

    print_degraded(answer.degraded)
    return open_hit(project, answer.hits[0])


def _answer(project: Project, request: SearchRequest, *, preview: bool) -> Answer:
    """Answer by the daemon, if one runs with the same settings, else in this process."""
    query = to_query(project, request)
    check_mode(project.recipe(query.recipe), query.mode, project.settings.recipes)
    terminal = project.settings.terminal
    with say_if_slow("Waiting for the answer of `waymeet serve` …", terminal):
        answer: Answer | None = query_daemon(project, "search", request, Answer)
    if answer is None:
        _index_with_preview(project, request.query, preview=preview, wait=request.refresh)
        text = "Searching; changed files are indexed first …" if request.refresh else "Searching …"
        with say_if_slow(text, terminal):
            answer = project.search(query, refresh=request.refresh)
        start = add_missing(project, answer)
        if start and start.is_first:
            say(describe_start(project, start), err=True)
        start_daemon(project)
    return answer


def _to_request(project: Project, text: str, options: dict[str, Any], projects: tuple[str, ...] = ()) -> SearchRequest:
    """Convert the options to the request that all interfaces share.

    For several projects, paths are not relative to the current folder.
    """
    options = dict(options)
    variants, depth = options.pop("variants"), options.pop("depth")
    no_graph, no_expand = options.pop("no_graph"), options.pop("no_expand")
    if not projects:
        options["paths"] = tuple(to_root_path(project.root, path) for path in options["paths"])
    options["intent"] = _check_intent(options["intent"])
    for pair in options["properties"]:
        if not re.fullmatch(r"\s*[^\s=].*?=.*", pair, re.DOTALL):
            raise click.UsageError(f"--property {to_single_line(pair)}: expected KEY=VALUE.")
    return SearchRequest(
        query=text,
        projects=projects,
        limit=options.pop("limit") or 0,
        depth=0 if no_graph else -1 if depth is None else depth,
        expand=not no_expand,
        **{**options, **_group_variants(variants)},
    )


def _print(form: str, answer: Answer, project: Project, *, summarise: bool) -> None:
    if form == "json":
        print_json(answer)
    elif form == "md":
        from waymeet.interfaces.render.markdown import answer_markdown

        print_text(answer_markdown(answer))
    elif form == "text":
        print_lines(render_answer(answer, summarise=summarise), project)
    else:
        files = [hit.document for hit in answer.hits]
        print_listing(form, Listing(answer, answer.hits, (), files, "", answer.notes, answer.degraded), project)


def _read_standard_input() -> str:
    """Read the text that was piped in or pasted."""
    if sys.stdin.isatty():
        say("Paste a stack trace, a diff or a query, then press Ctrl-D.", err=True)
    text = sys.stdin.read()
    if not text.strip():
        raise click.UsageError("Standard input is empty.")
    return text


def _query_from_pasted(project: Project, text: str, pasted: str, *, refresh: bool) -> tuple[str, str]:
    """Convert a pasted text to a query and a note about what was recognised."""
    from waymeet.analysis.pasted import parse_pasted
    from waymeet.search.understand.pasted import query_from_pasted

    store, _ = project.refreshed_store(refresh=refresh)
    parsed = query_from_pasted(parse_pasted(pasted), store)
    say(to_single_line(parsed.summary), err=True)
    return f"{text} {parsed.text}".strip(), parsed.summary


def _index_with_preview(project: Project, query: str, *, preview: bool, wait: bool) -> None:
    """Index the project on first use, after a preview of matching lines on a terminal."""
    seconds = project.settings.terminal.preview_seconds
    if preview and seconds > 0 and sys.stderr.isatty() and not project.is_indexed:
        from waymeet.interfaces.cli.ask.preview import preview_files, preview_lines

        deadline = monotonic() + seconds
        shown = preview_files(project.root, project.settings.ingest, query, lambda: monotonic() > deadline)
        is_slow = shown.files >= _PREVIEW_FILES or project.settings.embedding.provider != "none"
        if is_slow and shown.matches:
            print_lines(preview_lines(shown), project, err=True)
    index_if_needed(project, wait=wait)


def _check_intent(intent: str) -> str:
    """Return the intent if it exists."""
    if not intent:
        return ""
    from waymeet.analysis.intent import INTENT_WORDS

    if intent not in INTENT_WORDS:
        raise click.UsageError(f"--intent {to_single_line(intent)}: expected one of {', '.join(INTENT_WORDS)}.")
    return intent


def _group_variants(variants: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Group the user's rephrasings by kind: lex, vec or hyde."""
    groups: dict[str, tuple[str, ...]] = {}
    for variant in variants:
        kind, _, text = variant.partition(":")
        if kind not in {"lex", "vec", "hyde"} or not text.strip():
            raise click.UsageError(f"--variant {to_single_line(variant)}: expected lex:TEXT, vec:TEXT or hyde:TEXT.")
        groups[kind] = (*groups.get(kind, ()), text.strip())
    return groups


def _hint(project: Project, query: Query, answer: Answer) -> str:
    """Suggest what to change when nothing was found."""
    if not project.counts().documents:
        return f"{project.root} has no readable text files, or all of them are ignored."
    if any(reason.code == "no_words" for reason in answer.degraded):
        return "The query has only stop words. Add a word to search for."
    if answer.mode == "vec_only":
        return "Mode vec_only needs an embedding model. Try without --mode."
    if query.filters.namespaces:
        from waymeet.project.backend import complete_namespaces as list_namespaces

        known = list_namespaces(project.index_path)
        if set(known).isdisjoint(query.filters.namespaces):
            unknown = ", ".join(query.filters.namespaces)
            return f"There is no namespace {unknown}. Known: {', '.join(known) or 'none; see settings namespaces'}."
    if query.filters != Filters() and not project.count_matching(query.filters):
        return "No indexed file matches the filters (--in, --kind, --type, --tag …). Check their spelling."
    return "Try other words, fewer filters, or `prefix*`."
