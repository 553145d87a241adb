"""Mentions of code in prose: paths, symbols in backticks, imports in code blocks."""

import builtins
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from waymeet.analysis import file_name_key, path_key, symbol_key
from waymeet.ingest.filetypes import has_known_extension, is_binary_name
from waymeet.ingest.parse.parsed import RawLink
from waymeet.ingest.parse.references.paths import join_below_root, module_key, parent_folders
from waymeet.ingest.parse.references.sentence import extract_sentence

MENTIONS = "mentions"
_MAX_CHARS = 160
_MAX_BASES = 4
_MAX_REFS = 6
"""Keys that are looked up for one mention: most have no target, and must be cheap."""
_AMBIGUOUS_STEMS = frozenset({"readme", "index", "__init__", "main", "mod", "license", "changelog", "setup", "package"})
"""File names that are not specific without their folder."""
_PATH = r"(?:\.{0,2}/)?(?:[\w@+-][\w@.+-]*/)*[\w@+.-]*[\w+-]\.[A-Za-z][A-Za-z0-9+]{0,9}"
_LINES = r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)"
_WHOLE_PATH = re.compile(rf"(?P<path>{_PATH})(?:{_LINES}|(?:#|::)(?P<symbol>[A-Za-z_][\w.]*))?(?:\(\))?")
_PROSE_PATH = re.compile(
    r"(?<![\w/.:@+~$%-])(?:\.{1,2}/)?(?:[\w@+-][\w@.+-]{0,80}/){1,12}[\w@+.-]{0,80}\.[A-Za-z][A-Za-z0-9+]{0,9}(?![\w/])"
)
_SYMBOL = re.compile(r"@?(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?P<call>\([^()`]*\))?")
_NAME_SEPARATOR = re.compile(r"::|#|->|\.")
_CASE_CHANGE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PYTHON_FROM = re.compile(r"^[ >.$]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w ,\t]+)", re.MULTILINE)
_PYTHON_IMPORT = re.compile(r"^[ >.$]*import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+)*)", re.MULTILINE)
_SCRIPT_IMPORT = re.compile(
    r"""^[ >$]*(?:import|export)\b[^'"\n;]{0,300}?from[ \t]*['"](?P<from>[^'"\n]+)['"]"""
    r"""|\b(?:require|import)\([ \t]*['"](?P<call>[^'"\n]+)['"]""",
    re.MULTILINE,
)
_PYTHON = frozenset({"python", "py", "python3", "pycon", "ipython"})
_SCRIPT = frozenset({"javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs", "vue", "svelte"})
_MODULE_FAMILIES = {"py": "python", "pyi": "python"} | dict.fromkeys("js jsx mjs cjs ts tsx mts cts".split(), "js")
_BUILTINS = frozenset(dir(builtins)) | frozenset(
    "String Number Boolean Object Array Promise Map Set Date Error".split()
)
_DOMAINS = frozenset({"com", "net", "io", "dev"})
_EXTERNAL_OWNERS = frozenset(
    "self this cls np pd tf plt torch console math json object array promise document window".split()
)
"""Names before a dot that never belong to the project."""


class Mention(Struct, frozen=True):
    """A text that names code."""

    refs: tuple[str, ...]
    """Keys to look up, the best first."""
    anchor: str = ""
    """The symbol, if the text names one."""
    text: str = ""


def parse_code_span(text: str, path: str) -> Mention | None:
    """Parse a text in backticks, if it looks like a file or a symbol.

    >>> parse_code_span("src/a.py:12", "docs/x.md").refs
    ('p:docs/src/a.py', 'p:src/a.py', 'p:src/src/a.py', 'm:python:src/a')
    >>> parse_code_span("Store.put()", "x.md")
    Mention(refs=('s:Store.put',), anchor='Store.put', text='Store.put()')
    >>> [parse_code_span(each, "x.md") for each in ("--flag", "limit", "GET", "a b", "np.array", "1.5")]
    [None, None, None, None, None, None]
    """
    written = text.strip()
    if (
        not written
        or len(written) > _MAX_CHARS
        or is_binary_name(written)
        or ("@" in written[1:] and "/" not in written)
    ):
        return None
    match = _WHOLE_PATH.fullmatch(written)
    if match and _is_file(match["path"]):
        refs = path_keys(match["path"], path)
        return Mention(refs, match["symbol"] or "", written) if refs else None
    return _parse_symbol(written)


