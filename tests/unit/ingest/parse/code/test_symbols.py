"""Symbols of source code: names, kinds, signatures, comments, lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.projects import LANGUAGES, entry, files

from waymeet.analysis import count_terms
from waymeet.ingest.chunk import split_chunks
from waymeet.ingest.filetypes import file_type
from waymeet.ingest.parse import parse
from waymeet.ingest.parse.code import LANGUAGES as KNOWN
from waymeet.ingest.parse.code import grammar
from waymeet.ingest.parse.code import symbols as symbols_module
from waymeet.ingest.parse.code.language import KINDS, Language
from waymeet.ingest.parse.code.languages import find_language
from waymeet.ingest.parse.code.symbols import MIN_OUTER_LINES
from waymeet.settings import Chunking
from waymeet.types import Symbol

ENDINGS = "py js jsx ts tsx go rs java c h cpp cs rb php kt swift scala sh".split()


def language(ending: str) -> Language:
    found = find_language(f"a.{ending}", file_type(f"a.{ending}").language, "")
    assert found is not None
    return found


def symbols(path: str, text: str) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in parse(path, text).symbols}


def test_a_symbol_has_all_its_properties() -> None:
    found = symbols("src/shop/money.py", files("python")["src/shop/money.py"])
    assert found["Price"] == Symbol("Price", "class", 6, 26, "class Price", "An amount in cents.")
    assert found["Price.euros"].kind == "property"
    assert found["Price.euros"].start == 17, "its decorator belongs to it"
    assert found["Price.__init__"].kind == "constructor"
    assert found["Price.add"].signature == 'def add(self, other: "Price") -> "Price"'
    assert found["round_up"].doc == "Round to the next five."
    assert "inner" not in found, "what is local is no symbol"


@pytest.mark.parametrize(
    ("language", "path", "name", "expected"),
    [
        ("typescript", "src/shop/money.ts", "Price", ("class", 12, 31, "An amount of money.", True)),
        ("typescript", "src/shop/money.ts", "Price.hidden", ("method", 28, 30, "", False)),
        ("typescript", "src/shop/money.ts", "format", ("function", 45, 45, "", True)),
        ("go", "internal/store/store.go", "Store.Put", ("method", 30, 37, "Put adds one.", True)),
        ("go", "internal/store/store.go", "base", ("struct", 17, 17, "", False)),
        ("rust", "shop/src/money.rs", "Price", ("struct", 6, 10, "An amount.", True)),
        ("rust", "shop/src/money.rs", "Price.new", ("method", 13, 16, "Makes one.", True)),
        ("java", "src/shop/store/Store.java", "Store", ("class", 5, 35, "Keeps things in memory.", True)),
        ("java", "src/shop/store/Store.java", "Store.Store", ("constructor", 14, 17, "", True)),
        ("c", "include/shop/store.h", "store_put", ("function", 17, 18, "Puts a thing in.", True)),
        ("cpp", "store.hpp", "shop.Shelf", ("class", 34, 38, "", True)),
        ("csharp", "Store/Store.cs", "IKeeper", ("interface", 6, 10, "Keeps things.", True)),
        ("ruby", "lib/shop/store.rb", "Shop.Store.initialize", ("constructor", 21, 24, "", True)),
        ("php", "src/Store/Store.php", "Logging", ("trait", 12, 17, "", True)),
        ("kotlin", "shop/Store.kt", "Registry", ("object", 40, 44, "", True)),
        ("swift", "Store.swift", "Keeper", ("interface", 3, 6, "Keeps things.", True)),
        ("scala", "shop/Store.scala", "Store.check", ("method", 27, 27, "", False)),
        ("bash", "lib/log.sh", "say", ("function", 5, 8, "Says something.", True)),
    ],
)
def test_every_language_is_understood(
    language: str, path: str, name: str, expected: tuple[str, int, int, str, bool]
) -> None:
    symbol = symbols(path, files(language)[path])[name]
    assert (symbol.kind, symbol.start, symbol.end, symbol.doc, symbol.exported) == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_kinds_are_few_and_names_unique(language: str) -> None:
    for path, text in files(language).items():
        found = parse(path, text).symbols
        assert {symbol.kind for symbol in found} <= KINDS
        assert len({symbol.name for symbol in found}) == len(found)
        assert list(found) == sorted(found, key=lambda symbol: (symbol.start, -symbol.end))


def test_a_repeated_name_gets_a_number_and_overloads_are_one() -> None:
    assert list(symbols("a.py", "def f():\n    1\n\n\ndef f():\n    2\n")) == ["f", "f~2"]
    assert list(symbols("a.py", "x = 1\nx = 2\n")) == ["x"]
    text = "/** Doc. */\nexport function f(a: string): void;\nexport function f(a: any) {}\n"
    assert symbols("a.ts", text) == {"f": Symbol("f", "function", 1, 3, "function f(a: any)", "Doc.")}


def test_a_long_signature_is_cut() -> None:
    (found,) = parse("a.py", f"def f({', '.join(f'argument_{n}' for n in range(100))}):\n    pass\n").symbols
    assert len(found.signature) == 300


def test_a_file_is_known_by_what_it_defines() -> None:
    names = entry("src/shop/money.py", files("python")["src/shop/money.py"]).document.names
    assert {"s:Price", "s:Price.add", "s:add", "s:shop.Price", "m:python:/src/shop/money", "m:python:shop/money"} <= {
        *names
    }
    assert "s:inner" not in names
    (java,) = (name for name in entry("A.java", "package a.b;\nclass A {}\n").document.names if "a.b" in name)
    assert java == "s:a.b.A"


def test_code_is_cut_at_symbols() -> None:
    text = files("python")["src/shop/money.py"]
    made = split_chunks("money.py", text, parse("money.py", text), Chunking(max_chars=400, min_chars=60))
    assert [(chunk.start, chunk.end, chunk.headings) for chunk in made] == [
        (1, 10, ("CENTS",)),
        (12, 15, ("Price", "LIMIT")),
        (17, 20, ("Price", "euros")),
        (22, 23, ("Price", "add")),
        (25, 26, ("Price", "twice")),
        (29, 31, ("SalePrice",)),
        (34, 40, ("round_up",)),
    ]
    assert made[0].anchors == ("CENTS", "Price")
    assert made[3].anchors == ("Price.add", "add")
    assert made[4].anchors == ("Price.twice",), "two methods are called so"
    assert [symbol.name for symbol in made[5].symbols] == ["SalePrice", "SalePrice.twice"]


def test_what_goes_on_keeps_its_anchor() -> None:
    text = "def f():\n" + "".join(f"    value_{n} = {n}\n\n" for n in range(30))
    made = split_chunks("a.py", text, parse("a.py", text), Chunking(max_chars=200, min_chars=20))
    assert len(made) > 2
    assert {chunk.anchors for chunk in made} == {("f",)}
    assert [len(chunk.symbols) for chunk in made] == [1] + [0] * (len(made) - 1)


def test_the_names_of_symbols_are_the_headings_of_a_chunk() -> None:
    made = entry("a.py", "class Store:\n    def put_item(self):\n        pass\n")
    assert made.chunk_terms[0]["headings"] == count_terms("Store\nStore.put_item")


def test_a_file_whose_grammar_is_missing_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_language: Language, _text: bytes) -> None:
        raise ImportError("no grammar")

    monkeypatch.setattr("waymeet.ingest.parse.code.match_query", missing)
    parsed = parse("a.py", "def f():\n    pass\n")
    assert parsed.symbols == ()
    assert parsed.warnings == ("grammar of python not usable (ImportError); searched as plain text",)


def test_a_generated_file_is_not_followed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbols_module, "MAX_SYMBOLS", 10)
    monkeypatch.setattr("waymeet.ingest.parse.code.edges.MAX_LINKS", 5)
    parsed = parse("a.py", "".join(f"def f{n}():\n    f{n - 1}()\n" for n in range(1, 30)))
    assert len(parsed.symbols) == 10
    assert len(parsed.links) == 15
    assert len(parsed.warnings) == 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_deep_nesting_is_no_danger(ending: str) -> None:
    for text in ("(" * 9_000, "{" * 2_000, "a(" * 4_000, "f.g" * 6_000, "class A {" * 500, "if x:\n " * 500):
        parse(f"a.{ending}", text)


@pytest.mark.parametrize("ending", sorted({*ENDINGS} - {"sh"}))
def test_a_chain_of_calls_does_not_take_longer_and_longer(ending: str) -> None:
    deepest = grammar.MAX_DEPTH
    chain = "class A { void f() { a" + ".next_one()" * 5_000 + "; } }\n"
    tree, found = grammar.match_query(language(ending), chain.encode())
    assert len(found) <= 2 * deepest
    del tree


def test_grammars_are_loaded_when_needed() -> None:
    assert set(KNOWN) == {file_type(f"a.{ending}").language for ending in ENDINGS}
    assert grammar._load.cache_info().maxsize is None


WORDS = """
class def fn func function import from use package namespace struct interface trait impl extends implements new return
self this super const let var public static export default if else end module require include A B foo bar_baz x 1 'text'
"text" // # /* */ /** ; : , . :: -> => = ( ) { } [ ] < > @ & * $ \\ ! ? | ` é 漢字
"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "\n", "\n    ", "\t", "\r\n", '"""', "'''", "\ufeff", "\ud800", "\x00"])
SOUP = st.one_of(st.lists(PIECES, max_size=60).map(" ".join), st.text(max_size=80))


