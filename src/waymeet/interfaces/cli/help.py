"""The lower part of every command's help: examples, exit codes, where to read on. The same sections everywhere."""

import re
from collections.abc import Mapping
from inspect import cleandoc

WIDTH = 76
"""Columns that these sections may take: click indents them by two, and a terminal has eighty."""
_COMMON = {
    0: "done",
    1: "nothing found",
    2: "wrong usage",
    3: "no usable index",
    130: "interrupted",
}
_REMARK = re.compile(r"(?P<line>.*?\S)(?: {3,}(?P<remark>\S.*))?")


def manual(examples: str, *, exits: Mapping[int, str] | None = None, see: str = "", more: str = "") -> str:
    """Lay out the end of a command's help.

    An example is a line as it is typed, with a remark behind three spaces or more. `exits` are exit codes that mean
    something else here than usual (nothing, if empty); those every command has are added. `more` stands between.
    """
    codes = {
        0: _COMMON[0],
        **(exits or {}),
        **{code: _COMMON[code] for code in (2, 3, 130) if code not in (exits or {})},
    }
    parts = [
        "\n".join(["\b", "Examples:", *_examples(cleandoc(examples))]),
        *([more.strip("\n")] if more else []),
        "\n".join(["\b", "Exit codes:", *_codes(codes)]),
    ]
    if see:
        parts.append("\n".join(["\b", "See also:", f"  {see}"]))
    return "\n\n".join(parts)


def _codes(codes: Mapping[int, str]) -> list[str]:
    rows = [" "]
    for code, said in sorted(codes.items()):
        if not said:
            continue
        last = f"{rows[-1]} {'· ' if rows[-1].strip() else ''}{code} {said}"
        rows[-1:] = [last] if len(last) <= WIDTH - 2 else [f"{rows[-1]} ·", f"  {code} {said}"]
    return rows


def _examples(text: str) -> list[str]:
    """Put remarks below each other behind their lines, or above a line that leaves no room for one."""
    found = [each for line in text.splitlines() if (each := _REMARK.fullmatch(line))]
    wide = max((len(each["line"]) for each in found if each["remark"] and _fits(each)), default=0)
    rows = []
    for each in found:
        line, remark = each["line"], each["remark"]
        if not remark:
            rows.append(f"  {line}")
        elif len(line) <= wide and 2 + wide + 3 + len(remark) <= WIDTH:
            rows.append(f"  {line.ljust(wide)}   {remark}")
        elif _fits(each):
            rows.append(f"  {line}   {remark}")
        else:
            rows += [f"  # {remark}", f"  {line}"]
    return rows


def _fits(each: re.Match[str]) -> bool:
    return 2 + len(each["line"]) + 3 + len(each["remark"] or "") <= WIDTH


def examples_of(epilog: str) -> list[str]:
    """Give the example lines of a command's help, without their remarks.

    >>> examples_of(manual("waymeet stale   what is stale"))
    ['waymeet stale']
    """
    block = epilog.partition("Examples:\n")[2].partition("\n\n")[0]
    lines = (line.strip() for line in block.splitlines())
    return [found["line"] for line in lines if not line.startswith("# ") and (found := _REMARK.fullmatch(line))]
