r"""Patterns of ignore files as regular expressions, by the rules of git's wildmatch.

Written here rather than taken from a library because the walk runs before each search: importing pathspec costs more
than walking thousands of files, and it tries every pattern on every path. `tests/unit/test_ingest_ignore.py` holds
this to what git itself answers.

Matching never takes long, whatever the pattern: each `*` but the last of a name, and each `**` but the last, takes the
first place that fits and never comes back to it (an atomic group), which for such patterns finds all there is to find.
"""

import re
from collections.abc import Iterator

_SLASH, _STAR, _FOLDERS = "/", "*", "**"
_NEVER = r"(?!)"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\f\\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def compiled(pattern: str) -> re.Pattern[str]:
    """Turn a pattern without its leading `!` and `/` and its trailing `/` into an expression for `fullmatch`.

    >>> bool(compiled("docs/**/*.md").fullmatch("docs/a/b/c.md")), bool(compiled("a*c").fullmatch("a/c"))
    (True, False)
    """
    return re.compile(_path(list(_tokens(as_bytes(pattern)))), re.DOTALL)


def as_bytes(text: str) -> str:
    """Spell a text with one character per UTF-8 byte, for to git a `?` is a byte.

    >>> as_bytes("é") == "Ã©"
    True
    """
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _tokens(pattern: str) -> Iterator[str]:
    """Yield slashes, stars, and for everything else an expression that matches one character."""
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "*":
            end = at
            while pattern[end : end + 1] == "*":
                end += 1
            yield _FOLDERS if end - at > 1 and _stands_alone(pattern, at, end) else _STAR
            at = end
            continue
        if letter == "[":
            expression, at = _bracket(pattern, at + 1)
            yield expression
            continue
        if letter == "\\":
            at += 1
            letter = pattern[at : at + 1]
            yield _SLASH if letter == "/" else re.escape(letter) or _NEVER
        elif letter == "?":
            yield "[^/]"
        else:
            yield _SLASH if letter == "/" else re.escape(letter)
        at += 1


def _stands_alone(pattern: str, start: int, end: int) -> bool:
    """Tell whether a run of stars is all there is between two slashes, which is when it means any folders.

    Git compares the part before the first wildcard by itself and begins anew behind it, so that a run which is the
    first wildcard counts as beginning a name, too: `a**/b` matches `a/x/b`.
    """
    begins = start == 0 or pattern[start - 1] == "/" or not any(letter in pattern[:start] for letter in "*?[\\")
    return begins and (end == len(pattern) or pattern.startswith(("/", "\\/"), end))


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """Read `[…]` from behind its opening; an unclosed one matches nothing."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    first, parts, previous = at, [], ""
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        if pattern.startswith("[:", at) and (name := re.match(r"\[:([^]]*):\]", pattern[at:])):
            if name[1] not in _CLASSES:
                return _NEVER, len(pattern)
            parts.append(_CLASSES[name[1]])
            at, previous = at + name.end(), ""
            continue
        if pattern[at] == "-" and previous and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 2 if pattern[at + 1] == "\\" else 1
            last = pattern[at : at + 1]
            if last >= previous:
                parts.append(f"{re.escape(previous)}-{re.escape(last)}")
            at, previous = at + 1, ""
            continue
        at += pattern[at] == "\\"
        previous = pattern[at : at + 1]
        parts.append(re.escape(previous))
        at += 1
    if at >= len(pattern):
        return _NEVER, len(pattern)
    inside = "".join(parts)
    return f"(?!/)[{'^' if negated else ''}{inside}]" if inside else ("[^/]" if negated else _NEVER), at + 1


def _path(tokens: list[str]) -> str:
    """Put names and folders together; what follows a `**`, and what precedes one but for the first, is a slash."""
    groups: list[list[str]] = [[]]
    for token in tokens:
        if token == _FOLDERS:
            groups.append([])
        else:
            groups[-1].append(token)
    if len(groups) == 1:
        return _names(groups[0])
    first, *middle, last = groups
    expression = _names(first)
    for group in middle:
        if group != [_SLASH]:  # `**/**` says no more than `**`
            expression += f"(?>(?:[^/]+/)*?{_names(group[1:-1])}/)"
    return expression + (f"(?:.*/)?{_names(last[1:])}" if last else ".*")


def _names(tokens: list[str]) -> str:
    """Join the names between slashes."""
    names: list[list[str]] = [[]]
    for token in tokens:
        if token == _SLASH:
            names.append([])
        else:
            names[-1].append(token)
    return "/".join(map(_name, names))


def _name(tokens: list[str]) -> str:
    """Join the pieces between the stars of one name."""
    pieces: list[str] = [""]
    for token in tokens:
        if token == _STAR:
            pieces.append("")
        else:
            pieces[-1] += token
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle if piece) + f"[^/]*{last}"