@given(SOUP, st.sampled_from(ENDINGS))
def test_anything_can_be_read_and_no_line_is_lost(text: str, ending: str) -> None:
    path = f"lib/a.{ending}"
    parsed = parse(path, text)
    made = split_chunks(path, text, parsed, Chunking(max_chars=60, min_chars=15))
    squeezed = "".join("".join(chunk.text for chunk in made).split())
    assert squeezed == "".join(text.split())
    lines = text.count("\n") + 1
    for symbol in parsed.symbols:
        assert 1 <= symbol.start <= symbol.end <= lines
        assert symbol.name
        assert "\n" not in symbol.signature
    assert [symbol for chunk in made for symbol in chunk.symbols] == list(parsed.symbols)


@given(st.data(), st.sampled_from(LANGUAGES))
def test_damaged_code_can_be_read(data: st.DataObject, language: str) -> None:
    texts = files(language)
    path = data.draw(st.sampled_from(sorted(texts)))
    text = texts[path]
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))
    damaged = text[:first] + text[last:]
    made = split_chunks(path, damaged, parse(path, damaged), Chunking(max_chars=200, min_chars=30))
    assert "".join("".join(chunk.text for chunk in made).split()) == "".join(damaged.split())


FILLER = "  work()\n" * MIN_OUTER_LINES


def test_named_functions_in_a_long_function_are_symbols() -> None:
    inner = "  // Sets the handler.\n  function setHandler (handler) {\n    check(handler)\n  }\n"
    found = symbols("server.js", f"function build () {{\n{FILLER}{inner}  function check (x) {{}}\n  return x\n}}\n")
    assert list(found) == ["build", "build.setHandler", "build.check"]
    assert (found["build.setHandler"].kind, found["build.setHandler"].doc) == ("function", "Sets the handler.")
    found = symbols(
        "app.py", f"def create():\n{FILLER}  def route(path):\n    def inner():\n      pass\n    return inner\n"
    )
    assert list(found) == ["create", "create.route"], "a short function remains one symbol"


def test_functions_in_a_short_function_are_local() -> None:
    found = symbols("server.js", "function build () {\n  function check () {}\n  return check\n}\n")
    assert list(found) == ["build"]
