"""Code that prose speaks of: paths, symbols in backticks, imports in blocks of code."""

import builtins
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from waymeet.analysis import file_name_key, path_key, symbol_key
from waymeet.ingest.filetypes import has_known_extension, is_binary_name
from waymeet.ingest.parse.parsed import RawLink
from waymeet.ingest.parse.references.paths import above, below_root, module
from waymeet.ingest.parse.references.sentence import around

MENTIONS = "mentions"
_LONGEST = 160
_MOST_BASES = 4
_MOST_REFS = 6
"""Keys that one mention is looked for under: most mentions lead nowhere and must cost little."""
_EVERYWHERE = frozenset({"readme", "index", "__init__", "main", "mod", "license", "changelog", "setup", "package"})
"""Names of files that say nothing without their folder."""
_PATH = r"(?:\.{0,2}/)?(?:[\w@+-][\w@.+-]*/)*[\w@+.-]*[\w+-]\.[A-Za-z][A-Za-z0-9+]{0,9}"
_LINES = r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)"
_WHOLE_PATH = re.compile(rf"(?P<path>{_PATH})(?:{_LINES}|(?:#|::)(?P<symbol>[A-Za-z_][\w.]*))?(?:\(\))?")
_PROSE_PATH = re.compile(
    r"(?<![\w/.:@+~$%-])(?:\.{1,2}/)?(?:[\w@+-][\w@.+-]{0,80}/){1,12}[\w@+.-]{0,80}\.[A-Za-z][A-Za-z0-9+]{0,9}(?![\w/])"
)
_SYMBOL = re.compile(r"@?(?P<name>[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?P<call>\([^()`]*\))?")
_JOINT = re.compile(r"::|#|->|\.")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PYTHON_FROM = re.compile(r"^[ >.$]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w ,\t]+)", re.MULTILINE)
_PYTHON_IMPORT = re.compile(r"^[ >.$]*import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+)*)", re.MULTILINE)
_SCRIPT_IMPORT = re.compile(
    r"""^[ >$]*(?:import|export)\b[^'"\n;]{0,300}?from[ \t]*['"](?P<from>[^'"\n]+)['"]"""
    r"""|\b(?:require|import)\([ \t]*['"](?P<call>[^'"\n]+)['"]""",
    re.MULTILINE,
)
_PYTHON = frozenset({"python", "py", "python3", "pycon", "ipython"})
_SCRIPT = frozenset({"javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs", "vue", "svelte"})
_FAMILIES = {"py": "python", "pyi": "python"} | dict.fromkeys("js jsx mjs cjs ts tsx mts cts".split(), "js")
_BUILTINS = frozenset(dir(builtins)) | frozenset(
    "String Number Boolean Object Array Promise Map Set Date Error".split()
)
_DOMAINS = frozenset({"com", "net", "io", "dev"})
_OUTSIDE = frozenset("self this cls np pd tf plt torch console math json object array promise document window".split())
"""Names before the dot that never are a project's own."""


class Mention(Struct, frozen=True):
    """A piece of text that names code."""

    refs: tuple[str, ...]
    """Keys to look for, the best first."""
    anchor: str = ""
    """The symbol meant, if one is."""
    text: str = ""


def quoted(text: str, path: str) -> Mention | None:
    """Understand what stands in backticks, if it looks like a file or a symbol.

    >>> quoted("src/a.py:12", "docs/x.md").refs
    ('p:docs/src/a.py', 'p:src/a.py', 'p:src/src/a.py', 'm:python:src/a')
    >>> quoted("Store.put()", "x.md")
    Mention(refs=('s:Store.put',), anchor='Store.put', text='Store.put()')
    >>> [quoted(each, "x.md") for each in ("--flag", "limit", "GET", "a b", "np.array", "1.5")]
    [None, None, None, None, None, None]
    """
    written = text.strip()
    if not written or len(written) > _LONGEST or is_binary_name(written) or ("@" in written[1:] and "/" not in written):
        return None
    found = _WHOLE_PATH.fullmatch(written)
    if found and _is_file(found["path"]):
        refs = paths(found["path"], path)
        return Mention(refs, found["symbol"] or "", written) if refs else None
    return _symbol(written)


