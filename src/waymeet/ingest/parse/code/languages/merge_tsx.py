"""TSX: TypeScript with elements that call components."""

from msgspec.structs import replace

from waymeet.ingest.parse.code.languages.typescript import LANGUAGE as _TS

LANGUAGE = replace(
    _TS,
    grammar="tree_sitter_typescript.language_tsx",
    query=QUERY
    + "[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]\n",
)
