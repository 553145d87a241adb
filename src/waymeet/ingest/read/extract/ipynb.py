"""Jupyter notebooks: cells one after the other, code between fences. Outputs are left out."""

from typing import Any

import msgspec
from msgspec import Struct

from waymeet.ingest.read.extract.errors import ExtractError
from waymeet.ingest.read.extract.escape import fenced

_Source = str | list[str]


class _Cell(Struct):
    cell_type: str = "code"
    source: _Source = ""
    input: _Source = ""
    """Where notebooks of format 3 keep code."""
    level: int = 1
    language: str = ""


class _Sheet(Struct):
    cells: list[_Cell] = []


class _Notebook(Struct):
    cells: list[_Cell] = []
    worksheets: list[_Sheet] = []
    metadata: dict[str, Any] = {}


def read(raw: bytes) -> str:
    r"""Write a notebook down as Markdown.

    >>> read(b'{"cells": [{"cell_type": "markdown", "source": ["# A\\n", "b"]}, {"source": "x = 1"}]}')
    '# A\nb\n\n```python\nx = 1\n```\n'
    """
    try:
        notebook = msgspec.json.decode(raw, type=_Notebook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ExtractError(f"not a notebook that can be read: {error}") from error
    language = _language(notebook.metadata)
    cells = notebook.cells or [cell for sheet in notebook.worksheets for cell in sheet.cells]
    written = [_written(cell, language) for cell in cells]
    return "\n\n".join(each for each in written if each.strip()) + "\n"


def _written(cell: _Cell, language: str) -> str:
    text = _joined(cell.source) or _joined(cell.input)
    if cell.cell_type == "code":
        return fenced(text, cell.language or language) if text.strip() else ""
    if cell.cell_type == "heading":
        return f"{'#' * min(max(cell.level, 1), 6)} {text}"
    return text.rstrip("\n")


def _joined(source: _Source) -> str:
    text = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _language(metadata: dict[str, Any]) -> str:
    """Read in which language the code is written."""
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        values = metadata.get(section)
        if isinstance(values, dict) and isinstance(values.get(key), str) and values[key].isalnum():
            return str(values[key]).lower()
    return "python"