def in_prose(text: str, path: str) -> Iterator[tuple[int, int, Mention]]:
    """Find the paths that a text names, each once, with where it begins and ends. A name alone is no path in prose.

    >>> [each.text for _, _, each in in_prose("See src/a.py, and/or https://b.c/d.py; not e.py.", "x.md")]
    ['src/a.py']
    """
    seen: set[str] = set()
    for found in _PROSE_PATH.finditer(text):
        if found.group() not in seen and _is_file(found.group()):
            seen.add(found.group())
            refs = paths(found.group(), path)
            if refs:
                yield found.start(), found.end(), Mention(refs, "", found.group())


def in_code(language: str, code: str, path: str) -> Iterator[Mention]:
    r"""Find what a block of code imports, and the paths it names.

    >>> [(each.anchor, each.refs[0]) for each in in_code("python", "from app.store import Store\n", "x.md")]
    [('Store', 'm:python:app/store')]
    """
    if language in _PYTHON:
        yield from _python(code)
    elif language in _SCRIPT:
        yield from _script(code, path)
    for _, _, mention in in_prose(code, path):
        yield mention


def paths(target: str, source: str) -> tuple[str, ...]:
    """List the keys of a file as a document may name it: from its folder or one above it, or below `src`.

    >>> paths("app.py", "docs/x.md"), paths("README.md", "docs/x.md")
    (('n:app.py',), ())
    """
    if "/" not in target:
        return () if target.rpartition(".")[0].lower() in _EVERYWHERE else (file_name_key(target),)
    if target.startswith("/"):
        bases = [""]
    elif target.startswith(("./", "../")):
        bases = [next(above(source))]
    else:
        folders = list(above(source))
        bases = [*folders[: _MOST_BASES - 1], *folders[_MOST_BASES - 1 :][-1:], "src"]
    found = (below_root(base, target) for base in bases)
    keys = [path_key(place) for place in found if place]
    stem, _, ending = target.rpartition(".")
    if ending in _FAMILIES and target[0] not in "./":  # the end of a path is a key of modules
        keys.append(module(_FAMILIES[ending], stem))
    return tuple(dict.fromkeys(keys))


def _is_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return has_known_extension(name) and not is_binary_name(name)


def _symbol(written: str) -> Mention | None:
    """Understand the name of a symbol: one that no ordinary word could be."""
    found = _SYMBOL.fullmatch(written)
    if found is None:
        return None
    parts = _JOINT.split(found["name"])
    if parts[0].lower() in _OUTSIDE:
        parts = parts[1:] if parts[0] in {"self", "this", "cls"} else []
    called_ = found["call"] is not None
    if not parts or not (len(parts) > 1 or called_ or _is_coined(parts[0]) or _is_proper(parts[0])):
        return None
    if len(parts) == 1:
        usual = len(parts[0]) == 1 or parts[0] in _BUILTINS
        return None if usual else Mention((symbol_key(parts[0]),), parts[0], written)
    return _qualified(parts, written, called_=called_)


def _qualified(parts: list[str], written: str, *, called_: bool) -> Mention | None:
    """Understand a name with dots: of a member, of something in a module, or of a module itself."""
    if parts[0] in sys.stdlib_module_names or parts[-1] in _DOMAINS:
        return None
    own = next((at for at, part in enumerate(parts) if _is_proper(part)), len(parts) - 1)
    meant, modules = ".".join(parts[own:]), parts[:own]
    whole, last = symbol_key(".".join(parts)), parts[-1]
    if own < len(parts) - 1 or called_ or _is_coined(last) or _is_proper(last):
        # Where a package offers what a file of it defines, the definition is meant.
        files, folders = _halves(_modules(modules))
        known = [symbol_key(meant)] if _is_coined(meant) or _is_proper(meant) else []
        return Mention(tuple(dict.fromkeys((whole, *files, *known, *folders)))[:_MOST_REFS], meant, written)
    return Mention((*_modules(parts), whole), "", written)


def _modules(parts: list[str]) -> list[str]:
    """List the keys of the file or folder that a Python module may be."""
    if not parts:
        return []
    place = "/".join(parts)
    places = (place,) if len(parts) > 1 else (f"/{place}", f"/src/{place}")
    return [module("python", f"{each}{folder}") for folder in ("", "/") for each in places]


def _is_coined(name: str) -> bool:
    """Tell a name made for a program from a word: by an underscore inside, or a capital inside."""
    return "_" in name.strip("_") or _HUMP.search(name) is not None


