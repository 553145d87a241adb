"""Parsing of queries: operators where they are meant, words everywhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waymeet.search.understand.query import parse_query


@pytest.mark.parametrize(
    ("query", "text", "phrases", "without", "prefixes"),
    [
        ("plain words", "plain words", (), (), ()),
        ('"rank fusion" works', "rank fusion works", ("rank fusion",), (), ()),
        ("“rank fusion”", "rank fusion", ("rank fusion",), (), ()),
        ("search -vector", "search", (), ("vector",), ()),
        ("conf* file", "file", (), (), ("conf",)),
        ("git commit -m", "git commit -m", (), (), ()),
        ("git --amend", "git --amend", (), (), ()),
        ("well-known a-b", "well-known a-b", (), (), ()),
        ("exit -10", "exit -10", (), (), ()),
        ('an open "quote', 'an open "quote', (), (), ()),
        ('""', '""', (), (), ()),
        ('how does "rank fusion" work?', "how does rank fusion work?", (), (), ()),
        ('"rank fusion" works?', "rank fusion works?", ("rank fusion",), (), ()),
        ('how "rank fusion" works', "how rank fusion works", ("rank fusion",), (), ()),
        (
            'we would like to read all about "rank fusion" in papers -old',
            "we would like to read all about rank fusion in papers",
            (),
            ("old",),
            (),
        ),
        ("-only -exclusions", "", (), ("only", "exclusions"), ()),
        ('"-request" conf*', "-request", ("request",), (), ("conf",)),
        ("*", "*", (), (), ()),
    ],
)
def test_operators(
    query: str, text: str, phrases: tuple[str, ...], without: tuple[str, ...], prefixes: tuple[str, ...]
) -> None:
    said = parse_query(query)
    assert (said.text, said.phrases, said.without, said.prefixes) == (text, phrases, without, prefixes)


@given(st.text())
def test_any_string_is_a_query(query: str) -> None:
    parse_query(query)
