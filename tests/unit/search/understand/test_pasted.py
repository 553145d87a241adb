"""Pasted traces and diffs: recognised for what they are, and turned into a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from support.projects import indexed

from waymeet.analysis.pasted import PastedText, parse_pasted
from waymeet.analysis.pasted.location import Location
from waymeet.search.understand.pasted import query_from_pasted
from waymeet.search.understand.query import parse_query

PYTHON = """\
INFO starting
Traceback (most recent call last):
  File "/home/ci/shop/src/app.py", line 12, in <module>
    main()
    ~~~~^^
  File "/home/ci/shop/src/cart.py", line 40, in total
    return price(item)
  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s)
shop.errors.PriceError: no price for "tea" -cheap kind:code
"""
CHAINED = """\
Traceback (most recent call last):
  File "a.py", line 1, in first
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 2, in second
RuntimeError: could not load
"""
PYTEST = """\
=================================== FAILURES ===================================
___________________________________ test_total _________________________________

    def test_total() -> None:
>       assert total([1]) == 2
E       assert 1 == 2
E        +  where 1 = total([1])

tests/test_cart.py:7: AssertionError
=========================== short test summary info ============================
FAILED tests/test_cart.py::test_total - assert 1 == 2
"""
NODE = """\
/srv/shop/lib/cart.js:10
    throw new TypeError("x");
    ^

