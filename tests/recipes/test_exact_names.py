"""The recipe `auto`: definitions and documentation of names in the query, names that do not exist."""

import pytest
from support.corpus import store_of
from support.projects import LANGUAGES, files, indexed

from waymeet.evaluate.ablation import list_signals
from waymeet.formulas.explanation import evaluate
from waymeet.recipes.auto import AUTO
from waymeet.recipes.stage_table import SIGNALS
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Auto, Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Filters, Query

SHOP = {
    "src/errors.py": 'def prettify_error(error):\n    """Write an error as text."""\n    return str(error)\n',
    "src/use.py": "from errors import prettify_error\n\n\ndef show(error):\n"
    "    print(prettify_error(error), prettify_error(error), prettify_error)\n",
    "tests/test_errors.py": "def prettify_error(error):\n    return prettify_error\n",
    "docs/api.md": "# The API\n\nprettify_error prettify_error prettify_error\n\n" + "More words. " * 60 + "\n\n"
    "## `prettify_error(error)`\n\nReturns a text. " + "More words. " * 60 + "\n",
    "CHANGELOG.md": "# Changes\n\n## prettify_error\n\nprettify_error is new.\n",
}


DEFAULTS = Settings()
NO_FILTERS = Filters()


def ask(store: MemoryStore, query: str, settings: Settings = DEFAULTS, filters: Filters = NO_FILTERS) -> Answer:
    return answer_query(AUTO, Query(query, explain=True, filters=filters), Tools(store), settings)


def ids(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.hits]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_definition_of_every_exported_symbol_is_first(language: str) -> None:
    store = indexed(files(language))
    chunks = [chunk for some in store.chunks_of(store.fingerprints()).values() for chunk in some]
    named = {
        symbol.name.partition("~")[0]
        for chunk in chunks
        for symbol in chunk.symbols
        if symbol.exported and symbol.kind != "constructor"
    }
    assert named
    for name in named:
        query = f"{name}()" if name.isalpha() and name.islower() else name
        first = ask(store, query).hits[0]
        (chunk,) = (chunk for chunk in chunks if chunk.id == first.id)
        assert name in {symbol.name.partition("~")[0] for symbol in chunk.symbols}, query


@pytest.mark.parametrize(
    "query", ["prettify_error", "prettifyError", "`prettify_error`", "what does prettify_error do?"]
)
def test_the_definition_is_first_and_its_documentation_second(query: str) -> None:
    answer = ask(indexed(SHOP), query)
    assert answer.hits[0].id == "src/errors.py#L1-L3"
    assert (answer.hits[1].document, answer.hits[1].sections[0].headings[-1]) == (
        "docs/api.md",
        "prettify_error(error)",
    )
    assert {hit.document for hit in answer.hits[2:]} >= {"src/use.py"}
    for hit in answer.hits:
        assert hit.explanation is not None
        assert evaluate(hit.explanation) == hit.score
    assert "raised to place 2" in str(answer.hits[1].explanation)


def test_a_lead_of_zero_disables_it() -> None:
    answer = ask(indexed(SHOP), "prettify_error", Settings(auto=Auto(raised_lead=0.0)))
    assert "raised to place" not in str([hit.explanation for hit in answer.hits])
    signals = dict(list_signals(AUTO, Settings(), SIGNALS))
    assert {"auto.raised_lead = 0", "auto.raised_min_share = 1"} <= signals.keys()


def test_a_name_that_is_a_small_part_of_the_query_is_not_raised() -> None:
    words = "why is the screen of the second printer in the hall still dark after the update of prettify_error"
    assert "raised to place" not in str([hit.explanation for hit in ask(indexed(SHOP), words).hits])


def test_the_source_is_before_its_compiled_form_declarations_and_tests() -> None:
    source = "export function mergeMaps(one: Map, other: Map) {\n  return one;\n}\n"
    script = "export function mergeMaps(one, other) {\n  return one;\n}\n"
    pages = {
        "lib/maps.js": script,
        "lib/maps.d.ts": "export declare function mergeMaps(one: Map, other: Map): Map;\n",
        "src/maps.ts": source,
        "src/maps.test.ts": source,
    }
    assert ask(indexed(pages), "mergeMaps").hits[0].document == "src/maps.ts"
    del pages["src/maps.ts"]
    assert ask(indexed(pages), "mergeMaps").hits[0].document == "lib/maps.js"
    del pages["lib/maps.js"], pages["lib/maps.d.ts"]
    assert ask(indexed(pages), "mergeMaps").hits[0].document == "src/maps.test.ts"