def _is_proper(name: str) -> bool:
    """Tell whether a name is capitalised, but not an abbreviation."""
    return name[:1].isupper() and any(letter.islower() for letter in name)


def _python(code: str) -> Iterator[Mention]:
    for found in _PYTHON_FROM.finditer(code):
        parts = found[1].split(".")
        if not all(parts) or parts[0] in sys.stdlib_module_names:
            continue
        for name in found[2].split(","):
            wanted = name.split()[0] if name.split() else ""
            if wanted:
                files, folders = _halves(_modules(parts))
                refs = (*files, *_modules([*parts, wanted]), *folders)
                yield Mention(refs[:_MOST_REFS], wanted, f"{found[1]}.{wanted}")
    for found in _PYTHON_IMPORT.finditer(code):
        for each in found[1].split(","):
            dotted = each.split()[0].strip(".") if each.split() else ""
            if dotted and dotted.partition(".")[0] not in sys.stdlib_module_names:
                yield Mention(tuple(_modules(dotted.split("."))), "", dotted)


def _halves(keys: list[str]) -> tuple[list[str], list[str]]:
    return keys[: len(keys) // 2], keys[len(keys) // 2 :]


def _script(code: str, path: str) -> Iterator[Mention]:
    """Find relative imports; those of packages lead out of the project."""
    for found in _SCRIPT_IMPORT.finditer(code):
        target = found["from"] or found["call"]
        if not target.startswith(("./", "../", "src/", "@/", "~/")):
            continue
        target = target.removeprefix("@/").removeprefix("~/")
        bases = (next(above(path)), "") if target.startswith(".") else ("", "src")
        places = [place for base in bases if (place := below_root(base, target))]
        if has_known_extension(target.rpartition("/")[2]):
            places = [place.rpartition(".")[0] for place in places]
        keys = [module("js", f"/{place}{folder}") for folder in ("", "/") for place in places]
        if keys:
            yield Mention(tuple(dict.fromkeys(keys)), "", target)


MOST = 400
"""Mentions that are kept of one document: a list of everything says little of anything."""


class Mentioned:
    """The mentions of one document, in the order of the text. `plain` takes the markup out of their sentences."""

    def __init__(self, path: str, plain: Callable[[str], str] = str) -> None:
        self.links: list[RawLink] = []
        self.path = path
        self._plain = plain
        self._seen: set[tuple[str, str]] = set()

    def in_text(
        self,
        text: str,
        spans: Sequence[tuple[int, int, int]],
        linked: Sequence[tuple[int, int]],
        line: int,
        section: str,
    ) -> None:
        """Take what a paragraph names: in backticks (`spans`, each with its line), or as a path outside of links."""
        quotations: set[str] = set()
        for start, end, at in spans:
            written = text[start:end]
            if written in quotations or len(self.links) >= MOST:
                continue
            quotations.add(written)
            mention = quoted(written, self.path)
            if mention:
                self.add(mention, self._plain(around(text, start, end)), at, section)
        if "/" not in text or len(self.links) >= MOST:
            return
        taken = sorted((*linked, *((start, end) for start, end, _ in spans)))
        for start, end, mention in in_prose(text, self.path):
            if not _meets(taken, start, end):
                self.add(mention, self._plain(around(text, start, end)), max(line, 1), section)

    def in_code(self, language: str, code: str, line: int, section: str) -> None:
        """Take what a block of code imports and the paths it names."""
        if len(self.links) < MOST:
            for mention in in_code(language, code[:20_000], self.path):
                self.add(mention, "", line, section)

    def add(self, mention: Mention, sentence: str, line: int, section: str) -> None:
        """Keep a mention, unless its section has it already."""
        # Where a mention leads is decided by its keys: the same keys in the same section say nothing new.
        place = (section, "\n".join((*mention.refs, mention.anchor)))
        if place in self._seen or len(self.links) >= MOST:
            return
        self._seen.add(place)
        text = " ".join(mention.text.split())
        self.links.append(RawLink("", mention.anchor, MENTIONS, text, sentence, line, section, mention.refs))


def _meets(ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether some characters overlap with one of the ranges, which are sorted and do not overlap.

    >>> _meets([(0, 3), (5, 8)], 3, 5), _meets([(0, 3), (5, 8)], 7, 9)
    (False, True)
    """
    behind = bisect_left(ranges, (end, 0))
    return behind > 0 and ranges[behind - 1][1] > start
