"""Formats of one content, such as a module beside its source, or HTML beside text."""

from typing import NamedTuple

_MODULE, _PYTHON, _PAGE = "module", "python", "page"
_FORMATS = {
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts", ".jsx", ".coffee"), (_MODULE, 0)),
    **dict.fromkeys((".js", ".mjs"), (_MODULE, 1)),
    ".cjs": (_MODULE, 2),
    **dict.fromkeys((".d.ts", ".d.mts", ".js.flow"), (_MODULE, 3)),
    ".d.cts": (_MODULE, 4),
    ".py": (_PYTHON, 0),
    ".pyi": (_PYTHON, 1),
    **dict.fromkeys((".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".asc", ".org"), (_PAGE, 0)),
    ".ipynb": (_PAGE, 0),
    **dict.fromkeys((".rst.txt", ".md.txt", ".html", ".htm", ".xhtml"), (_PAGE, 1)),
    ".docx": (_PAGE, 2),
    ".pdf": (_PAGE, 3),
}
"""Family of each format, and its order within the family: the written form first, then what is made from it."""
_OUTPUT_FOLDERS = frozenset(
    "dist build out output es esm es5 es6 es2015 cjs umd amd commonjs types typings _build _sources html site".split()
)
_PARALLEL_FOLDERS = _OUTPUT_FOLDERS | {"src", "source", "sources", "lib"}
"""Folders below which the same tree of files may be in another format."""


class FileFormat(NamedTuple):
    """The content of a file, and the format that it is in."""

    family: str
    """Formats that are made from each other."""
    content: str
    """Path without format and parallel folders: equal for all formats of one content."""
    stem: str
    """Name of the file without its format."""
    suffix: str
    order: int
    """The lower, the nearer to the form that is written by hand."""
    is_output: bool
    """Whether it is in a folder that usually has compiled or rendered files."""

    def has_same_content(self, other: "FileFormat") -> bool:
        """Check whether two files may be forms of one content."""
        return self.content == other.content and self.family == other.family


def file_format(path: str) -> FileFormat:
    """Split a path into content and format.

    >>> file_format("src/v4/errors.ts")
    FileFormat(family='module', content='v4/errors', stem='errors', suffix='.ts', order=0, is_output=False)
    >>> file_format("v4/errors.d.cts")
    FileFormat(family='module', content='v4/errors', stem='errors', suffix='.d.cts', order=4, is_output=False)
    >>> file_format("docs/_build/html/start.html").has_same_content(file_format("docs/start.rst"))
    True
    >>> file_format("dist/main.c").is_output, file_format("dist/main.c").stem, file_format(".env").stem
    (True, 'main', '.env')
    """
    *folders, name = path.lower().split("/")
    place = [folder for folder in folders if folder not in _PARALLEL_FOLDERS]
    is_output = len(place) < len(folders) and not _OUTPUT_FOLDERS.isdisjoint(folders)
    last = name.rfind(".")
    for dot in (name.rfind(".", 0, max(last, 0)), last):
        if dot > 0 and (known := _FORMATS.get(name[dot:])):
            family, order = known
            return FileFormat(family, "/".join([*place, name[:dot]]), name[:dot], name[dot:], order, is_output)
    end = last if last > 0 else len(name)
    return FileFormat(name[end:], "/".join([*place, name[:end]]), name[:end], name[end:], 0, is_output)
