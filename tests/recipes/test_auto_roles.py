"""The recipe `auto`: files that are seldom meant come later, unless the query refers to them."""

import pytest
from msgspec.structs import replace
from support.projects import entry, indexed

from waymeet.formulas.explanation import evaluate
from waymeet.ingest.build.entry import build_path_entry
from waymeet.recipes.auto import AUTO
from waymeet.search.pipeline import answer_query, stage_name
from waymeet.search.state import Tools
from waymeet.settings import Settings
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, Filters, Fingerprint, Query

CHECK = '"""Settings."""\n\n\ndef check(key):\n    raise ValueError("The secret key must not be empty")\n'
TEST_CHECK = (
    '"""Settings."""\n\n\ndef test_check():\n    with raises(ValueError, match="The secret key must not be empty"):\n'
    '        check("The secret key must not be empty")\n'
)
OTHERS = {f"src/module{i}.py": f"def value{i}():\n    return {i}\n" for i in range(9)}


def ask(store: MemoryStore, query: Query | str) -> Answer:
    asked = Query(query, explain=True) if isinstance(query, str) else query
    return answer_query(AUTO, asked, Tools(store), Settings())


def documents(answer: Answer) -> list[str]:
    return list(dict.fromkeys(hit.document for hit in answer.hits))


def by_words(store: MemoryStore, query: str) -> list[str]:
    """Give the documents by the recipe without the stage."""
    stages = tuple(stage for stage in AUTO.stages if stage_name(stage) != "weigh_roles")
    return documents(answer_query(replace(AUTO, stages=stages), Query(query), Tools(store), Settings()))


def test_the_source_of_an_error_text_comes_before_tests_that_quote_it() -> None:
    store = indexed({"src/settings.py": CHECK, "tests/test_settings.py": TEST_CHECK, **OTHERS})
    query = "The secret key must not be empty"
    assert by_words(store, query)[0] == "tests/test_settings.py"
    assert documents(ask(store, query))[0] == "src/settings.py"


def test_a_query_for_tests_finds_them_first() -> None:
    store = indexed({"src/settings.py": CHECK, "tests/test_settings.py": TEST_CHECK, **OTHERS})
    assert documents(ask(store, "tests of the secret key"))[0] == "tests/test_settings.py"
    assert "role factor" not in str([hit.explanation for hit in ask(store, "secret key のテスト").hits])


def test_a_test_named_by_its_file_or_defined_symbol_comes_first() -> None:
    store = indexed({"src/settings.py": CHECK, "tests/test_settings.py": TEST_CHECK, **OTHERS})
    assert documents(ask(store, "secret key in tests/test_settings.py"))[0] == "tests/test_settings.py"
    assert documents(ask(store, "test_check"))[0] == "tests/test_settings.py"


def test_an_image_does_not_answer_a_question_by_its_name() -> None:
    pages = {
        "docs/newer.md": "# Moving on\n\nHow to upgrade a project when a release is out, step by step.\n",
        "docs/policy.md": "# Policy\n\nEvery release is supported for a year.\n",
        **OTHERS,
    }
    store = indexed(pages)
    store.put([build_path_entry("docs/images/next.png", Fingerprint("d", 1, 1))])
    query = "upgrade to the next release"
    assert by_words(store, query)[0] == "docs/images/next.png"
    assert documents(ask(store, query))[0] == "docs/newer.md"
    assert documents(ask(store, "next.png"))[0] == "docs/images/next.png"
    assert documents(ask(store, "next image"))[0] == "docs/images/next.png"


def test_release_notes_do_not_fill_an_answer_unless_the_query_is_about_releases() -> None:
    notes = {f"docs/releases/2.{i}.md": f"# Release 2.{i}\n\nAsync views are faster in 2.{i}.\n" for i in range(5)}
    page = "# Coroutines\n\nViews may be async. Such a function answers a request without a thread of its own.\n"
    store = indexed({"docs/coroutines.md": page, **notes, **OTHERS})
    assert by_words(store, "async views")[0] != "docs/coroutines.md"
    assert documents(ask(store, "async views"))[0] == "docs/coroutines.md"
    assert documents(ask(store, "what changed for async views in 2.3"))[0] == "docs/releases/2.3.md"


def test_a_catalogue_does_not_answer_a_misspelt_query() -> None:
    catalogue = 'msgid "Database"\nmsgstr "databaza e lidhjes conection"\n'
    pages = {"locale/sq/LC_MESSAGES/django.po": catalogue, "docs/db.md": "# Database\n\nOpen a connection.\n", **OTHERS}
    answer = ask(indexed(pages), "conection")
    assert documents(answer)[0] == "docs/db.md"
    assert answer.notes == ("conection → connection",)


def test_the_factor_is_part_of_the_explanation() -> None:
    store = indexed({"src/settings.py": CHECK, "tests/test_settings.py": TEST_CHECK, **OTHERS})
    hit = next(hit for hit in ask(store, "secret key empty").hits if hit.document.startswith("tests"))
    assert hit.explanation is not None
    assert evaluate(hit.explanation) == pytest.approx(hit.score)
    assert "role factor (test)" in str(hit.explanation)