def test_members_are_found_in_their_class_or_its_bases() -> None:
    pages = {
        "admin.py": "class Base:\n    list_display = ()\n\n    def rows(self):\n        return 1\n\n\n"
        "class Admin(Base):\n    list_filter = ()\n",
        "other.py": "class Site:\n    list_filter = 1\n    list_display = 2\n",
        "ref.rst": "Reference of all\n================\n\n.. attribute:: Admin.list_filter\n\n   Filters.\n",
        "use.py": "print(Admin.list_filter, Admin.list_filter, Admin.list_display, Admin.list_display)\n",
    }
    store = indexed(pages)
    assert [hit.document for hit in ask(store, "Admin.list_filter").hits][:2] == ["admin.py", "ref.rst"]
    assert [hit.document for hit in ask(store, "list_filter").hits][:2] == ["admin.py", "ref.rst"], "as documented"
    for query in ("Admin.rows", "Admin.list_display"):
        assert ask(store, query).hits[0].document == "admin.py"


OPTION = {
    "build/closeConnections.js": "const defaults = {\n  bodyLimit: 1048576,\n  closeConnections: undefined\n}\n\n"
    "module.exports = defaults\n",
    "docs/server.md": "# Server\n\n" + "More words. " * 60 + "\n\n## `closeConnections`\n\nEnds idle connections.\n",
    "lib/server.js": "class Server {\n  bodyLimit = 1\n}\n\nmodule.exports = { Server }\n",
}


def test_the_description_of_an_option_is_before_the_object_with_its_default() -> None:
    answer = ask(indexed(OPTION), "closeConnections")
    assert [hit.document for hit in answer.hits[:2]] == ["docs/server.md", "build/closeConnections.js"]
    assert "describes closeConnections: raised to place 1" in str(answer.hits[0].explanation)


def test_without_a_description_the_object_with_the_default_is_first() -> None:
    assert ask(indexed(OPTION), "Server.bodyLimit").hits[0].document == "lib/server.js"
    others = {path: text for path, text in OPTION.items() if not path.startswith("docs/")}
    assert ask(indexed(others), "closeConnections").hits[0].document == "build/closeConnections.js"


def test_a_common_name_is_not_raised() -> None:
    pages = {f"{number}.py": "def get_all():\n    pass\n" for number in range(21)}
    assert "raised to place" not in str([hit.explanation for hit in ask(indexed(pages), "get_all").hits])


def test_a_plain_word_counts_only_as_the_whole_query() -> None:
    pages = {
        "code.py": "def search(query):\n    return query\n",
        "guide.md": "# How to search\n\nsearch the index, search it well\n",
    }
    first = ask(indexed(pages), "search").hits[0]
    assert first.document == "code.py"
    assert "raised to place 1" in str(first.explanation)
    assert ask(indexed(pages), "how to search").hits[0].document == "guide.md"
    named = {**pages, "search.md": "# Search\n\nall about it\n"}
    assert ask(indexed(named), "search").hits[0].document == "search.md", "a page of that name is meant"
    assert ask(indexed(named), "search()").hits[0].document == "code.py", "unless it is written as code"


def test_filters_apply_to_definitions() -> None:
    store = indexed(SHOP)
    assert ids(ask(store, "prettify_error", filters=Filters(paths=("docs",))))[0].startswith("docs/api.md")
    assert {hit.document for hit in ask(store, "prettify_error -errors").hits}.isdisjoint({"src/errors.py"})


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("prettifyErorr", "no such name in the index: prettifyErorr; similar: prettify_error"),
        ("prettify_errors()", "no such name in the index: prettify_errors; similar: prettify_error"),
        ("where is Errors.prettify_eror", "no such name in the index: Errors.prettify_eror; similar: prettify_error"),
        ("fooBarBaz", "no such name in the index: fooBarBaz"),
    ],
)
def test_a_name_that_does_not_exist_is_reported_with_similar_ones(query: str, detail: str) -> None:
    answer = ask(indexed(SHOP), query)
    assert [each.detail for each in answer.degraded if each.code == "unknown_name"] == [detail]
    assert answer.low_relevance
    assert not any("→" in note for note in answer.notes), "it is not replaced"


@pytest.mark.parametrize(
    "query", ["prettify_error", "PrettifyError", "error", "use.py", "errors.prettify_error", "text?"]
)
def test_a_name_that_exists_is_not_reported(query: str) -> None:
    answer = ask(indexed(SHOP), query)
    assert "unknown_name" not in {each.code for each in answer.degraded}


def test_an_unknown_name_in_a_longer_question_does_not_decide_its_relevance() -> None:
    store = store_of({"a.md": "rotate the keys of the server once a month by hand", "b.md": "other text"})
    answer = ask(store, "rotate keys server month hand by rotateAll")
    assert "unknown_name" in {each.code for each in answer.degraded}
    assert not answer.low_relevance
