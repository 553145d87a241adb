"""TSX: TypeScript with elements that call components."""

from msgspec.structs import replace

from waymeet.ingest.parse.code.languages import typescript

LANGUAGE = replace(
    typescript.LANGUAGE,
    grammar="tree_sitter_typescript.language_tsx",
    query=typescript.QUERY
    + "[(jsx_opening_element name: (identifier) @call) (jsx_self_closing_element name: (identifier) @call)]\n",
)