def test_filters_by_folder_or_kind_refer_to_roles() -> None:
    pages = {"examples/a.py": "# read keys\n", "examples/test_a.py": "# read keys keys\n", "data/keys.csv": "keys\n"}
    store = indexed({**pages, "src/keys.py": "# keys\n", **OTHERS})
    answer = ask(store, Query("keys", filters=Filters(paths=("examples",)), explain=True))
    assert "role factor (example)" not in str([hit.explanation for hit in answer.hits])
    assert "role factor (test)" in str([hit.explanation for hit in answer.hits])
    assert "role factor" not in str([hit.explanation for hit in ask(store, "keys kind:files").hits])


def test_a_collection_of_one_role_is_not_weighed() -> None:
    tests = {f"tests/test_{name}.py": f"def test_{name}():\n    assert {name}\n" for name in "abcdefghijklmnopqrst"}
    store = indexed({**tests, "README.md": "# Suite\n\nassert\n"})
    answer = ask(store, "assert")
    assert next(step for step in answer.steps if step.stage == "weigh_roles").skipped == "all roles have the factor 1"


def test_documents_without_a_role_are_not_weighed() -> None:
    store = MemoryStore()
    store.put([replace(each, document=replace(each.document, role="")) for each in [entry("tests/a.py", "# keys\n")]])
    assert "role factor" not in str(ask(store, "keys").hits[0].explanation)


HIDE = '"""Input."""\n\n\ndef hide_password(user):\n    """Hide what the user types for a password."""\n    return 1\n'
SECRETS = (
    "# Secret input\n\nAn option can hide what a user types. The password is asked for twice, and both answers must be "
    "the same.\n"
)


def test_documentation_comes_before_code_for_a_question_how_something_is_done() -> None:
    store = indexed({"src/prompts.py": HIDE, "docs/secrets.md": SECRETS, **OTHERS})
    for query in ("how do I hide the input of a user", "hide the input of a user"):
        assert by_words(store, query)[0] == "src/prompts.py"
        assert documents(ask(store, query))[0] == "docs/secrets.md"


def test_tests_count_less_than_other_code_for_a_question_how_something_is_done() -> None:
    store = indexed({"src/prompts.py": HIDE, "tests/test_prompts.py": HIDE, "docs/secrets.md": SECRETS, **OTHERS})
    hits = {hit.document: hit for hit in ask(store, "how do I hide the input of a user").hits}
    roles = Settings().auto.roles
    factor = roles.test * (roles.code_for_task * roles.test_for_question)
    test, source = (hits[path].explanation for path in ("tests/test_prompts.py", "src/prompts.py"))
    assert f"value={factor}, description='role factor (test)'" in str(test)
    assert f"value={roles.code_for_task}, description='role factor (source)'" in str(source)
    about_code = {hit.document: str(hit.explanation) for hit in ask(store, "hide_password").hits}
    assert f"value={roles.test}, description='role factor (test)'" in about_code["tests/test_prompts.py"]


def test_tests_that_a_question_refers_to_count_as_much_as_other_code() -> None:
    store = indexed({"src/prompts.py": HIDE, "tests/test_prompts.py": HIDE, "docs/secrets.md": SECRETS, **OTHERS})
    hits = {hit.document: hit for hit in ask(store, "how do I write tests that hide the input of a user").hits}
    roles = Settings().auto.roles
    for path, role in (("tests/test_prompts.py", "test"), ("src/prompts.py", "source")):
        assert f"value={roles.code_for_task}, description='role factor ({role})'" in str(hits[path].explanation)


def test_code_comes_first_for_a_question_about_the_code() -> None:
    store = indexed({"src/prompts.py": HIDE, "docs/secrets.md": SECRETS, **OTHERS})
    assert documents(ask(store, "which function hides what the user types for a password"))[0] == "src/prompts.py"


def test_a_question_where_something_is_done_is_answered_by_code_rather_than_by_a_page() -> None:
    page = "# Prompts\n\nA prompt hides a password: a prompt hides what is typed, and hides it in the log.\n"
    store = indexed({"src/prompts.py": HIDE, "docs/prompts.md": page, **OTHERS})
    answer = ask(store, "where is the password hidden")
    assert documents(answer)[0] == "src/prompts.py"
    assert "role factor (documentation)" in str([hit.explanation for hit in answer.hits])


def test_documentation_and_examples_that_a_question_refers_to_keep_the_factor_1() -> None:
    example = "def route():\n    return 'route of an example'\n"
    page = "# Routing\n\nHow a route is deployed is documented here.\n"
    store = indexed({"src/routing.py": HIDE, "examples/route.py": example, "docs/routing.md": page, **OTHERS})
    for query, role in (
        ("where are the examples of a route", "example"),
        ("where is it documented how a route is deployed", "documentation"),
    ):
        assert f"role factor ({role})" not in str([hit.explanation for hit in ask(store, query).hits])


def test_pages_are_not_weighed_in_an_index_of_pages() -> None:
    pages = {f"docs/page{number}.md": f"# Page {number}\n\nAn office of branch {number}.\n" for number in range(20)}
    answer = ask(indexed({**pages, "src/prompts.py": HIDE}), "where is the office of branch 7")
    assert "role factor (documentation)" not in str([hit.explanation for hit in answer.hits])


def test_a_question_where_something_is_said_changes_nothing_without_code() -> None:
    answer = ask(indexed({"docs/secrets.md": SECRETS}), "where is the password hidden")
    assert "role factor" not in str([hit.explanation for hit in answer.hits])


def test_the_form_of_a_question_changes_nothing_without_documentation() -> None:
    answer = ask(indexed({"src/prompts.py": HIDE, **OTHERS}), "how do I hide what the user types")
    assert "role factor" not in str([hit.explanation for hit in answer.hits])
