"""Copies: one section of each content is shown, with the best score, and names the others."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace
from support.corpus import Page, entry

from waymeet.formulas.explanation import evaluate
from waymeet.recipes import RECIPES
from waymeet.search.context import build_context
from waymeet.search.feedback.votes import Feedback, Vote
from waymeet.search.pipeline import answer_query
from waymeet.search.state import Tools
from waymeet.settings import Copies, Layer, resolve
from waymeet.stores.memory.store import MemoryStore
from waymeet.types import Answer, IndexEntry, Query, Symbol

AUTO = RECIPES["auto"]
SETTINGS = resolve((Layer("auto", AUTO.overrides),))
TEXT = (
    "Rotate the signing keys every ninety days. The job requests a new key from the vault, writes it beside the old "
    "one and keeps both for a week, so that sessions signed with the old key stay valid until they end. "
)
SHORT = "Rotate the keys."
FUNCTION = "function rotateKeys(vault) { return vault.keys().map((key) => vault.renew(key, { days: 90, keep: 7 })); }"


def page(path: str, text: str, role: str = "documentation", *, title: str = "", kind: str = "docs") -> IndexEntry:
    built = entry(path, Page((text,), title, kind=kind))
    return replace(built, document=replace(built.document, role=role))


def module(path: str, text: str, *symbols: str, role: str = "source") -> IndexEntry:
    built = page(path, text, role, kind="code")
    chunk = replace(built.chunks[0], symbols=tuple(Symbol(name, "function", 1, 1) for name in symbols))
    return replace(built, chunks=(chunk,))


def ask(
    *entries: IndexEntry,
    query: str = "rotate keys",
    limit: int = 10,
    numbers: Copies | None = None,
    feedback: Feedback | None = None,
) -> Answer:
    store = MemoryStore()
    store.put(entries)
    settings = replace(SETTINGS, copies=numbers or Copies())
    tools = Tools(store, feedback=feedback or Feedback())
    return answer_query(AUTO, Query(query, limit, explain=True), tools, settings)


def shown(answer: Answer) -> Mapping[str, list[str]]:
    """Give the documents of the hits, each with the documents of its copies."""
    return {hit.document: [copy.partition("#")[0] for copy in hit.copies] for hit in answer.hits}


# --- what a copy is -------------------------------------------------------------------------------------------------


def test_equal_sections_of_two_pages_are_one_hit() -> None:
    answer = ask(page("a.md", TEXT), page("b.md", f"## {TEXT}"), page("c.md", f"{SHORT} Other text."))
    assert shown(answer) == {"a.md": ["b.md"], "c.md": []}
    (hit,) = (hit for hit in answer.hits if hit.copies)
    assert (hit.copies, hit.copy_count) == (("b.md#L1-L1",), 1)
    assert answer.total_found == 2


@pytest.mark.parametrize(
    "other",
    [TEXT.replace("ninety", "thirty"), TEXT.replace("valid", "invalid"), f"{TEXT} -1 | 2", TEXT.replace("a week", "7")],
    ids=["a number", "a word", "a table", "a figure"],
)
def test_a_section_with_one_other_word_is_a_hit_of_its_own(other: str) -> None:
    assert set(shown(ask(page("v1/keys.md", TEXT + "1 | 2"), page("v2/keys.md", other)))) == {
        "v1/keys.md",
        "v2/keys.md",
    }


def test_a_page_that_contains_the_section_is_shown_for_it() -> None:
    whole = page("manual.md", f"{SHORT} keys keys keys. {TEXT} rotate keys.")
    assert shown(ask(whole, page("part.md", TEXT))) == {"manual.md": ["part.md"]}


def test_short_sections_are_copies_only_in_pages_of_the_same_name() -> None:
    assert len(shown(ask(page("a.md", SHORT, title="A"), page("b.md", SHORT, title="B")))) == 2
    assert len(shown(ask(page("v1/a.md", SHORT, title="A"), page("v2/a.md", SHORT, title="A")))) == 1


@pytest.mark.parametrize("kind", ["notes", "tasks", "skills"])
def test_every_note_is_a_hit(kind: str) -> None:
    assert len(shown(ask(page("n/a.md", TEXT, kind=kind), page("n/b.md", TEXT, kind=kind)))) == 2


def test_functions_of_one_name_and_other_text_are_no_copies() -> None:
    one, other = module("a/run.js", FUNCTION, "rotateKeys"), module("b/run.js", f"{FUNCTION} // keys", "rotateKeys")
    assert len(shown(ask(one, other))) == 2
    assert len(shown(ask(one, module("b/run.js", FUNCTION, "Vault.rotateKeys")))) == 2, "of another class"
    assert len(shown(ask(one, module("b/run.js", FUNCTION, "rotateKeys")))) == 1


def test_a_module_is_shown_once_for_all_its_formats() -> None:
    answer = ask(
        module("v4/keys.cjs", f"exports.rotateKeys = rotateKeys; {FUNCTION}", "rotateKeys"),
        module("v4/keys.js", f"export {FUNCTION}", "rotateKeys"),
        module("v4/keys.d.ts", "export declare function rotateKeys(vault: Vault): Key[];", "rotateKeys"),
        module("v4/keys.d.cts", "export declare function rotateKeys(vault: Vault): Key[];", "rotateKeys"),
        module("src/v4/keys.ts", f"export {FUNCTION.replace('vault)', 'vault: Vault): Key[]')}", "rotateKeys"),
        module("src/v3/keys.ts", "export function rotateKeys(v: Vault) { return v.rotateKeys(); }", "rotateKeys"),
    )
    assert {document: sorted(copies) for document, copies in shown(answer).items()} == {
        "src/v4/keys.ts": ["v4/keys.cjs", "v4/keys.d.cts", "v4/keys.d.ts", "v4/keys.js"],
        "src/v3/keys.ts": [],
    }


def test_other_symbols_of_a_compiled_module_are_hits_of_their_own() -> None:
    other = module(
        "v4/keys.js", "export function countKeys(vault) { return vault.keys().length; } // rotate", "countKeys"
    )
    assert len(shown(ask(module("src/v4/keys.ts", FUNCTION, "rotateKeys"), other, query="rotateKeys countKeys"))) == 2


def test_html_beside_text_is_one_hit() -> None:
    answer = ask(page("git/keys.html", f"<p>{TEXT}</p> More here."), page("git/keys.txt", f"KEYS\n====\n{TEXT}"))
    assert shown(answer) == {"git/keys.txt": ["git/keys.html"]}


def test_a_section_that_shares_little_with_its_page_in_html_is_a_hit_of_its_own() -> None:
    answer = ask(page("keys.html", f"{TEXT}"), page("keys.txt", "How to rotate keys by hand, step by step, is below."))
    assert len(shown(answer)) == 2


def test_a_word_of_the_query_is_never_hidden() -> None:
    html, text = page("keys.html", f"<p>{TEXT}</p> See hotplug."), page("keys.txt", TEXT)
    assert len(shown(ask(html, text, query="rotate keys hotplug"))) == 2
    assert len(shown(ask(html, text))) == 1


def test_a_vendored_file_may_differ_a_little() -> None:
    own = module("lib/keys.py", FUNCTION * 5, "rotate")
    changed = f"{FUNCTION * 5} rotate"
    vendored = module("vendor/keys/keys.py", changed, "rotate", role="vendored")
    assert shown(ask(own, vendored)) == {"lib/keys.py": ["vendor/keys/keys.py"]}
    assert len(shown(ask(own, module("other/keys.py", changed, "rotate")))) == 2, "a file of its own"
    assert len(shown(ask(own, vendored, numbers=Copies(similarity=0.0)))) == 2


def test_licences_of_other_holders_are_one_hit() -> None:
    one, other = (page(f"{name}/LICENSE", f"Copyright {name}. {TEXT * 3}", "licence") for name in "ab")
    assert len(shown(ask(one, other))) == 1


def test_sections_of_one_file_are_no_copies() -> None:
    assert len(ask(entry("a.md", Page((TEXT, TEXT)))).hits) == 2


# --- which one is shown ---------------------------------------------------------------------------------------------


def test_the_preferred_copy_is_shown_with_the_best_score() -> None:
    vendored = page("vendor/keys.md", TEXT, "vendored", title="Rotate keys")
    answer = ask(page("docs/guide.md", TEXT), vendored, numbers=Copies(score_share=0.1))
    (hit,) = answer.hits
    (single,) = ask(vendored, page("docs/other.md", f"{TEXT} Other.")).hits[:1]
    assert (hit.document, hit.copies) == ("docs/guide.md", ("vendor/keys.md#L1-L1",))
    assert hit.explanation
    assert hit.score == evaluate(hit.explanation)
    assert "best score of its copies: vendor/keys.md#L1-L1" in hit.explanation.description
    assert hit.relevance == single.relevance, "judged by the copy that has this score"


def test_a_copy_with_a_much_better_score_is_not_hidden() -> None:
    entries = page("docs/guide.md", TEXT), page("vendor/keys.md", TEXT, "vendored", title="Rotate keys")
    assert len(shown(ask(*entries, numbers=Copies(score_share=0.99)))) == 2


def test_a_file_named_in_the_query_is_shown() -> None:
    html, text = page("keys.html", TEXT), page("keys.txt", TEXT)
    assert shown(ask(html, text, query="rotate keys in keys.html")) == {"keys.html": ["keys.txt"]}


def test_a_file_marked_as_relevant_is_shown() -> None:
    html, text = page("keys.html", TEXT), page("keys.txt", TEXT)
    votes = Feedback((Vote("rotate keys", "keys.html", True),))
    assert shown(ask(html, text, feedback=votes)) == {"keys.html": ["keys.txt"]}


def test_at_most_eight_copies_are_named() -> None:
    (hit,) = ask(*(page(f"{number}/a.md", TEXT) for number in range(12))).hits
    assert (hit.document, len(hit.copies), hit.copy_count) == ("0/a.md", 8, 11)


# --- how many results there are -------------------------------------------------------------------------------------


def many() -> list[IndexEntry]:
    """Make twenty pages, each in nine folders."""
    texts = [f"{TEXT} Part {number}: {'keys ' * number}" for number in range(20)]
    return [page(f"{copy}/{at}.md", text, title=f"Part {at}") for at, text in enumerate(texts) for copy in range(9)]


@pytest.mark.parametrize("limit", [1, 3, 5, 10, 15, 20])
def test_the_limit_gives_as_many_contents_and_never_changes_their_order(limit: int) -> None:
    answer, longest = ask(*many(), limit=limit), ask(*many(), limit=20)
    assert [hit.id for hit in answer.hits] == [hit.id for hit in longest.hits][:limit]
    assert [hit.score for hit in answer.hits] == [hit.score for hit in longest.hits][:limit]
    assert len({hit.document.partition("/")[2] for hit in answer.hits}) == limit, "each content once"


def test_the_stage_can_be_switched_off() -> None:
    answer = ask(page("a.md", TEXT), page("b.md", TEXT), numbers=Copies(candidates=0))
    assert len(answer.hits) == 2
    (step,) = (step for step in answer.steps if step.stage == "collapse_copies")
    assert step.skipped == "setting copies.candidates is 0"


def test_an_answer_without_copies_skips_the_stage() -> None:
    answer = ask(page("a.md", TEXT), page("b.md", SHORT))
    (step,) = (step for step in answer.steps if step.stage == "collapse_copies")
    assert step.skipped == "no copies among the leading candidates"


def test_other_recipes_show_every_copy() -> None:
    store = MemoryStore()
    store.put([page("a.md", TEXT), page("b.md", TEXT)])
    answer = answer_query(RECIPES["classic"], Query("rotate keys"), Tools(store), SETTINGS)
    assert {hit.document: hit.copies for hit in answer.hits} == {"a.md": (), "b.md": ()}


def test_the_context_for_a_task_has_each_text_once() -> None:
    store = MemoryStore()
    store.put([page("keys.html", f"<p>{TEXT}</p> More."), page("keys.txt", f"KEYS {TEXT}"), page("c.md", SHORT)])
    answer = answer_query(AUTO, Query("rotate keys"), Tools(store), SETTINGS)
    assert [piece.document for piece in build_context(answer, store, 4000, SETTINGS).pieces] == ["keys.txt", "c.md"]


def test_a_document_stays_with_its_other_sections() -> None:
    html = entry("keys.html", Page((f"<p>{TEXT}</p>", "Rotate keys of hosts by hand, which nothing else describes.")))
    answer = ask(page("keys.txt", TEXT), html)
    assert sorted((hit.id, hit.copies) for hit in answer.hits) == [
        ("keys.html#L2-L2", ()),
        ("keys.txt#L1-L1", ("keys.html#L1-L1",)),
    ]
