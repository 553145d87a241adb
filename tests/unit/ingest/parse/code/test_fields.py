"""Fields of source code: class attributes, enum members and other names that are no symbols."""

import pytest
from support.projects import entry

from waymeet.ingest.parse import parse
from waymeet.ingest.parse.code import symbols as symbols_module

CASES = {
    "a.sh": ("LIMIT=1\nrun() {\n  inner=2\n}\n", ["LIMIT"]),
    "a.c": (
        (
            "int counter = 0;\nenum mode { FAST, SAFE = 2 };\nstruct item { int cents; char *name; };\n"
            "int f(void) { int inner = 1; return inner; }\n"
        ),
        ["counter", "mode.FAST", "mode.SAFE", "item.cents", "item.name"],
    ),
    "a.cpp": (
        "class Store { int size_ = 1; std::string name; };\nenum class Mode { Fast };\n",
        ["Store.size_", "Store.name", "Mode.Fast"],
    ),
    "a.cs": (
        "class Store { private int size; public const int Max = 1; public event Action Done; }\nenum Mode { Fast }\n",
        ["Store.size", "Store.Done", "Mode.Fast"],
    ),
    "a.go": ("package a\ntype Store struct {\n\tName string\n\ta, b int\n}\n", ["Store.Name", "Store.a", "Store.b"]),
    "A.java": (
        "class Store { private int size; static final int MAX = 1; enum Mode { FAST } }\nrecord Pair(int one) {}\n",
        ["Store.size", "Store.Mode.FAST", "Pair.one"],
    ),
    "a.kt": ("class Store(val size: Int, other: Int)\nenum class Mode { FAST }\n", ["Store.size", "Mode.FAST"]),
    "a.php": (
        "<?php\nclass Store { public $size; function __construct(private Rows $index) {} }\nenum Mode { case Fast; }\n",
        ["Store.size", "Store.index", "Mode.Fast"],
    ),
    "a.py": (
        (
            "class Admin:\n    list_display = ()\n    LIMIT = 3\n    size: int\n\n    def __init__(self):\n"
            "        self.config = 1\n        inner = 2\n\n    def run(self):\n        self.later = 3\n"
        ),
        ["Admin.list_display", "Admin.size", "Admin.config"],
    ),
    "a.rb": ("class Store\n  attr_accessor :name, :size\nend\n", ["Store.name", "Store.size"]),
    "a.rs": (
        "pub struct Store { pub size: u8 }\nenum Mode { Fast, Safe(u8) }\n",
        ["Store.size", "Mode.Fast", "Mode.Safe"],
    ),
    "a.scala": (
        "class Store(val size: Int) { var index = 1 }\nenum Mode { case Fast, Safe }\n",
        ["Store.size", "Store.index", "Mode.Fast", "Mode.Safe"],
    ),
    "a.swift": (
        "enum Mode { case fast\n case safe(Int) }\nprotocol Listing { var size: Int { get } }\n",
        ["Mode.fast", "Mode.safe", "Listing.size"],
    ),
    "a.ts": (
        (
            "export interface Options { limit: number; run(): void }\nexport type Row = { cell: string };\n"
            "export const table = { wide: 1, print: () => 1 };\nenum Mode { Fast, Safe = 1 }\n"
            "class Store { constructor(private readonly index: Index, other: number) {} }\n"
            "const run = () => { const inner = { cell: 1 } };\n"
        ),
        ["Options.limit", "Row.cell", "table.wide", "table.print", "Mode.Fast", "Mode.Safe", "Store.index"],
    ),
    "a.d.ts": ("export declare const parser: Parser;\n", ["parser"]),
    "a.js": (
        "app.limit = 3;\napp.run = function () {};\nconst table = { wide: 1, print: function () {} };\n",
        ["app.limit", "table.wide", "table.print"],
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_fields_are_found_in_every_language(path: str) -> None:
    text, expected = CASES[path]
    assert [field.name for field in parse(path, text).fields] == expected


def test_a_field_is_a_name_of_its_document_and_an_anchor_of_its_chunk() -> None:
    found = entry("a.py", CASES["a.py"][0])
    assert {"d:Admin.list_display", "d:list_display"} <= set(found.document.names)
    assert "s:list_display" not in found.document.names, "links are not resolved to fields"
    (chunk,) = (chunk for chunk in found.chunks if "Admin.list_display" in chunk.anchors)
    assert "list_display = ()" in chunk.text
    assert [symbol.name for chunk in found.chunks for symbol in chunk.symbols] == [
        "Admin",
        "Admin.LIMIT",
        "Admin.__init__",
        "Admin.run",
    ]


def test_a_file_with_very_many_fields_keeps_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbols_module, "MAX_FIELDS", 2)
    text = "class A:\n" + "".join(f"    field_{number} = 1\n" for number in range(5))
    assert [field.name for field in parse("a.py", text).fields] == ["A.field_0", "A.field_1"]
