"""Mentions of code in prose."""

import pytest
from support.processor_time import processor_seconds

from waymeet.ingest.parse import RawLink, parse
from waymeet.ingest.parse.references.mentions import MAX_MENTIONS


def mentions(text: str, path: str = "docs/a.md") -> list[RawLink]:
    return [link for link in parse(path, text).links if link.kind == "mentions"]


@pytest.mark.parametrize(
    ("written", "refs", "anchor"),
    [
        ("`Store.put`", ("s:Store.put",), "Store.put"),
        ("`Store`", ("s:Store",), "Store"),
        ("`rotate_keys()`", ("s:rotate_keys",), "rotate_keys"),
        ("`rotate_keys(a, b=1)`", ("s:rotate_keys",), "rotate_keys"),
        ("`run()`", ("s:run",), "run"),
        ("`embedQuery`", ("s:embedQuery",), "embedQuery"),
        ("`self.rotate_keys`", ("s:rotate_keys",), "rotate_keys"),
        ("`Store::put`", ("s:Store.put",), "Store.put"),
        ("`Store#put`", ("s:Store.put",), "Store.put"),
        ("`MAX_SIZE`", ("s:MAX_SIZE",), "MAX_SIZE"),
        (
            "`app.store.Store.put`",
            ("s:app.store.Store.put", "m:python:app/store", "s:Store.put", "m:python:app/store/"),
            "Store.put",
        ),
        ("`app.store`", ("m:python:app/store", "m:python:app/store/", "s:app.store"), ""),
        ("`src/app.py`", ("p:docs/src/app.py", "p:src/app.py", "p:src/src/app.py", "m:python:src/app"), ""),
        ("`src/app.py:12`", ("p:docs/src/app.py", "p:src/app.py", "p:src/src/app.py", "m:python:src/app"), ""),
        ("`src/app.py#Store`", ("p:docs/src/app.py", "p:src/app.py", "p:src/src/app.py", "m:python:src/app"), "Store"),
        ("`./app.py`", ("p:docs/app.py",), ""),
        ("`../app.py`", ("p:app.py",), ""),
        ("`app.py`", ("n:app.py",), ""),
        ("See src/app.py for more.", ("p:docs/src/app.py", "p:src/app.py", "p:src/src/app.py", "m:python:src/app"), ""),
        (
            "```python\nfrom app.store import Store\n```",
            ("m:python:app/store", "m:python:app/store/Store", "m:python:app/store/Store/", "m:python:app/store/"),
            "Store",
        ),
        ("```python\nimport app.store as s\n```", ("m:python:app/store", "m:python:app/store/"), ""),
        (
            "```ts\nimport { a } from './lib/b'\n```",
            ("m:js:/docs/lib/b", "m:js:/lib/b", "m:js:/docs/lib/b/", "m:js:/lib/b/"),
            "",
        ),
        (
            "```sh\npython tools/run.py\n```",
            ("p:docs/tools/run.py", "p:tools/run.py", "p:src/tools/run.py", "m:python:tools/run"),
            "",
        ),
    ],
)
def test_what_looks_like_code_is_mentioned(written: str, refs: tuple[str, ...], anchor: str) -> None:
    (found,) = mentions(written)
    assert (found.refs, found.anchor) == (refs, anchor)


@pytest.mark.parametrize(
    "written",
    [
        "`--flag`",
        "`limit`",
        "`GET`",
        "`true`",
        "`None`",
        "`print()`",
        "`a b`",
        "`1.5`",
        "`np.array`",
        "`os.path.join`",
        "`self`",
        "`x`",
        "`README.md`",
        "`logo.png`",
        "`https://example.org/a.py`",
        "`user@example.org`",
        "`$HOME`",
        "Store.put in prose, and/or rotate_keys",
        "https://example.org/src/app.py",
        "at 1/2.5 or w/o",
        "```python\nimport os\nfrom pathlib import Path\nfrom .x import y\n```",
        "```ts\nimport react from 'react'\n```",
        "[`Store.put`](b.md)",
        "[src/app.py](b.md)",
    ],
)
def test_what_does_not_is_not(written: str) -> None:
    assert mentions(written) == []


def test_a_mention_has_its_sentence_its_section_and_its_line() -> None:
    (found,) = mentions("# Keys\n\nFirst.\nThen `rotate_keys()` runs at night. Last.\n")
    assert (found.text, found.sentence) == ("rotate_keys()", "Then rotate_keys() runs at night.")
    assert (found.section, found.line) == ("keys", 4)


def test_a_link_that_leads_elsewhere_leaves_its_mention() -> None:
    (found,) = mentions("[`Store.put`](https://example.org/store)")
    assert found.anchor == "Store.put"


def test_a_section_mentions_a_thing_once() -> None:
    found = mentions("# A\n\n`Store` and `Store`.\n\n# B\n\n`Store`.\n")
    assert [each.section for each in found] == ["a", "b"]


def test_a_list_of_everything_is_cut() -> None:
    assert len(mentions("\n\n".join(f"`Name{number}.part`" for number in range(MAX_MENTIONS * 2)))) == MAX_MENTIONS


@pytest.mark.parametrize(
    "text", ["a/", "`a.b` ", "a/b.py ", "`A::b`", "../", "`a(` ", "x.y/", "```py\nimport a,\n```\n"]
)
def test_hostile_mentions_take_time_in_proportion(text: str) -> None:
    with processor_seconds(20.0):
        parse("docs/a.md", text * (100_000 // len(text)))


# --- blocks of code ------------------------------------------------------------------------------------------------


def test_blocks_of_code_are_children_with_a_language() -> None:
    text = "```\nplain\n```\n\n# Setup\n\n```Python title=x\na = 1\n```\n\n```python\nb = 2\n```\n\n    indented\n"
    parsed = parse("docs/a.md", text)
    assert [(each.name, each.kind, each.signature, each.start, each.end) for each in parsed.symbols] == [
        ("code-1", "code_block", "", 1, 3),
        ("setup/python-1", "code_block", "python", 7, 9),
        ("setup/python-2", "code_block", "python", 11, 13),
    ]
    contains = [link for link in parsed.links if link.kind == "contains"]
    assert [(link.refs, link.section, link.anchor) for link in contains] == [
        (("p:docs/a.md",), "", "code-1"),
        (("p:docs/a.md",), "setup", "setup/python-1"),
        (("p:docs/a.md",), "setup", "setup/python-2"),
    ]
    assert parsed.keys == ()
