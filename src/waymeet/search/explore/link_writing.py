"""Links and code markup in the syntax of each markup language."""

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from waymeet.types import Chunk

_WIKI_LINK = re.compile(r"(?<!!)\[\[[^\[\]\n]{1,300}\]\]")
_MARKDOWN_LINK = re.compile(r"(?<!!)\[[^\[\]\n]{1,300}\]\((?!https?:|mailto:)[^()\n]{1,500}\)")
_SPHINX = re.compile(r":(?:doc|ref|class|func|meth|mod):`|^\.\. toctree::", re.MULTILINE)
_PAGE_SUFFIX = re.compile(r"\.(?:rst|rest|md|markdown|txt)$")


class LinkStyle(NamedTuple):
    """How the pages of a project write links, as far as a language has several ways."""

    wiki_links: bool = False
    """Whether Markdown pages link by `[[name]]` rather than by `[text](path)`."""
    sphinx: bool = False
    """Whether reStructuredText pages use the roles of Sphinx, such as `:doc:`."""


def detect_style(chunks: Iterable[Chunk]) -> LinkStyle:
    """Detect how links are written from some sections of a project."""
    wiki_links = markdown_links = sphinx = 0
    for chunk in chunks:
        wiki_links += len(_WIKI_LINK.findall(chunk.text))
        markdown_links += len(_MARKDOWN_LINK.findall(chunk.text))
        sphinx += bool(_SPHINX.search(chunk.text))
    return LinkStyle(wiki_links > markdown_links, sphinx > 0)


def can_link(language: str) -> bool:
    """Return whether links can be written in a markup language."""
    return language in _WRITERS


def write_link(language: str, source: str, target: str, text: str, style: LinkStyle) -> str:
    r"""Write a link from one page to another in the markup language of the first.

    >>> write_link("markdown", "docs/a.md", "guides/b c.md", "B [x]", LinkStyle())
    '[B \\[x\\]](../guides/b%20c.md)'
    >>> write_link("markdown", "a.md", "notes/Setup.md", "the setup", LinkStyle(wiki_links=True))
    '[[Setup|the setup]]'
    >>> write_link("rst", "docs/a.rst", "docs/b.rst", "B", LinkStyle(sphinx=True))
    ':doc:`B <b>`'
    >>> write_link("rst", "docs/a.rst", "docs/b.rst", "B", LinkStyle())
    '`B <b.rst>`__'
    >>> write_link("asciidoc", "docs/a.adoc", "b.adoc", "B", LinkStyle())
    'xref:../b.adoc[B]'
    >>> write_link("org", "a.org", "b.org", "B", LinkStyle()), write_link("html", "a.html", "b.html", "B", LinkStyle())
    ('[[file:b.org][B]]', '<a href="b.html">B</a>')
    """
    path = posixpath.relpath(f"/{target}", posixpath.dirname(f"/{source}"))
    return _WRITERS[language](path, " ".join(text.split()), style)


def write_code(language: str, text: str) -> str:
    """Write the name of a symbol as code.

    >>> write_code("markdown", "heat_kettle"), write_code("rst", "heat_kettle"), write_code("org", "heat_kettle")
    ('`heat_kettle`', '``heat_kettle``', '~heat_kettle~')
    """
    before, after = _CODE_MARKS.get(language, ("`", "`"))
    return f"{before}{text}{after}"


_CODE_MARKS = {"rst": ("``", "``"), "org": ("~", "~"), "html": ("<code>", "</code>")}


def _write_markdown(path: str, text: str, style: LinkStyle) -> str:
    if style.wiki_links:
        name = posixpath.basename(path).rpartition(".")[0] or posixpath.basename(path)
        return f"[[{name}]]" if name == text else f"[[{name}|{text}]]"
    label = re.sub(r"([\[\]\\])", r"\\\1", text)
    return f"[{label}]({quote(path, safe='/~')})"


def _write_rst(path: str, text: str, style: LinkStyle) -> str:
    label = text.replace("`", "'").replace("<", "\\<")
    if style.sphinx and _PAGE_SUFFIX.search(path):
        return f":doc:`{label} <{_PAGE_SUFFIX.sub('', path)}>`"
    return f"`{label} <{quote(path, safe='/~')}>`__"


def _write_asciidoc(path: str, text: str, _style: LinkStyle) -> str:
    macro = "xref" if path.endswith((".adoc", ".asciidoc", ".asc")) else "link"
    label = text.replace("]", "\\]")
    return f"{macro}:{quote(path, safe='/~')}[{label}]"


def _write_org(path: str, text: str, _style: LinkStyle) -> str:
    return f"[[file:{path}][{text.replace(']', ')').replace('[', '(')}]]"


def _write_html(path: str, text: str, _style: LinkStyle) -> str:
    return f'<a href="{escape(quote(path, safe="/~"))}">{escape(text, quote=False)}</a>'


_WRITERS: Mapping[str, Callable[[str, str, LinkStyle], str]] = {
    "markdown": _write_markdown,
    "rst": _write_rst,
    "asciidoc": _write_asciidoc,
    "org": _write_org,
    "html": _write_html,
}
