"""Edges between files and symbols of source code, compared with lists checked by hand."""

from collections import Counter

import pytest
from support.projects import LANGUAGES, edges, entry, files, indexed, told

from waymeet.ingest.parse.code import LANGUAGES as KNOWN

KINDS = ("contains", "imports", "extends", "implements", "calls")


def found(texts: dict[str, str], *kinds: str) -> list[str]:
    store = indexed(texts)
    return [told(edge) for edge in store.edges(list(texts)) if not kinds or edge.kind in kinds]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_project_has_exactly_the_edges_that_a_reader_finds(language: str) -> None:
    assert sorted(found(files(language))) == sorted(edges(language))


def test_at_least_50_edges_of_each_kind_were_checked() -> None:
    checked = Counter(edge.split()[0] for language in LANGUAGES for edge in edges(language) if " -> ? " not in edge)
    assert {kind: checked[kind] >= 50 for kind in KINDS} == dict.fromkeys(KINDS, True)


def test_every_language_has_a_project() -> None:
    endings = {path.rpartition(".")[2] for language in LANGUAGES for path in files(language)}
    assert {"py", "ts", "tsx", "js", "jsx", "go", "rs", "java", "c", "h", "cpp", "hpp", "cs", "rb", "php"} <= endings
    assert {"kt", "swift", "scala", "sh"} <= endings
    assert len(KNOWN) == 15


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_edge_ends_at_something_that_is_there(language: str) -> None:
    store = indexed(files(language))
    anchors = {
        document: {"", *(anchor for chunk in chunks for anchor in chunk.anchors)}
        for document, chunks in store.chunks_of(list(files(language))).items()
    }
    for edge in store.edges(list(files(language))):
        assert edge.source.anchor in anchors[edge.source.document]
        folder_page = (
            edge.kind == "imports" and edge.target and edge.target.document.endswith(("__init__.py", "index.ts"))
        )
        if edge.target and not folder_page:  # which hands on what others define
            assert edge.target.anchor in anchors[edge.target.document], told(edge)
        assert edge.line > 0


def test_an_import_is_led_when_its_file_appears_and_dangles_when_it_goes() -> None:
    texts = files("python")
    store = indexed({path: text for path, text in texts.items() if path != "src/shop/money.py"})
    edge = "imports src/shop/cart.py -> src/shop/money.py#Price"
    assert edge not in map(told, store.edges(list(texts)))
    store.put([entry("src/shop/money.py", texts["src/shop/money.py"])])
    assert edge in map(told, store.edges(list(texts)))
    store.drop(["src/shop/money.py"])
    assert edge not in map(told, store.edges(list(texts)))


def test_a_name_that_two_files_define_leads_nowhere() -> None:
    texts = {
        "a.c": "int round_up(int x) { return x; }\n",
        "b.c": "int round_up(int x) { return x; }\n",
        "c.c": "int total(void) { return round_up(3); }\n",
    }
    assert found(texts, "calls") == ["calls c.c#total -> ? s:round_up"]
    del texts["b.c"]
    assert found(texts, "calls") == ["calls c.c#total -> a.c#round_up"]


def test_what_comes_from_elsewhere_is_no_edge() -> None:
    python = "import os.path\nfrom json import dumps\n\n\ndef f(x):\n    print(dumps(os.path.join(x)))\n"
    script = 'import fs from "fs";\nimport React from "react";\nexport const f = () => fs.readFileSync("x");\n'
    go = 'package a\n\nimport "fmt"\n\nfunc F() { fmt.Println(len("x")) }\n'
    java = "package a;\n\nimport java.util.List;\n\nclass A { List<String> x() { return List.of(); } }\n"
    texts = {"a.py": python, "b.ts": script, "c.go": go, "d.java": java}
    assert found(texts, "imports", "calls") == []


def test_an_imported_name_is_a_module_if_it_is_used_like_one() -> None:
    texts = {
        "a/__init__.py": "",
        "a/b.py": "def run():\n    pass\n",
        "x.py": "from a import b\n\n\ndef main():\n    b.run()\n",
        "y.py": "from a.b import run\n\n\ndef main():\n    run()\n",
    }
    assert found(texts, "imports", "calls") == [
        "imports x.py -> a/b.py",
        "calls x.py#main -> a/b.py#run",
        "imports y.py -> a/b.py#run",
        "calls y.py#main -> a/b.py#run",
    ]


def test_an_alias_of_the_folder_of_sources_is_followed() -> None:
    texts = {
        "web/src/lib/api.ts": "export function load() {}\n",
        "web/src/pages/home.ts": 'import { load } from "@/lib/api";\nload();\n',
        "web/src/pages/other.ts": 'import { load } from "lib/api";\nload();\n',
    }
    assert found(texts, "imports") == [
        "imports web/src/pages/home.ts -> web/src/lib/api.ts#load",
        "imports web/src/pages/other.ts -> web/src/lib/api.ts#load",
    ]


def test_a_local_function_is_not_taken_for_another_of_its_name() -> None:
    texts = {
        "a.py": "def helper():\n    pass\n\n\ndef f():\n    def helper():\n        pass\n\n    helper()\n",
    }
    assert found(texts, "calls") == []


def test_a_call_of_a_function_in_the_same_long_function_is_linked() -> None:
    filler = "    x = 1\n" * 60
    inner = "    def check():\n        pass\n\n    def put():\n        check()\n"
    texts = {"a.py": f"def check():\n    pass\n\n\ndef build():\n{filler}{inner}    put()\n"}
    assert found(texts, "calls") == ["calls a.py#build.put -> a.py#build.check", "calls a.py#build -> a.py#build.put"]
