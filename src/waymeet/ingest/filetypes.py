"""File types by extension and name: kind, language, and whether a file holds text."""

from typing import NamedTuple

_BINARY_EXTENSIONS = frozenset(
    """
    7z a aab aac accdb aif aiff apk ar arrow avi avif bin blend bmp br bz2 cab cer class cr2 crx cur db db3 deb der
    dex dll dmg doc docm ear egg eot epub exe feather flac flv gif glb gz h5 hdf5 heic icns ico idx img iso jar
    jp2 jpeg jpg joblib keychain lib lz lz4 lzma m4a m4v mdb mid mkv mo mobi mov mp3 mp4 mpeg mpg msi msix nib npy npz o
    obj odp ods odt oga ogg ogv onnx opus orc otf pack parquet pb pcap pdb pickle pkl png ppt pptm pptx psd pt pth
    pyc pyd pyo rar rdb rlib rpm safetensors sketch so sqlite sqlite3 stl swf swp tar tflite tgz tif tiff ttc ttf
    vsix war wasm wav webm webp whl wim wma wmv woff woff2 wt xls xlsb xlsm xlsx xz z zip zst
    """.split()
)
"""Extensions of files without text to search."""


def is_binary_name(name: str) -> bool:
    """Return whether the extension of a file is that of a binary format.

    >>> is_binary_name("Photo.JPG"), is_binary_name("notes.md"), is_binary_name("png")
    (True, False, False)
    """
    stem, dot, extension = name.rpartition(".")
    return bool(dot and stem) and extension.lower() in _BINARY_EXTENSIONS


_BULKY_EXTENSIONS = (".pdf", ".docx", ".ipynb")
_BULKY_FACTOR = 10


def max_bytes(name: str, limit: int) -> int:
    """Return the size limit of a file: ten times the usual one for formats with embedded images.

    >>> max_bytes("a.md", 100), max_bytes("A.PDF", 100)
    (100, 1000)
    """
    return limit * _BULKY_FACTOR if is_bulky(name) else limit


def is_bulky(name: str) -> bool:
    """Return whether most bytes of a file are usually not text, as in PDF, Word and notebooks."""
    return name.lower().endswith(_BULKY_EXTENSIONS)


class FileType(NamedTuple):
    """Kind and language of a file, by its name."""

    kind: str
    """`docs`, `code` or `files`; a parser may set another one (`Parsed.kind`)."""
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
_NAMES = {
    "makefile": FileType("code", "make"),
    "gnumakefile": FileType("code", "make"),
    "dockerfile": FileType("code", "docker"),
    "containerfile": FileType("code", "docker"),
    "jenkinsfile": FileType("code", "groovy"),
    "vagrantfile": FileType("code", "ruby"),
    "rakefile": FileType("code", "ruby"),
    "gemfile": FileType("code", "ruby"),
    "justfile": FileType("code", "make"),
    "cmakelists.txt": FileType("code", "cmake"),
    "requirements.txt": FileType("files", "text"),
    **{
        name: FileType("docs", "text")
        for name in "readme license licence copying notice changelog changes authors contributors news todo".split()
    },
}
_EXTENSIONS = {
    extension: FileType(kind, language)
    for kind, languages in (("docs", _DOCS), ("code", _CODE), ("files", _FILES))
    for language, extensions in languages.items()
    for extension in extensions.split()
}
_UNKNOWN = FileType("files", "")


def file_type(path: str) -> FileType:
    """Return the type of a file by its name.

    >>> file_type("a/README"), file_type("a/x.weird")
    (FileType(kind='docs', language='text'), FileType(kind='files', language=''))
    """
    name = path.rpartition("/")[2].lower()
    return _NAMES.get(name) or _EXTENSIONS.get(name.rpartition(".")[2] if "." in name else "", _UNKNOWN)


def has_known_extension(name: str) -> bool:
    """Return whether the extension of a name is that of a known file type."""
    stem, dot, extension = name.rpartition(".")
    return bool(stem and dot) and extension.lower() in _EXTENSIONS
