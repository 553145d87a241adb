"""The end of every command's help: examples, exit codes, related commands."""

import re
from collections.abc import Mapping
from inspect import cleandoc

WIDTH = 76
"""Columns of these sections: click indents them by two, and a terminal has eighty."""
_COMMON = {
    0: "done",
    1: "nothing found",
    2: "wrong usage",
    3: "no usable index",
    130: "interrupted",
}
_EXAMPLE = re.compile(r"(?P<line>.*?\S)(?: {3,}(?P<remark>\S.*))?")


def manual(examples: str, *, exits: Mapping[int, str] | None = None, see: str = "", more: str = "") -> str:
    """Format the end of a command's help.

    An example is a command line, with a remark after three or more spaces. `exits` describes exit codes that differ
    from the usual ones; an empty description omits the code. `more` is put between examples and exit codes.
    """
    codes = {
        0: _COMMON[0],
        **(exits or {}),
        **{code: _COMMON[code] for code in (2, 3, 130) if code not in (exits or {})},
    }
    parts = [
        "\n".join(["\b", "Examples:", *_format_examples(cleandoc(examples))]),
        *([more.strip("\n")] if more else []),
        "\n".join(["\b", "Exit codes:", *_format_codes(codes)]),
    ]
    if see:
        parts.append("\n".join(["\b", "See also:", f"  {see}"]))
    return "\n\n".join(parts)


def _format_codes(codes: Mapping[int, str]) -> list[str]:
    rows = [" "]
    for code, description in sorted(codes.items()):
        if not description:
            continue
        last = f"{rows[-1]} {'· ' if rows[-1].strip() else ''}{code} {description}"
        rows[-1:] = [last] if len(last) <= WIDTH - 2 else [f"{rows[-1]} ·", f"  {code} {description}"]
    return rows


def _format_examples(text: str) -> list[str]:
    """Align the remarks behind their lines, or put them above if they do not fit."""
    examples = [match for line in text.splitlines() if (match := _EXAMPLE.fullmatch(line))]
    width = max((len(match["line"]) for match in examples if match["remark"] and _fits(match)), default=0)
    rows = []
    for match in examples:
        line, remark = match["line"], match["remark"]
        if not remark:
            rows.append(f"  {line}")
        elif len(line) <= width and 2 + width + 3 + len(remark) <= WIDTH:
            rows.append(f"  {line.ljust(width)}   {remark}")
        elif _fits(match):
            rows.append(f"  {line}   {remark}")
        else:
            rows += [f"  # {remark}", f"  {line}"]
    return rows


def _fits(match: re.Match[str]) -> bool:
    return 2 + len(match["line"]) + 3 + len(match["remark"] or "") <= WIDTH


def examples_of(epilog: str) -> list[str]:
    """Return the example lines of a command's help, without their remarks.

    >>> examples_of(manual("waymeet stale   what is stale"))
    ['waymeet stale']
    """
    block = epilog.partition("Examples:\n")[2].partition("\n\n")[0]
    lines = (line.strip() for line in block.splitlines())
    return [match["line"] for line in lines if not line.startswith("# ") and (match := _EXAMPLE.fullmatch(line))]
