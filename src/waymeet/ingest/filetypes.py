"""Types of files by their endings and names: what kind of knowledge each is, and in which language it is written."""

from typing import NamedTuple


class Listed(NamedTuple):
    """What a file's name tells of it."""

    kind: str
    """`docs`, `code` or `files`."""
    language: str


_DOCS = {
    "markdown": "md markdown mdown mkd mdx qmd rmd mdc",
    "text": "txt text",
    "rst": "rst rest",
    "asciidoc": "adoc asciidoc asc",
    "org": "org",
    "textile": "textile",
    "mediawiki": "wiki mediawiki",
    "latex": "tex latex",
    "notebook": "ipynb",
    "pdf": "pdf",
    "docx": "docx",
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
    "json": "json jsonc json5 jsonl ndjson geojson webmanifest",
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
NAMES = {
    "makefile": Listed("code", "make"),
    "gnumakefile": Listed("code", "make"),
    "dockerfile": Listed("code", "docker"),
    "containerfile": Listed("code", "docker"),
    "jenkinsfile": Listed("code", "groovy"),
    "vagrantfile": Listed("code", "ruby"),
    "rakefile": Listed("code", "ruby"),
    "gemfile": Listed("code", "ruby"),
    "justfile": Listed("code", "make"),
    "cmakelists.txt": Listed("code", "cmake"),
    "requirements.txt": Listed("files", "text"),
    **{
        name: Listed("docs", "text")
        for name in "readme license licence copying notice changelog changes authors contributors news todo".split()
    },
}
ENDINGS = {
    ending: Listed(kind, language)
    for kind, languages in (("docs", _DOCS), ("code", _CODE), ("files", _FILES))
    for language, endings in languages.items()
    for ending in endings.split()
}
_UNKNOWN = Listed("files", "")


def listed(path: str) -> Listed:
    """Tell a file's type by its name.

    >>> listed("a/README"), listed("a/x.weird")
    (Listed(kind='docs', language='text'), Listed(kind='files', language=''))
    """
    name = path.rpartition("/")[2].lower()
    return NAMES.get(name) or ENDINGS.get(name.rpartition(".")[2] if "." in name else "", _UNKNOWN)


def has_known_ending(name: str) -> bool:
    """Tell whether what follows the last dot of a name is the ending of a known type of file."""
    stem, dot, ending = name.rpartition(".")
    return bool(stem and dot) and ending.lower() in ENDINGS
