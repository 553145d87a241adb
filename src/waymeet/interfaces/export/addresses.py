"""Addresses of the pages of a site: file names that every host and file system accepts."""

import re
from collections.abc import Iterable, Mapping
from posixpath import dirname, relpath
from typing import NamedTuple

START_PAGE = "index.html"
PAGE_LINES = 5000
"""Lines of a document on one page."""
_FOLDER = "read"
_UNSAFE = re.compile(r"[^A-Za-z0-9._/-]+")
_MAX_NAME = 120


class Addresses(NamedTuple):
    """The pages of all documents, by id."""

    files: Mapping[str, str]
    """Path of the first page without `.html`, from the root of the site."""
    folders: Mapping[str, str]
    """Anchor of a folder on the start page, by its id, which ends with a slash."""

    def page(self, document: str, line: int = 1) -> str:
        """Give the page that has a line of a document, from the root of the site."""
        part = (max(line, 1) - 1) // PAGE_LINES
        return self.files[document] + (f"~p{part + 1}.html" if part else ".html")

    def url(self, document: str, page: str, line: int = 0) -> str:
        """Give the address of a document as seen from a page, or an empty text if it has none."""
        if document in self.files:
            return relative(self.page(document, line), page) + (f"#L{line}" if line else "")
        folder = document if document.endswith("/") else f"{document}/"
        return f"{relative(START_PAGE, page)}#{self.folders[folder]}" if folder in self.folders else ""


def relative(target: str, page: str) -> str:
    """Give the address of a file of the site as seen from a page.

    >>> relative("index.html", "read/docs/a.md.html"), relative("read/a.html", "index.html")
    ('../../index.html', 'read/a.html')
    """
    return relpath(target, dirname(page) or ".")


def assign_addresses(paths: Mapping[str, str], folders: Iterable[str]) -> Addresses:
    """Assign a page to each document, given by its id with the path to show.

    Names that differ only in case or in unsafe characters get a number.

    >>> found = assign_addresses({"A.md": "A.md", "a.md": "a.md", "b c?.md": "b c?.md"}, ["docs/"])
    >>> sorted(found.files.values()), found.folders
    (['read/A.md', 'read/a.md~2', 'read/b-c-.md'], {'docs/': 'folder-1'})
    """
    files: dict[str, str] = {}
    taken: set[str] = set()
    for document in sorted(paths):
        name = base = f"{_FOLDER}/{_clean(paths[document])}"
        number = 1
        while name.lower() in taken:
            number += 1
            name = f"{base}~{number}"
        taken.add(name.lower())
        files[document] = name
    anchors = {folder: f"folder-{number}" for number, folder in enumerate(sorted(folders), start=1)}
    return Addresses(files, anchors)


def _clean(path: str) -> str:
    """Replace unsafe characters and a dot at the beginning.

    A folder must not have the name of a page, so `.html` at its end is changed.
    """
    *folders, name = (_UNSAFE.sub("-", part)[:_MAX_NAME] for part in path.split("/"))
    parts = [*(f"{folder}-" if folder.endswith(".html") else folder for folder in folders), name]
    return "/".join(f"-{part}" if part.startswith(".") or not part else part for part in parts)