def find_paths(text: str, path: str) -> Iterator[tuple[int, int, Mention]]:
    """Find the paths in a text, each once, with the range of characters.

    A file name without a folder does not count as a path in prose.

    >>> [each.text for _, _, each in find_paths("See src/a.py, and/or https://b.c/d.py; not e.py.", "x.md")]
    ['src/a.py']
    """
    known: set[str] = set()
    for match in _PROSE_PATH.finditer(text):
        if match.group() not in known and _is_file(match.group()):
            known.add(match.group())
            refs = path_keys(match.group(), path)
            if refs:
                yield match.start(), match.end(), Mention(refs, "", match.group())


def find_in_code(language: str, code: str, path: str) -> Iterator[Mention]:
    r"""Find the imports and paths in a code block.

    >>> [(each.anchor, each.refs[0]) for each in find_in_code("python", "from app.store import Store\n", "x.md")]
    [('Store', 'm:python:app/store')]
    """
    if language in _PYTHON:
        yield from _find_python_imports(code)
    elif language in _SCRIPT:
        yield from _find_script_imports(code, path)
    for _, _, mention in find_paths(code, path):
        yield mention


def path_keys(target: str, source: str) -> tuple[str, ...]:
    """List the keys of a path, relative to the document's folder, a parent, the root or `src`.

    >>> path_keys("app.py", "docs/x.md"), path_keys("README.md", "docs/x.md")
    (('n:app.py',), ())
    """
    if "/" not in target:
        return () if target.rpartition(".")[0].lower() in _AMBIGUOUS_STEMS else (file_name_key(target),)
    if target.startswith("/"):
        bases = [""]
    elif target.startswith(("./", "../")):
        bases = [next(parent_folders(source))]
    else:
        folders = list(parent_folders(source))
        bases = [*folders[: _MAX_BASES - 1], *folders[_MAX_BASES - 1 :][-1:], "src"]
    keys = [path_key(path) for base in bases if (path := join_below_root(base, target))]
    stem, _, extension = target.rpartition(".")
    if extension in _MODULE_FAMILIES and target[0] not in "./":  # modules have a key for the end of their path
        keys.append(module_key(_MODULE_FAMILIES[extension], stem))
    return tuple(dict.fromkeys(keys))


def _is_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return has_known_extension(name) and not is_binary_name(name)


def _parse_symbol(written: str) -> Mention | None:
    """Parse the name of a symbol, unless it could be an ordinary word."""
    match = _SYMBOL.fullmatch(written)
    if match is None:
        return None
    parts = _NAME_SEPARATOR.split(match["name"])
    if parts[0].lower() in _EXTERNAL_OWNERS:
        parts = parts[1:] if parts[0] in {"self", "this", "cls"} else []
    is_call = match["call"] is not None
    if not parts or not (len(parts) > 1 or is_call or _is_coined(parts[0]) or _is_proper(parts[0])):
        return None
    if len(parts) == 1:
        is_common = len(parts[0]) == 1 or parts[0] in _BUILTINS
        return None if is_common else Mention((symbol_key(parts[0]),), parts[0], written)
    return _parse_qualified(parts, written, is_call=is_call)


def _parse_qualified(parts: list[str], written: str, *, is_call: bool) -> Mention | None:
    """Parse a dotted name: of a member, of a symbol in a module, or of a module."""
    if parts[0] in sys.stdlib_module_names or parts[-1] in _DOMAINS:
        return None
    first = next((index for index, part in enumerate(parts) if _is_proper(part)), len(parts) - 1)
    symbol, modules = ".".join(parts[first:]), parts[:first]
    full_key, last = symbol_key(".".join(parts)), parts[-1]
    if first < len(parts) - 1 or is_call or _is_coined(last) or _is_proper(last):
        # If a package reexports a symbol, the file that defines it comes first.
        files, folders = _split_keys(_list_module_keys(modules))
        symbol_keys = [symbol_key(symbol)] if _is_coined(symbol) or _is_proper(symbol) else []
        refs = dict.fromkeys((full_key, *files, *symbol_keys, *folders))
        return Mention(tuple(refs)[:_MAX_REFS], symbol, written)
    return Mention((*_list_module_keys(parts), full_key), "", written)


def _list_module_keys(parts: list[str]) -> list[str]:
    """List the keys of a Python module, first as a file, then as a folder."""
    if not parts:
        return []
    path = "/".join(parts)
    paths = (path,) if len(parts) > 1 else (f"/{path}", f"/src/{path}")
    return [module_key("python", f"{each}{slash}") for slash in ("", "/") for each in paths]


def _is_coined(name: str) -> bool:
    """Check whether a name has an underscore or capital inside, unlike an ordinary word."""
    return "_" in name.strip("_") or _CASE_CHANGE.search(name) is not None


def _is_proper(name: str) -> bool:
    """Check whether a name is capitalised, but not an abbreviation."""
    return name[:1].isupper() and any(letter.islower() for letter in name)


