"""How a command ends when something went wrong: a message for people, or one line of JSON, and an exit code."""

import json
import traceback
from collections.abc import Sequence
from itertools import pairwise

import click

from waymeet.errors import WaymeetError
from waymeet.interfaces.render.text import escape_control, to_single_line

_MISTAKE = 70
"""The exit code that means an internal mistake, as in sysexits.h."""
_INTERRUPTED = "Interrupted. What was finished is kept; run it again to go on."


def ended(error: BaseException, args: Sequence[str]) -> int:
    """Tell what went wrong on standard error, in the form that was asked for; give the exit code."""
    code, name, message, hint = _told(error)
    if wants_json(args):
        told = {"error": {"code": name, "message": message, "hint": hint, "exit_code": code}}
        click.echo(json.dumps(told), err=True)
    elif isinstance(error, click.ClickException):
        error.show()
    elif code == _MISTAKE:
        trace = "".join(traceback.format_exception(error))
        click.echo(f"{escape_control(trace)}waymeet: {message}", err=True)
    elif isinstance(error, WaymeetError | OSError):
        click.echo(f"waymeet: {escape_control(str(error) if isinstance(error, WaymeetError) else message)}", err=True)
    else:
        click.echo(message, err=True)
    return code


def _told(error: BaseException) -> tuple[int, str, str, str]:
    """Give the exit code, a name that does not change, what happened and what to do."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return 130, "interrupted", _INTERRUPTED, ""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        hint = f"Try: {context.command_path} --help" if context else ""
        return 2, "usage", to_single_line(error.format_message()), hint
    if isinstance(error, WaymeetError):
        from waymeet.interfaces.requests.errors import to_failure

        told = to_failure(error)
        return error.exit_code, told.code, told.message, told.next_step
    if isinstance(error, OSError):  # the output cannot be written, say, because a disk is full
        return 3, "system", f"{error}.", ""
    return _MISTAKE, "mistake", "this is a mistake in Waymeet, not yours.", f"Report it: {error!r}"


def wants_json(args: Sequence[str]) -> bool:
    """Tell whether a command line asks for JSON, whether or not it can be understood.

    >>> wants_json(["search", "x", "--json"]), wants_json(["search", "--format=jsonl"]), wants_json(["--", "--json"])
    (True, True, False)
    """
    words = list(args[: args.index("--")]) if "--" in args else list(args)
    forms = [after for word, after in pairwise(words) if word == "--format"]
    forms += [word.removeprefix("--format=") for word in words if word.startswith("--format=")]
    return "--json" in words or any(form in {"json", "jsonl"} for form in forms)