TypeError: Cannot read properties of undefined (reading 'price')
    at Cart.total (/srv/shop/lib/cart.js:10:15)
    at async Object.checkout [as run] (file:///srv/shop/lib/checkout.mjs:22:7)
    at /srv/shop/lib/index.js:3:1
    at Module._compile (node:internal/modules/cjs/loader:1554:14)
"""
FIREFOX = """\
TypeError: item is undefined
total@http://localhost:3000/src/cart.js:10:15
@http://localhost:3000/src/main.js:3:1
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: checkout failed
\tat com.shop.Checkout.run(Checkout.java:22)
\tat com.shop.Main.main(Main.java:5)
Caused by: java.lang.NullPointerException: price is null
\tat com.shop.cart.Cart.lambda$total$0(Cart.java:40)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
\t... 2 more
"""
GO = """\
panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
shop/cart.(*Cart).Total(0xc000012345, 0x5)
\t/home/ci/shop/cart/cart.go:40 +0x1d
main.main()
\t/home/ci/shop/main.go:8 +0x25
exit status 2
"""
RUST = """\
thread 'main' panicked at src/cart.rs:40:9:
index out of bounds: the len is 3 but the index is 5
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:645:5
   1: shop::cart::total
             at ./src/cart.rs:40:9
   2: shop::main
             at ./src/main.rs:8:5
"""
RUSTC = """\
error[E0308]: mismatched types
 --> src/cart.rs:40:9
  |
40 |     "tea"
"""
GCC = "src/cart.c:40:9: error: 'price' undeclared (first use in this function)\nsrc/main.c:8:5: note: called here\n"
TSC = "src/cart.ts(40,9): error TS2304: Cannot find name 'price'.\n"


@pytest.mark.parametrize(
    ("text", "language", "message", "spots"),
    [
        (
            PYTHON,
            "Python",
            'shop.errors.PriceError: no price for "tea" -cheap kind:code',
            [("/home/ci/shop/src/cart.py", 40, "total"), ("/home/ci/shop/src/app.py", 12, "")],
        ),
        (CHAINED, "Python", "RuntimeError: could not load", [("b.py", 2, "second"), ("a.py", 1, "first")]),
        (PYTEST, "Python", "assert 1 == 2", [("tests/test_cart.py", 7, "")]),
        (
            NODE,
            "JavaScript",
            "TypeError: Cannot read properties of undefined (reading 'price')",
            [
                ("/srv/shop/lib/cart.js", 10, "total"),
                ("/srv/shop/lib/checkout.mjs", 22, "checkout"),
                ("/srv/shop/lib/index.js", 3, ""),
            ],
        ),
        (
            FIREFOX,
            "JavaScript",
            "TypeError: item is undefined",
            [("/src/cart.js", 10, "total"), ("/src/main.js", 3, "")],
        ),
        (
            JAVA,
            "Java",
            "java.lang.NullPointerException: price is null",
            [
                ("com/shop/cart/Cart.java", 40, "total"),
                ("com/shop/Checkout.java", 22, "run"),
                ("com/shop/Main.java", 5, "main"),
            ],
        ),
        (
            GO,
            "Go",
            "runtime error: index out of range [5] with length 3",
            [("/home/ci/shop/cart/cart.go", 40, "Total"), ("/home/ci/shop/main.go", 8, "main")],
        ),
        (
            RUST,
            "Rust",
            "index out of bounds: the len is 3 but the index is 5",
            [("src/cart.rs", 40, ""), ("./src/cart.rs", 40, "total"), ("./src/main.rs", 8, "main")],
        ),
        (RUSTC, "Rust", "error[E0308]: mismatched types", [("src/cart.rs", 40, "")]),
        (
            GCC,
            "",
            "error: 'price' undeclared (first use in this function)",
            [("src/cart.c", 40, ""), ("src/main.c", 8, "")],
        ),
        (TSC, "", "error TS2304: Cannot find name 'price'.", [("src/cart.ts", 40, "")]),
        ('  File "src/cart.py", line 40, in total\n', "Python", "", [("src/cart.py", 40, "total")]),
    ],
    ids=["python", "chained", "pytest", "node", "firefox", "java", "go", "rust", "rustc", "gcc", "tsc", "a lone call"],
)
def test_traces(text: str, language: str, message: str, spots: list[tuple[str, int, str]]) -> None:
    expected = PastedText("trace", language, message, tuple(Location(*each) for each in spots))
    assert parse_pasted(text) == expected
    painted = text.replace("Error", "\x1b[31mError\x1b[0m")
    assert parse_pasted(painted) == expected, "colours change nothing"
    assert parse_pasted(text.replace("\n", "\r\n")) == expected


DIFF = """\
commit 0123456789abcdef
Author: A <a@example.org>

    Round prices up

diff --git a/src/cart.py b/src/cart.py
index 83db48f..bf2a1c0 100644
--- a/src/cart.py
+++ b/src/cart.py
@@ -38,7 +38,8 @@ def total(items):
     result = 0
     for item in items:
-        result += price(item)
+        # rounding
+        result += rounded(price(item))
     return result
@@ -60,2 +61,2 @@ class Receipt:
---- looks like a heading
+def print_receipt():
     pass
diff --git a/old.md b/old.md
deleted file mode 100644
--- a/old.md
+++ /dev/null
@@ -1 +0,0 @@
-# Receipts
\\ No newline at end of file
"""


def test_a_diff() -> None:
    found = parse_pasted(DIFF)
    assert (found.kind, found.message) == ("diff", "Round prices up")
    assert found.locations == (
        Location("src/cart.py", 40, "total"),
        Location("src/cart.py", 61, "Receipt"),
        Location("old.md", 0, ""),
    )
    assert {"rounded", "result", "price", "print_receipt", "Receipts"} <= set(found.words)


@pytest.mark.parametrize(
    "text",
    [
        "how are keys rotated?",
        "see docs/setup.md:12",
        "--- a rule\n+++ another\nno hunk",
        "a list:\n- one\n+ two\n",
        "TypeError: what is that",
        "at noon (see cart.js)",
        "",
    ],
)
def test_what_is_neither_is_text(text: str) -> None:
    assert parse_pasted(text) == PastedText("text", message=text.strip())


@given(some.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert parse_pasted(text).kind in {"text", "trace", "diff"}
    assert parse_pasted(PYTHON + text + "\n").kind != "text"


FILES = {
    "src/cart.py": "def total(items):\n    result = 0\n    return result\n\n\ndef other():\n    pass\n",
    "src/main/java/com/shop/cart/Cart.java": "class Cart { int total() { return 1; } }\n",
    "docs/cart.md": "# Cart\n\nHow totals are rounded.\n",
}


def test_the_files_of_the_project_are_found_by_the_ends_of_their_paths() -> None:
    store = indexed(FILES)
    python = query_from_pasted(parse_pasted(PYTHON.replace("line 40", "line 2")), store)
    assert python.places == ("src/cart.py:2",)
    assert "total" in python.text.split()
    assert "in this project: src/cart.py:2" in python.summary
    assert query_from_pasted(parse_pasted(JAVA), store).places == ("src/main/java/com/shop/cart/Cart.java:40",)
    assert "names no file" in query_from_pasted(parse_pasted(GO), store).summary


def test_what_a_message_says_has_no_special_meaning() -> None:
    text = query_from_pasted(parse_pasted(PYTHON), indexed(FILES)).text
    said = parse_query(text)
    assert (said.phrases, said.without, said.prefixes) == ((), (), ())
    assert ":" not in text
    assert {"PriceError", "price", "tea", "cheap"} <= set(text.replace(".", " ").split())


def test_the_symbol_around_a_changed_line_is_told_by_the_index() -> None:
    change = "--- a/src/cart.py\n+++ b/src/cart.py\n@@ -6,2 +6,2 @@\n def other():\n-    pass\n+    return None\n"
    found = query_from_pasted(parse_pasted(change), indexed(FILES))
    assert found.places == ("src/cart.py:7",)
    assert "other" in found.text.split()


def test_text_stays_as_it_is() -> None:
    assert query_from_pasted(parse_pasted('kind:docs "how totals"'), indexed(FILES)).text == 'kind:docs "how totals"'


INSTALLED = {
    "src/flask/app.py": "class Flask:\n    def run(self):\n        pass\n",
    "src/flask/utils.py": "def f():\n    pass\n",
    "lib/reply.js": "function send () {}\n",
    "package.json": '{\n  "name": "fastify",\n  "version": "5.0.0"\n}\n',
    "packages/web/lib/deep/page.js": "function page () {}\n",
    "packages/web/package.json": '{"name": "@acme/web"}\n',
    "lex.go": "package toml\n",
    "go.mod": "module github.com/BurntSushi/toml\n\ngo 1.22\n",
    "src/de.rs": "fn f() {}\n",
    "Cargo.toml": '[package]\nname = "serde"\nversion = "1.0.0"\n',
    "six.py": "def b(): pass\n",
}


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ("/usr/lib/python3/dist-packages/flask/app.py", "src/flask/app.py"),
        ("/home/u/.venv/lib/python3.12/site-packages/flask/app.py", "src/flask/app.py"),
        ("C:\\py\\Lib\\site-packages\\flask\\app.py", "src/flask/app.py"),
        ("/usr/lib/python3/dist-packages/six.py", "six.py"),
        ("/usr/lib/python3/dist-packages/requests/utils.py", ""),
        ("/usr/lib/python3/dist-packages/utils.py", ""),
        ("/srv/app/node_modules/fastify/lib/reply.js", "lib/reply.js"),
        ("/srv/app/node_modules/.pnpm/fastify@5.0.0/node_modules/fastify/lib/reply.js", "lib/reply.js"),
        ("/srv/app/node_modules/express/lib/reply.js", ""),
        ("/root/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.3/lex.go", "lex.go"),
        ("/srv/vendor/github.com/BurntSushi/toml/lex.go", "lex.go"),
        ("/root/go/pkg/mod/github.com/other/toml@v1.2.3/lex.go", ""),
        ("/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.210/src/de.rs", "src/de.rs"),
        ("/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde_json-1.0.1/src/de.rs", ""),
    ],
)
def test_an_installed_copy_of_this_project_is_found_by_the_end_of_its_path(installed: str, expected: str) -> None:
    pasted = PastedText("trace", "X", "failed", (Location("/home/u/shop.py", 3), Location(installed, 2)))
    places = query_from_pasted(pasted, indexed(INSTALLED)).places
    assert places == ((f"{expected}:2",) if expected else ())


def test_without_a_manifest_the_end_of_the_path_decides() -> None:
    project = indexed({"lib/reply.js": "function send () {}\n", "lex.go": "package toml\n"})

    def find(path: str) -> tuple[str, ...]:
        return query_from_pasted(PastedText("trace", "X", "failed", (Location(path, 1),)), project).places

    assert find("/srv/app/node_modules/fastify/lib/reply.js") == ("lib/reply.js:1",)
    assert find("/root/go/pkg/mod/x@v1.0.0/lib/reply.js") == ("lib/reply.js:1",)
    assert find("/srv/app/node_modules/fastify/reply.js") == ()
    assert find("/root/go/pkg/mod/x@v1.0.0/lex.go") == (), "a file name alone says nothing"


def test_a_trace_of_a_user_of_this_project_finds_its_files() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/home/u/shop.py", line 5, in <module>\n    app.run()\n'
        '  File "/usr/lib/python3/dist-packages/flask/app.py", line 2, in run\n    pass\nValueError: no port\n'
    )
    assert query_from_pasted(parse_pasted(trace), indexed(INSTALLED)).places == ("src/flask/app.py:2",)
    same_name = parse_pasted(trace.replace("shop.py", "app.py"))
    assert query_from_pasted(same_name, indexed(INSTALLED)).places == ("src/flask/app.py:2",), "not the user's app.py"
    elsewhere = query_from_pasted(parse_pasted(trace), indexed({"docs/a.md": "# A\n"}))
    assert "shop.py" in elsewhere.text.split()
    assert "app.py" not in elsewhere.text.split(), "the calls of libraries are left out if there are others"
