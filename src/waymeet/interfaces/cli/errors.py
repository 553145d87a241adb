"""Reports of errors: a message for people or one line of JSON, and an exit code."""

import json
import traceback
from collections.abc import Sequence
from io import StringIO
from itertools import pairwise

import click

from waymeet.errors import WaymeetError
from waymeet.interfaces.cli import MASKS_SECRETS
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.render.text import escape_control, to_single_line

_INTERNAL_ERROR = 70
"""Exit code of an internal error, EX_SOFTWARE in sysexits.h."""
_INTERRUPTED = "Interrupted. Finished work is kept; run the command again to continue."


def report_error(error: BaseException, args: Sequence[str]) -> int:
    """Print an error to standard error, as text or as JSON, and return the exit code."""
    exit_code, name, message, hint = mask_outgoing(_describe(error), enabled=MASKS_SECRETS.get())
    if wants_json(args):
        report = {"error": {"code": name, "message": message, "hint": hint, "exit_code": exit_code}}
        click.echo(json.dumps(report), err=True)
    elif isinstance(error, click.ClickException):
        _show_usage_error(error)
    elif exit_code == _INTERNAL_ERROR:
        trace = mask_outgoing("".join(traceback.format_exception(error)), enabled=MASKS_SECRETS.get())
        click.echo(f"{escape_control(trace)}waymeet: {message} Please report it.", err=True)
    elif isinstance(error, WaymeetError | OSError):
        text = mask_outgoing(str(error), enabled=MASKS_SECRETS.get()) if isinstance(error, WaymeetError) else message
        click.echo(f"waymeet: {escape_control(text)}", err=True)
    else:
        click.echo(message, err=True)
    return exit_code


def _show_usage_error(error: click.ClickException) -> None:
    """Print an error of the command line, which may quote an argument."""
    shown = StringIO()
    error.show(shown)
    click.echo(mask_outgoing(shown.getvalue(), enabled=MASKS_SECRETS.get()), nl=False, err=True)


def _describe(error: BaseException) -> tuple[int, str, str, str]:
    """Return the exit code, a stable name, the message and the hint of an error."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return 130, "interrupted", _INTERRUPTED, ""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        hint = f"Try: {context.command_path} --help" if context else ""
        return 2, "usage", to_single_line(error.format_message()), hint
    if isinstance(error, WaymeetError):
        from waymeet.interfaces.requests.errors import to_failure

        failure = to_failure(error)
        return error.exit_code, failure.code, failure.message, failure.next_step
    if isinstance(error, OSError):  # the output cannot be written, for example because a disk is full
        return 3, "system", f"{error}.", ""
    return _INTERNAL_ERROR, "mistake", "Internal error.", f"Please report it: {error!r}"


def wants_json(args: Sequence[str]) -> bool:
    """Return whether a command line requests JSON, even one that cannot be parsed.

    >>> wants_json(["search", "x", "--json"]), wants_json(["search", "--format=jsonl"]), wants_json(["--", "--json"])
    (True, True, False)
    """
    words = list(args[: args.index("--")]) if "--" in args else list(args)
    forms = [after for word, after in pairwise(words) if word == "--format"]
    forms += [word.removeprefix("--format=") for word in words if word.startswith("--format=")]
    return "--json" in words or any(form in {"json", "jsonl"} for form in forms)
