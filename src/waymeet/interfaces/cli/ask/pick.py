"""`waymeet search --interactive`: check the terminal, run the picker, open the chosen hit."""

import os
import sys
from collections.abc import Callable, Mapping

import click
from msgspec.structs import replace

from waymeet.interfaces.cli import MASKS_SECRETS
from waymeet.interfaces.cli.ask.editor import open_hit
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.operations.search import SearchRequest, to_query
from waymeet.project import Project

_LIMIT = 30
"""Results of the picker, unless the command line sets a number."""
_LEFT = 130
"""Exit code if the user left without choosing a result, as fzf has it."""


def check_terminal(form: str, options: Mapping[str, bool]) -> None:
    """Check that the picker can run: on a terminal, and without options for printed results.

    Raises:
        UsageError: it cannot.
    """
    excluded = [name for name, is_set in options.items() if is_set]
    if form != "text" or excluded:
        other = excluded[0] if excluded else f"--format {form}"
        raise click.UsageError(f"--interactive and {other} exclude each other.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        raise click.UsageError(
            "--interactive needs a terminal, but the input or output is a file, a pipe or a dumb terminal.\n"
            "Search without it, or use --open for the first result."
        )


def pick(project: Project, text: str, make_request: Callable[[str], SearchRequest]) -> int:
    """Run the picker, open the chosen hit in the editor, and return the exit code."""
    from waymeet.interfaces.cli.ask.picker.app import Picker
    from waymeet.interfaces.cli.ask.picker.state import Found

    is_fresh, masks_secrets = False, MASKS_SECRETS.get()

    def search(text: str) -> Found:
        nonlocal is_fresh
        request = make_request(text)
        query = to_query(project, replace(request, limit=request.limit or _LIMIT))
        answer = project.search(query, refresh=request.refresh and not is_fresh)
        if is_fresh:  # changed files were looked for by the first search
            degraded = tuple(reason for reason in answer.degraded if reason.code != "not_checked")
            answer = replace(answer, degraded=degraded)
        is_fresh = request.refresh
        texts = project.texts([hit.id for hit in answer.hits])
        shown = mask_outgoing(answer, enabled=masks_secrets)
        pairs = zip(answer.hits, shown.hits, strict=True)
        return Found(
            shown,
            {
                masked.id: mask_outgoing(texts[hit.id], enabled=masks_secrets)
                for hit, masked in pairs
                if hit.id in texts
            },
        )

    hit = Picker(search, text).run()
    return _LEFT if hit is None else open_hit(project, hit)
