"""Docstrings, messages and pages use the words of the field, not metaphors."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCES = sorted((REPOSITORY / "src" / "waymeet").rglob("*.py"))
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")])

METAPHORS = re.compile(
    r"\b(heed(s|ed|ing)?|mend(s|ed|ing)?|told|stands? in (?!for)|like (query|queries|questions?)|slips?|tongues?|twins?"
    r"|doors?|shel(f|ves|ved|ving)|desks?|gifts?|kindred|roads?|rooms?|houses?)\b",
    re.IGNORECASE,
)
"""Words that the code once used in place of the field's own."""
STABLE_CODES = frozenset({"mended"})
"""Values of `degraded[].code`, which programs compare: they stay as they are."""


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield docstrings and strings of more than one word, with their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_strings_and_docstrings_have_no_metaphors(path: Path) -> None:
    found = [
        f"line {line}: {match.group()}"
        for line, text in _texts(path)
        for match in METAPHORS.finditer(text)
        if match.group() not in STABLE_CODES
    ]
    assert found == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_pages_have_no_metaphors(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.name == "CHANGELOG.md":
        text = re.sub(r"`[^`]*`", "", text)  # it lists old names
    found = [match.group() for match in METAPHORS.finditer(text) if match.group() not in STABLE_CODES]
    assert found == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_the_first_line_of_a_docstring_is_short_and_one_clause(path: Path) -> None:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if len(first) > 90 or ";" in first:
                found.append(first)
    assert found == []
