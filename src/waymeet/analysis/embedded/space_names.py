"""Names of the vector spaces that belong to the space of a model's section vectors."""

import re
from collections.abc import Iterable

_FILE_FORMAT = 1
"""Version of the text of files. It is part of the names of spaces, so that a change embeds all files again."""
_PART_FORMAT = 1
"""Version of the parts of sections and of their quantisation, likewise."""
_STUDENT_FORMAT = 1
"""Version of the student's prediction, likewise."""
_DERIVED = re.compile(r" (?:files|parts|student)/")
SHORT = "short"
"""In place of a language: sections of a few words, which are similar to every short query."""
_ENGLISH = "en"
"""Stands for English and code, whose detected language is the empty string."""


def file_space(space: str) -> str:
    """Name the space of file vectors that belongs to the space of a model's section vectors.

    Cosines in both are comparable. The vector of a file is stored under the first chunk of its document.

    >>> file_space("granite-30m-en/1+2")
    'granite-30m-en/1+2 files/1'
    """
    return f"{space} files/{_FILE_FORMAT}"


def part_space(space: str, language: str) -> str:
    """Name the space of a multilingual model's vectors of the parts of sections in a language.

    Scores in the spaces of all languages are comparable. `SHORT` stands for sections that are not compared.

    >>> part_space("use-multilingual/1+2", "ja"), part_space("use-multilingual/1+2", "")
    ('use-multilingual/1+2 parts/1 ja', 'use-multilingual/1+2 parts/1 en')
    """
    return f"{space} parts/{_PART_FORMAT} {language or _ENGLISH}"


def part_spaces(space: str, stored: Iterable[str]) -> dict[str, str]:
    """Find the spaces of parts of a model among the stored ones, with their languages.

    >>> part_spaces("use/1", ["use/1", "use/1 parts/1 en", "use/1 parts/1 ja", "use/1 files/1"])
    {'use/1 parts/1 en': '', 'use/1 parts/1 ja': 'ja'}
    """
    prefix = f"{space} parts/{_PART_FORMAT} "
    languages = {name: name.removeprefix(prefix) for name in stored if name.startswith(prefix)}
    return {name: "" if language == _ENGLISH else language for name, language in languages.items()}


def student_space(space: str) -> str:
    """Name the space of approximate vectors, predicted until the true ones are made.

    They are vectors of the same model's space. Storing the true vector of a chunk removes the approximate one.

    >>> student_space("granite-30m-en/1+2")
    'granite-30m-en/1+2 student/1'
    """
    return f"{space} student/{_STUDENT_FORMAT}"


def is_student_space(space: str) -> bool:
    """Check whether a space holds approximate vectors of a student.

    >>> is_student_space("granite-30m-en/1+2 student/1"), is_student_space("granite-30m-en/1+2")
    (True, False)
    """
    return " student/" in space


def is_part_space(space: str) -> bool:
    """Check whether a space holds vectors of sections and their parts, two bits per dimension.

    >>> is_part_space("use-multilingual/1+2 parts/1 ja"), is_part_space("use-multilingual/1+2")
    (True, False)
    """
    return " parts/" in space


def section_space(space: str) -> str:
    """Return the space of section vectors that a space belongs to, which may be itself.

    >>> section_space("granite-30m-en/1+2 files/1"), section_space("granite-30m-en/1+2")
    ('granite-30m-en/1+2', 'granite-30m-en/1+2')
    """
    return _DERIVED.split(space, maxsplit=1)[0]
