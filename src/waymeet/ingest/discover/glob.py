r"""Translation of ignore patterns to regular expressions, by the rules of git's wildmatch.

The library pathspec is not used because the walk runs before each search: importing it takes longer than walking
thousands of files, and it tries every pattern on every path. `test_ignore_against_git.py` compares the results with
those of git itself.

Matching takes linear time for any pattern: each `*` but the last of a name, and each `**` but the last, matches at the
first position that fits and does not backtrack (an atomic group). For such patterns this finds every match.
"""

import re
from collections.abc import Iterator

_SLASH, _STAR, _ANY_FOLDERS = "/", "*", "**"
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


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern to an expression for `fullmatch`.

    The pattern comes without leading `!` and `/` and without trailing `/`.

    >>> bool(compile_pattern("docs/**/*.md").fullmatch("docs/a/b/c.md"))
    True
    >>> bool(compile_pattern("a*c").fullmatch("a/c"))
    False
    """
    return re.compile(_path_expression(list(_tokenize(as_bytes(pattern)))), re.DOTALL)


def as_bytes(text: str) -> str:
    """Spell a text with one character per UTF-8 byte, because git's `?` matches a byte.

    >>> as_bytes("é") == "Ã©"
    True
    """
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _tokenize(pattern: str) -> Iterator[str]:
    """Yield slashes, stars, and an expression of one character for everything else."""
    position = 0
    while position < len(pattern):
        character = pattern[position]
        if character == "*":
            end = position
            while pattern[end : end + 1] == "*":
                end += 1
            yield _ANY_FOLDERS if end - position > 1 and _is_whole_segment(pattern, position, end) else _STAR
            position = end
            continue
        if character == "[":
            expression, position = _parse_bracket(pattern, position + 1)
            yield expression
            continue
        if character == "\\":
            position += 1
            character = pattern[position : position + 1]
            yield _SLASH if character == "/" else re.escape(character) or _NEVER
        elif character == "?":
            yield "[^/]"
        else:
            yield _SLASH if character == "/" else re.escape(character)
        position += 1


def _is_whole_segment(pattern: str, start: int, end: int) -> bool:
    """Return whether a run of stars fills a path segment, so that it matches any folders.

    Git compares the part before the first wildcard by itself and starts a new match after it, so that a run which is
    the first wildcard counts as the beginning of a segment, too: `a**/b` matches `a/x/b`.
    """
    begins = start == 0 or pattern[start - 1] == "/" or not any(character in pattern[:start] for character in "*?[\\")
    return begins and (end == len(pattern) or pattern.startswith(("/", "\\/"), end))


def _parse_bracket(pattern: str, position: int) -> tuple[str, int]:
    """Parse `[…]` from the character after `[`, where an unclosed bracket matches nothing."""
    negated = pattern[position : position + 1] in ("!", "^")
    position += negated
    first, parts, previous = position, [], ""
    while position < len(pattern) and (pattern[position] != "]" or position == first):
        if pattern.startswith("[:", position) and (name := re.match(r"\[:([^]]*):\]", pattern[position:])):
            if name[1] not in _CLASSES:
                return _NEVER, len(pattern)
            parts.append(_CLASSES[name[1]])
            position, previous = position + name.end(), ""
            continue
        if pattern[position] == "-" and previous and pattern[position + 1 : position + 2] not in ("", "]"):
            position += 2 if pattern[position + 1] == "\\" else 1
            last = pattern[position : position + 1]
            if last >= previous:
                parts.append(f"{re.escape(previous)}-{re.escape(last)}")
            position, previous = position + 1, ""
            continue
        position += pattern[position] == "\\"
        previous = pattern[position : position + 1]
        parts.append(re.escape(previous))
        position += 1
    if position >= len(pattern):
        return _NEVER, len(pattern)
    inside = "".join(parts)
    return f"(?!/)[{'^' if negated else ''}{inside}]" if inside else ("[^/]" if negated else _NEVER), position + 1


def _path_expression(tokens: list[str]) -> str:
    """Join the groups of tokens between `**` to an expression.

    A slash follows each `**` and precedes all but the first.
    """
    groups: list[list[str]] = [[]]
    for token in tokens:
        if token == _ANY_FOLDERS:
            groups.append([])
        else:
            groups[-1].append(token)
    if len(groups) == 1:
        return _segments_expression(groups[0])
    first, *middle, last = groups
    expression = _segments_expression(first)
    for group in middle:
        if group != [_SLASH]:  # `**/**` matches the same as `**`
            expression += f"(?>(?:[^/]+/)*?{_segments_expression(group[1:-1])}/)"
    return expression + (f"(?:.*/)?{_segments_expression(last[1:])}" if last else ".*")


def _segments_expression(tokens: list[str]) -> str:
    """Join the path segments between slashes."""
    segments: list[list[str]] = [[]]
    for token in tokens:
        if token == _SLASH:
            segments.append([])
        else:
            segments[-1].append(token)
    return "/".join(map(_segment_expression, segments))


def _segment_expression(tokens: list[str]) -> str:
    """Join the pieces between the stars of one path segment."""
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
