"""Cutting files into chunks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.ingest.chunk import split_chunks
from waymeet.ingest.parse import parse
from waymeet.settings import Chunking
from waymeet.types import Chunk

SMALL = Chunking(max_chars=60, min_chars=15)
WHOLE = Chunking(max_chars=10_000, min_chars=0)


def cut(text: str, chunking: Chunking = SMALL, path: str = "a.md") -> tuple[Chunk, ...]:
    return split_chunks(path, text, parse(path, text), chunking)


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in chunks]


def test_sections_keep_their_heading_path_anchor_and_lines() -> None:
    text = "Before.\n\n# Top\n\nText.\n\n## Part A\n\nOne.\n\n### Deep\n\nTwo.\n\n## Part B\nThree.\n"
    chunks = cut(text, WHOLE)
    assert [(chunk.id, chunk.headings, chunk.anchors) for chunk in chunks] == [
        ("a.md#L1-L1", (), ()),
        ("a.md#L3-L5", ("Top",), ("top",)),
        ("a.md#L7-L9", ("Top", "Part A"), ("part-a",)),
        ("a.md#L11-L13", ("Top", "Part A", "Deep"), ("deep",)),
        ("a.md#L15-L16", ("Top", "Part B"), ("part-b",)),
    ]
    assert chunks[2].text == "## Part A\n\nOne."
    assert [chunk.ordinal for chunk in chunks] == [0, 1, 2, 3, 4]
    assert {chunk.document for chunk in chunks} == {"a.md"}


def test_levels_may_be_left_out() -> None:
    chunks = cut("# A\n\n#### B\n\n## C\n", WHOLE)
    assert [chunk.headings for chunk in chunks] == [("A",), ("A", "B"), ("A", "C")]


def test_a_long_section_is_split_at_paragraphs() -> None:
    chunks = cut("# Top\n\n" + "\n\n".join(f"Paragraph {n} has some words." for n in range(1, 6)))
    assert spans(chunks) == [(1, 3), (5, 7), (9, 11)]
    assert {chunk.headings for chunk in chunks} == {("Top",)}
    assert all(len(chunk.text) <= SMALL.max_chars for chunk in chunks)


def test_a_heading_stays_with_the_paragraph_below_it() -> None:
    chunks = cut(f"# Top\n\n{'a' * 50}\n\n{'b' * 50}\n")
    assert spans(chunks) == [(1, 3), (5, 5)]


def test_the_last_piece_is_not_left_too_short() -> None:
    chunks = cut(f"{'a ' * 9}\n\n{'b ' * 9}\n\n{'c ' * 9}\n\nd\n")
    assert spans(chunks) == [(1, 3), (5, 7)]


def test_a_tiny_section_begins_the_next_one() -> None:
    chunks = cut("# Top\n\n## Part\n\nSome words of text.\n\n## Other\n\nSome more words of text.\n")
    assert [(chunk.start, chunk.end, chunk.headings) for chunk in chunks] == [
        (1, 5, ("Top",)),
        (7, 9, ("Top", "Other")),
    ]
    assert "## Part" in chunks[0].text


def test_a_tiny_section_does_not_join_one_of_a_higher_level() -> None:
    chunks = cut("# A\n\nSome words of text here.\n\n## Tiny\n\n# B\n\nSome words of text there.\n")
    assert [chunk.headings for chunk in chunks] == [("A",), ("A", "Tiny"), ("B",)]


def test_text_before_the_first_heading_joins_its_section() -> None:
    (chunks,) = cut("[x]\n\n# Top\n\nSome words of text.\n")
    assert (chunks.start, chunks.end, chunks.headings, chunks.anchors) == (1, 5, ("Top",), ("top",))


def test_a_tiny_section_before_a_long_one_takes_only_what_fits() -> None:
    chunks = cut(f"# Top\n\n## Part\n\n{'a' * 30}\n\n{'b' * 40}\n")
    assert [(chunk.start, chunk.end, chunk.headings) for chunk in chunks] == [(1, 5, ("Top",)), (7, 7, ("Top", "Part"))]


def test_a_tiny_section_stands_alone_if_nothing_fits_beside_it() -> None:
    chunks = cut(f"# Top\n\n## Part\n{'a' * 52}\n")
    assert [(chunk.start, chunk.end, chunk.headings) for chunk in chunks] == [(1, 1, ("Top",)), (3, 4, ("Top", "Part"))]


def test_fenced_code_is_not_split_at_its_blank_lines() -> None:
    text = "Some words before the code.\n\n```\none = 1\n\n\ntwo = 2\n\nthree = 3\n```\n\nSome words behind the code.\n"
    assert spans(cut(text)) == [(1, 1), (3, 10), (12, 12)]


def test_long_fenced_code_is_split_at_lines() -> None:
    chunks = cut("```\n" + "value = compute()\n" * 8 + "```\n")
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == ["```", *["value = compute()"] * 8, "```"]
    assert all(len(chunk.text) <= SMALL.max_chars for chunk in chunks)


def test_a_long_line_is_cut_at_spaces_and_its_pieces_are_told_apart() -> None:
    chunks = cut("start\n" + "word " * 30 + "\nend\n", path="a.txt")
    assert [chunk.id for chunk in chunks] == [
        "a.txt#L1-L1",
        "a.txt#L2-L2",
        "a.txt#L2-L2~2",
        "a.txt#L2-L2~3",
        "a.txt#L3-L3",
    ]
    assert {word for chunk in chunks[1:4] for word in chunk.text.split()} == {"word"}
    assert all(len(chunk.text) <= SMALL.max_chars for chunk in chunks)


def test_a_line_without_spaces_is_cut_anywhere() -> None:
    chunks = cut("x" * 130, path="a.txt")
    assert [len(chunk.text) for chunk in chunks] == [44, 43, 43]


def test_code_is_cut_before_what_is_not_indented() -> None:
    text = "def one():\n    a = 1\n\n    return a\n\ndef two():\n    b = 2\n\n    return b, 'and some more'\n"
    assert spans(cut(text, path="a.py")) == [(1, 4), (6, 9)]


def test_short_code_is_one_chunk() -> None:
    assert spans(cut("import os\n\n\ndef f():\n    pass\n", path="a.py")) == [(1, 5)]


@pytest.mark.parametrize("text", ["", "\n", "  \n\t\n", "---\ntitle: x\n---\n", "---\ntitle: x\n---"])
def test_a_file_without_text_is_one_empty_chunk(text: str) -> None:
    assert cut(text) == (Chunk("a.md#L1-L1", "a.md", 0, 1, 1, ""),)


def test_front_matter_is_no_text_unless_it_is_broken() -> None:
    assert cut("---\ntitle: x\n---\nText.\n")[0].text == "Text."
    assert cut("---\ntitle: x: y\n---\nText.\n")[0].text == "---\ntitle: x: y\n---\nText."


LINES = st.one_of(
    st.sampled_from(["", "", " ", "# Top", "## Part", "### Deep", "word", "    indented", "```", "- item", "> quote"]),
    st.sampled_from(["===", "---", "| a | b |", "some words of a line that is longer than most", "x" * 150]),
    st.sampled_from(["word " * 40, "検索の設定について。" * 3]),
)
TEXTS = st.lists(LINES, max_size=40).map("\n".join)
SIZES = st.builds(Chunking, max_chars=st.integers(1, 200), min_chars=st.integers(0, 80))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(TEXTS, SIZES, st.sampled_from(["a.md", "a.py"]))
def test_no_text_is_lost_and_none_is_in_two_chunks(text: str, chunking: Chunking, path: str) -> None:
    parsed = parse(path, text)
    chunks = split_chunks(path, text, parsed, chunking)
    lines = text.split("\n")
    body = "\n".join(lines[parsed.body_line - 1 :])
    assert squeezed("".join(chunk.text for chunk in chunks)) == squeezed(body)
    covered = {number for chunk in chunks for number in range(chunk.start, chunk.end + 1)}
    assert covered >= {number for number, line in enumerate(lines, 1) if line.strip() and number >= parsed.body_line}
    assert all(len(chunk.text) <= chunking.max_chars for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert spans(chunks) == sorted(spans(chunks))


@given(TEXTS)
def test_a_chunks_lines_are_its_text(text: str) -> None:
    lines = text.split("\n")
    for chunk in cut(text, Chunking(max_chars=500, min_chars=50)):
        assert chunk.text in ("", "\n".join(lines[chunk.start - 1 : chunk.end]))


def test_a_joined_section_can_still_be_linked_to() -> None:
    (chunks,) = cut("# Top\n\n## Part\n\nSome more words of text.\n")
    assert (chunks.headings, chunks.anchors) == (("Top",), ("top", "part"))


CODE = Chunking(max_chars=400, min_chars=60)


def test_a_closing_bracket_belongs_to_the_member_before_it() -> None:
    method = "  send(message: string) {\n    return this.socket.write(encode(message), this.timeout)\n  }\n"
    text = (
        f"export class Client {{\n{method}\n{method.replace('send', 'post')}}}\n\nexport const other = makeAnother(1)\n"
    )
    chunks = cut(text, CODE, "client.ts")
    assert not [chunk for chunk in chunks if not re.search(r"\w", chunk.text)]
    assert any(chunk.text.endswith("  }\n}") for chunk in chunks)


def test_a_setter_belongs_to_its_getter() -> None:
    def getter(name: str) -> str:
        comment = f"  /** Whether {name} is on, which it is not by default: see the manual. */"
        return f"{comment}\n  get {name}() {{ return this.o.{name} }}\n"

    def setter(name: str) -> str:
        return f"  set {name}(v) {{ this.o.{name} = v }}\n"

    text = "class Options {\n" + "\n".join(getter(name) + "\n" + setter(name) for name in ("first", "second")) + "}\n"
    chunks = cut(text, CODE, "options.ts")
    with_setter = [chunk.text for chunk in chunks if "set first" in chunk.text]
    assert len(with_setter) == 1
    assert "get first" in with_setter[0]
    assert "second" not in with_setter[0]


def test_a_bracket_is_not_joined_beyond_the_limit() -> None:
    body = "\n".join(f"    call_number_{i}(argument)" for i in range(15))
    text = f"class A {{\n  run() {{\n{body}\n  }}\n\n\n}}\n"
    assert all(len(chunk.text) <= 400 for chunk in cut(text, CODE, "a.ts"))


def test_a_label_belongs_to_the_section_below_it() -> None:
    text = "Guide\n=====\n\nWords of the guide.\n\n.. _keys:\n.. _rotation:\n\nKeys\n----\n\nHow keys are rotated.\n"
    chunks = cut(text, WHOLE, "a.rst")
    assert spans(chunks) == [(1, 4), (6, 12)]
    assert (chunks[1].headings, chunks[1].anchors) == (("Guide", "Keys"), ("rotation",))


def test_a_label_above_text_or_with_an_address_is_no_part_of_the_next_section() -> None:
    labels = ".. _home: https://example.org\n\n.. _note:\n\nA noted text.\n"
    text = f"Guide\n=====\n\n{labels}\nKeys\n----\n\nHow keys are rotated.\n"
    assert spans(cut(text, WHOLE, "a.rst")) == [(1, 8), (10, 13)]
