"""Jupyter notebooks as Markdown: text cells and fenced code, without outputs."""

from typing import Any

import msgspec
from msgspec import Struct

from waymeet.ingest.read.extract.errors import ExtractError
from waymeet.ingest.read.extract.escape import fence_code

_Source = str | list[str]


class _Cell(Struct):
    cell_type: str = "code"
    source: _Source = ""
    input: _Source = ""
    """The code in notebooks of format 3."""
    level: int = 1
    language: str = ""


class _Sheet(Struct):
    cells: list[_Cell] = []


class _Notebook(Struct):
    cells: list[_Cell] = []
    worksheets: list[_Sheet] = []
    metadata: dict[str, Any] = {}


def to_markdown(raw: bytes) -> str:
    r"""Convert a notebook to Markdown.

    >>> to_markdown(b'{"cells": [{"cell_type": "markdown", "source": ["# A\\n", "b"]}, {"source": "x = 1"}]}')
    '# A\nb\n\n```python\nx = 1\n```\n'
    """
    try:
        notebook = msgspec.json.decode(raw, type=_Notebook)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ExtractError(f"not a readable notebook: {error}") from error
    language = _language(notebook.metadata)
    cells = notebook.cells or [cell for sheet in notebook.worksheets for cell in sheet.cells]
    blocks = [_cell_markdown(cell, language) for cell in cells]
    return "\n\n".join(block for block in blocks if block.strip()) + "\n"


def _cell_markdown(cell: _Cell, language: str) -> str:
    text = _join_source(cell.source) or _join_source(cell.input)
    if cell.cell_type == "code":
        return fence_code(text, cell.language or language) if text.strip() else ""
    if cell.cell_type == "heading":
        return f"{'#' * min(max(cell.level, 1), 6)} {text}"
    return text.rstrip("\n")


def _join_source(source: _Source) -> str:
    text = source if isinstance(source, str) else "".join(source)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _language(metadata: dict[str, Any]) -> str:
    """Return the programming language of the notebook's code."""
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        values = metadata.get(section)
        if isinstance(values, dict) and isinstance(values.get(key), str) and values[key].isalnum():
            return str(values[key]).lower()
    return "python"