def _find_python_imports(code: str) -> Iterator[Mention]:
    for match in _PYTHON_FROM.finditer(code):
        parts = match[1].split(".")
        if not all(parts) or parts[0] in sys.stdlib_module_names:
            continue
        for item in match[2].split(","):
            name = item.split()[0] if item.split() else ""
            if name:
                files, folders = _split_keys(_list_module_keys(parts))
                refs = (*files, *_list_module_keys([*parts, name]), *folders)
                yield Mention(refs[:_MAX_REFS], name, f"{match[1]}.{name}")
    for match in _PYTHON_IMPORT.finditer(code):
        for item in match[1].split(","):
            dotted = item.split()[0].strip(".") if item.split() else ""
            if dotted and dotted.partition(".")[0] not in sys.stdlib_module_names:
                yield Mention(tuple(_list_module_keys(dotted.split("."))), "", dotted)


def _split_keys(keys: list[str]) -> tuple[list[str], list[str]]:
    """Split the keys of a module into those of files and those of folders."""
    return keys[: len(keys) // 2], keys[len(keys) // 2 :]


def _find_script_imports(code: str, path: str) -> Iterator[Mention]:
    """Find imports of files. Imports of packages lead out of the project."""
    for match in _SCRIPT_IMPORT.finditer(code):
        target = match["from"] or match["call"]
        if not target.startswith(("./", "../", "src/", "@/", "~/")):
            continue
        target = target.removeprefix("@/").removeprefix("~/")
        bases = (next(parent_folders(path)), "") if target.startswith(".") else ("", "src")
        paths = [joined for base in bases if (joined := join_below_root(base, target))]
        if has_known_extension(target.rpartition("/")[2]):
            paths = [each.rpartition(".")[0] for each in paths]
        keys = [module_key("js", f"/{each}{slash}") for slash in ("", "/") for each in paths]
        if keys:
            yield Mention(tuple(dict.fromkeys(keys)), "", target)


MAX_MENTIONS = 400
"""Mentions that are kept of one document. More come from lists and are not specific."""
_MAX_CODE_CHARS = 20_000


class MentionCollector:
    """Collector of the mentions of one document, in the order of the text."""

    def __init__(self, path: str, strip_markup: Callable[[str], str] = str) -> None:
        self.links: list[RawLink] = []
        self.path = path
        self._strip_markup = strip_markup
        self._known: set[tuple[str, str]] = set()

    def add_text(
        self,
        text: str,
        spans: Sequence[tuple[int, int, int]],
        linked: Sequence[tuple[int, int]],
        line: int,
        section: str,
    ) -> None:
        """Add the mentions of a paragraph: in backticks, or as paths outside of links.

        `spans` are the ranges in backticks with their lines, `linked` the ranges of links.
        """
        parsed: set[str] = set()
        for start, end, span_line in spans:
            written = text[start:end]
            if written in parsed or len(self.links) >= MAX_MENTIONS:
                continue
            parsed.add(written)
            mention = parse_code_span(written, self.path)
            if mention:
                self.add(mention, self._strip_markup(extract_sentence(text, start, end)), span_line, section)
        if "/" not in text or len(self.links) >= MAX_MENTIONS:
            return
        occupied = sorted((*linked, *((start, end) for start, end, _ in spans)))
        for start, end, mention in find_paths(text, self.path):
            if not _overlaps_any(occupied, start, end):
                self.add(mention, self._strip_markup(extract_sentence(text, start, end)), max(line, 1), section)

    def add_code(self, language: str, code: str, line: int, section: str) -> None:
        """Add the imports and paths in a code block."""
        if len(self.links) < MAX_MENTIONS:
            for mention in find_in_code(language, code[:_MAX_CODE_CHARS], self.path):
                self.add(mention, "", line, section)

    def add(self, mention: Mention, sentence: str, line: int, section: str) -> None:
        """Add a mention, unless its section has one with the same keys already."""
        key = (section, "\n".join((*mention.refs, mention.anchor)))
        if key in self._known or len(self.links) >= MAX_MENTIONS:
            return
        self._known.add(key)
        text = " ".join(mention.text.split())
        self.links.append(RawLink("", mention.anchor, MENTIONS, text, sentence, line, section, mention.refs))


def _overlaps_any(ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Check whether a range overlaps one of the sorted, disjoint ranges.

    >>> _overlaps_any([(0, 3), (5, 8)], 3, 5), _overlaps_any([(0, 3), (5, 8)], 7, 9)
    (False, True)
    """
    after = bisect_left(ranges, (end, 0))
    return after > 0 and ranges[after - 1][1] > start
