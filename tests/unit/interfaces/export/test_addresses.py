"""Addresses of pages are safe, different, and relative."""

import re

from hypothesis import given
from hypothesis import strategies as st

from waymeet.interfaces.export.addresses import PAGE_LINES, assign_addresses, relative

_PATHS = st.sets(st.from_regex(r"\A[\w .<>\"'?#%~éå-]{1,6}(/[\w .<>?#%é-]{1,6}){0,2}\Z"), max_size=8)


@given(_PATHS)
def test_pages_have_different_safe_names(paths: set[str]) -> None:
    addresses = assign_addresses({path: path for path in paths}, ())
    pages = [addresses.page(path, line) for path in paths for line in (1, PAGE_LINES + 1)]
    assert len({page.lower() for page in pages}) == len(pages)
    for page in pages:
        assert re.fullmatch(r"read(/[A-Za-z0-9_-][A-Za-z0-9._~-]*)+\.html", page)
    folders = {page.lower().rpartition("/")[0] for page in pages}
    assert not any(
        folder == page.lower() or folder.startswith(f"{page.lower()}/") for folder in folders for page in pages
    )


def test_a_line_is_on_its_page() -> None:
    addresses = assign_addresses({"src/a.py": "src/a.py", "b.md": "b.md"}, ["src/"])
    assert addresses.url("src/a.py", "read/b.md.html", 7) == "src/a.py.html#L7"
    assert addresses.url("src/a.py", "read/b.md.html", PAGE_LINES + 7) == f"src/a.py~p2.html#L{PAGE_LINES + 7}"
    assert addresses.url("b.md", "read/src/a.py.html") == "../b.md.html"
    assert addresses.url("src", "read/src/a.py.html") == "../../index.html#folder-1"
    assert addresses.url("gone.md", "read/b.md.html") == ""
    assert relative("assets/page.css", "index.html") == "assets/page.css"
