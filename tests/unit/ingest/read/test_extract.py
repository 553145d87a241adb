"""Notebooks, Word documents and PDFs: bytes → Markdown, or the reason why not."""

import io
import json
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.ingest.index import index
from waymeet.ingest.parse import parse
from waymeet.ingest.read import extract
from waymeet.ingest.read.extract import ExtractError, extract_text
from waymeet.ingest.read.extract import docx as docx_module
from waymeet.ingest.workers.task import ParseRules, Task, run_task
from waymeet.settings import Chunking, Settings
from waymeet.stores.memory.store import MemoryStore

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = f"""<w:styles {W}><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>"""
BODY = """
<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>The manual</w:t></w:r></w:p>
<w:p><w:r><w:t># of </w:t></w:r><w:r><w:t xml:space="preserve">leaves &amp; tins</w:t></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="berschrift2"/></w:pPr><w:r><w:t>Counting</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>weigh</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>tea</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>grams</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
"""


def docx(body: str = BODY, *, before: str = "", styles: str = STYLES) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f"{before}<w:document {W}><w:body>{body}</w:body></w:document>")
        archive.writestr("word/styles.xml", styles)
    return file.getvalue()


def pdf(*pages: str, title: str = "") -> bytes:
    """Write a PDF with one line of text on each page; readers find the objects without a table of them."""
    kids = " ".join(f"{10 + 2 * number} 0 R" for number in range(len(pages)))
    parts = [
        "%PDF-1.4",
        "1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj",
        f"2 0 obj << /Type /Pages /Kids [{kids}] /Count {len(pages)} >> endobj",
        "3 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj",
        f"4 0 obj << /Title ({title}) >> endobj",
    ]
    font = "/Resources << /Font << /F1 3 0 R >> >>"
    for number, text in enumerate(pages):
        page, content = 10 + 2 * number, 11 + 2 * number
        stream = f"BT /F1 12 Tf 1 1 Td ({text}) Tj ET"
        parts += (
            f"{page} 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 900 9] /Contents {content} 0 R {font} >> endobj",
            f"{content} 0 obj << /Length {len(stream)} >> stream\n{stream}\nendstream endobj",
        )
    return "\n".join((*parts, "trailer << /Root 1 0 R /Info 4 0 R >>", "%%EOF")).encode()


def text(path: str, raw: bytes) -> str:
    decoded = extract_text(path, raw)
    assert decoded is not None
    return decoded.text


def test_a_notebook_is_cells_without_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Tasting\n", "\n", "By minute."]},
        {"cell_type": "code", "source": "s = '''\n```\n'''", "outputs": [{"text": "hidden"}], "execution_count": 1},
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "code", "source": ""},
    ]
    raw = json.dumps({"cells": cells, "metadata": {"language_info": {"name": "julia"}}}).encode()
    assert text("a.ipynb", raw) == "# Tasting\n\nBy minute.\n\n````julia\ns = '''\n```\n'''\n````\n\nraw\n"
    parsed = parse("a.ipynb", text("a.ipynb", raw))
    assert (parsed.title, [each.name for each in parsed.symbols]) == ("Tasting", ["tasting/julia-1"])


def test_an_old_notebook() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "x = 1"}]
    raw = json.dumps({"worksheets": [{"cells": cells}]}).encode()
    assert text("a.ipynb", raw) == "## Old\n\n```python\nx = 1\n```\n"


def test_a_word_document() -> None:
    assert text("a.docx", docx()) == "# The manual\n\n\\# of leaves & tins\n\n## Counting\n\n- weigh\n\ntea | grams\n"


def test_a_pdf_is_a_section_for_each_page() -> None:
    raw = pdf("Green tea never boils.", "# of leaves", title="The manual")
    assert text("a.pdf", raw) == "# The manual\n\n## Page 1\n\nGreen tea never boils.\n\n## Page 2\n\n\\# of leaves\n"
    assert parse("docs/a.pdf", text("a.pdf", raw)).title == "The manual"


def test_a_pdf_without_a_title_is_called_by_its_name() -> None:
    assert parse("docs/tea.pdf", text("a.pdf", pdf("Text"))).title == "tea"


@pytest.mark.parametrize(
    ("path", "raw", "reason"),
    [
        ("a.ipynb", b"{", "not a readable notebook"),
        ("a.ipynb", b'{"cells": 1}', "not a readable notebook"),
        ("a.ipynb", b"[" * 100_000, "not a readable notebook"),
        ("a.docx", b"PK", "not a readable Word document"),
        ("a.docx", docx("<w:p>"), "not a readable Word document"),
        ("a.docx", docx(before="<!DOCTYPE a [<!ENTITY b 'c'>]>"), "a DOCTYPE is refused"),
        ("a.docx", docx("<w:r>" * 1000 + "</w:r>" * 1000), "nested too deeply"),
        ("a.pdf", b"%PDF-1.4 nothing", "not a readable PDF"),
        ("a.pdf", pdf(""), "without text"),
    ],
)
def test_what_cannot_be_read_says_why(path: str, raw: bytes, reason: str) -> None:
    with pytest.raises(ExtractError, match=reason):
        extract_text(path, raw)


def test_a_word_document_is_not_unpacked_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx_module, "MAX_BYTES", 10_000)
    with pytest.raises(ExtractError, match="more than 10,000 bytes when unpacked"):
        extract_text("a.docx", docx("<w:p/>" * 10_000))


def test_a_library_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "MAX_CHARACTERS", 40)
    (tmp_path / "tea.docx").write_bytes(docx())
    built = run_task(Task("tea.docx"), ParseRules(str(tmp_path), 1_000_000, Chunking())).built
    assert built is not None
    assert built.warnings == ("only its first 35 characters are indexed",)
    assert built.entry.chunks[0].text == "# The manual\n\n\\# of leaves & tins"


def test_a_zip_without_a_text_is_no_word_document() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(ExtractError, match="document part is missing"):
        extract_text("a.docx", file.getvalue())


@pytest.mark.parametrize("path", ["a.ipynb", "a.docx", "a.pdf"])
@given(raw=st.one_of(st.binary(), st.binary(max_size=100).map(lambda tail: b"%PDF-1.4\n" + tail)))
def test_any_bytes_are_read_or_refused(path: str, raw: bytes) -> None:
    with suppress(ExtractError):
        extract_text(path, raw)


def test_a_missing_extra_is_named_and_the_file_is_still_found_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    (tmp_path / "tea.pdf").write_bytes(pdf("Text"))
    outcome = run_task(Task("tea.pdf"), ParseRules(str(tmp_path), 1_000_000, Chunking()))
    assert (outcome.reason, outcome.is_path_only) == ("PDF files need an extra: pip install 'waymeet[pdf]'", True)


def test_documents_are_found_and_read_by_the_lines_of_their_text(tmp_path: Path) -> None:
    (tmp_path / "tea.pdf").write_bytes(pdf("Green tea never boils.", title="The manual"))
    (tmp_path / "tea.docx").write_bytes(docx())
    store = MemoryStore()
    assert index(tmp_path, store, Settings()).skipped == ()
    found = store.documents(["tea.pdf", "tea.docx"])
    assert {(each.kind, each.language, each.title) for each in found.values()} == {
        ("docs", "pdf", "The manual"),
        ("docs", "docx", "The manual"),
    }
    assert "never boils" in store.chunks_of(["tea.pdf"])["tea.pdf"][0].text
