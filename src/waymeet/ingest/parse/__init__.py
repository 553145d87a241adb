"""The table of file types: what each is, and who reads it. A new type is one line here, and a parser if need be."""

from collections.abc import Callable
from typing import NamedTuple

from waymeet.ingest.parse import markdown, text
from waymeet.ingest.parse.parsed import Heading, Parsed, RawLink

__all__ = [
    "Format",
    "Heading",
    "Parsed",
    "RawLink",
    "format_of",
    "has_known_ending",
    "parse",
]

Parser = Callable[[str, str, str, str], Parsed]


class Format(NamedTuple):
    """A type of file."""

    kind: str
    """`docs`, `code` or `files`."""
    language: str
    parser: Parser = text.parse


_DOCS = {
    "markdown": "md markdown mdown mkd mdx qmd rmd mdc",
    "text": "txt text",
    "rst": "rst rest",
    "asciidoc": "adoc asciidoc asc",
    "org": "org",
    "textile": "textile",
    "mediawiki": "wiki mediawiki",
    "latex": "tex latex",
}
_CODE = {
    "python": "py pyi pyw pyx",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts tsx",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala sc",
    "groovy": "groovy gradle",
    "clojure": "clj cljs cljc",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx ipp",
    "csharp": "cs csx",
    "fsharp": "fs fsi fsx",
    "vb": "vb",
    "go": "go",
    "rust": "rs",
    "zig": "zig",
    "d": "d",
    "nim": "nim",
    "swift": "swift",
    "objective-c": "m mm",
    "dart": "dart",
    "ruby": "rb rake gemspec",
    "php": "php phtml",
    "perl": "pl pm t",
    "lua": "lua",
    "r": "r",
    "julia": "jl",
    "haskell": "hs lhs",
    "ocaml": "ml mli",
    "elm": "elm",
    "erlang": "erl hrl",
    "elixir": "ex exs",
    "lisp": "lisp cl el",
    "scheme": "scm ss rkt",
    "shell": "sh bash zsh fish ksh",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "sql": "sql ddl",
    "protobuf": "proto",
    "thrift": "thrift",
    "graphql": "graphql gql",
    "terraform": "tf tfvars hcl",
    "nix": "nix",
    "solidity": "sol",
    "verilog": "v sv",
    "vhdl": "vhd vhdl",
    "assembly": "s asm",
    "fortran": "f f90 f95",
    "cobol": "cob cbl",
    "pascal": "pas pp",
    "vue": "vue",
    "svelte": "svelte",
    "astro": "astro",
    "css": "css scss sass less",
    "cmake": "cmake",
    "make": "mk mak",
    "cuda": "cu cuh",
    "glsl": "glsl vert frag wgsl hlsl",
    "tcl": "tcl",
    "awk": "awk",
    "vim": "vim",
    "starlark": "bzl bazel star",
    "jinja": "j2 jinja jinja2",
}
_FILES = {
    "json": "json jsonc json5 jsonl ndjson geojson webmanifest ipynb",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf cnf editorconfig",
    "properties": "properties",
    "dotenv": "env",
    "xml": "xml xsd xsl xslt plist svg csproj pom rss atom",
    "html": "html htm xhtml",
    "csv": "csv tsv psv",
    "diff": "diff patch",
    "log": "log",
}
_NAMES = {
    "makefile": Format("code", "make"),
    "gnumakefile": Format("code", "make"),
    "dockerfile": Format("code", "docker"),
    "containerfile": Format("code", "docker"),
    "jenkinsfile": Format("code", "groovy"),
    "vagrantfile": Format("code", "ruby"),
    "rakefile": Format("code", "ruby"),
    "gemfile": Format("code", "ruby"),
    "justfile": Format("code", "make"),
    "cmakelists.txt": Format("code", "cmake"),
    "requirements.txt": Format("files", "text"),
    **{
        name: Format("docs", "text")
        for name in "readme license licence copying notice changelog changes authors contributors news todo".split()
    },
}
_PARSERS: dict[str, Parser] = {"markdown": markdown.parse}
_ENDINGS = {
    ending: Format(kind, language, _PARSERS.get(language, text.parse))
    for kind, languages in (("docs", _DOCS), ("code", _CODE), ("files", _FILES))
    for language, endings in languages.items()
    for ending in endings.split()
}
_UNKNOWN = Format("files", "")


def format_of(path: str) -> Format:
    """Tell a file's type by its name.

    >>> format_of("a/README")[:2], format_of("a/x.TSX")[:2], format_of("a/x.weird")[:2]
    (('docs', 'text'), ('code', 'typescript'), ('files', ''))
    """
    name = path.rpartition("/")[2].lower()
    return _NAMES.get(name) or _ENDINGS.get(name.rpartition(".")[2] if "." in name else "", _UNKNOWN)


def has_known_ending(name: str) -> bool:
    """Tell whether what follows the last dot of a name is the ending of a known type of file."""
    stem, dot, ending = name.rpartition(".")
    return bool(stem and dot) and ending.lower() in _ENDINGS


def parse(path: str, content: str) -> Parsed:
    """Read a file's text by the parser for its type."""
    form = format_of(path)
    return form.parser(path, content, form.kind, form.language)
