"""Reports of errors: a message for people or one line of JSON, and an exit code."""

import json
import traceback
from collections.abc import Sequence
from itertools import pairwise

import click

from waymeet.errors import WaymeetError
from waymeet.interfaces.render.text import escape_control, to_single_line

_INTERNAL_ERROR = 70
"""Exit code of an internal error, EX_SOFTWARE in sysexits.h."""
_INTERRUPTED = "Interrupted. Finished work is kept; run the command again to continue."


def report_error(error: BaseException, args: Sequence[str]) -> int:
    """Print an error to standard error, as text or as JSON, and return the exit code."""
    exit_code, name, message, hint = _describe(error)
    if wants_json(args):
        report = {"error": {"code": name, "message": message, "hint": hint, "exit_code": exit_code}}
        click.echo(json.dumps(report), err=True)
    elif isinstance(error, click.ClickException):
        error.show()
    elif exit_code == _INTERNAL_ERROR:
        trace = "".join(traceback.format_exception(error))
        click.echo(f"{escape_control(trace)}waymeet: {message} Please report it.", err=True)
    elif isinstance(error, WaymeetError | OSError):
        click.echo(f"waymeet: {escape_control(str(error) if isinstance(error, WaymeetError) else message)}", err=True)
    else:
        click.echo(message, err=True)
    return exit_code


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
