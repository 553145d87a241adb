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


@pytest.mark.parametrize(
    "query",
    [
        'Unrecognized key: "foo"',
        'strict mode: unknown keyword: "example"',
        'unknown format "date-time" ignored',
        'unable to determine transport target for "pino-pretty"',
        'can’t open the file "foo bar" for reading',
    ],
)
def test_a_quoted_value_in_an_error_message_need_not_occur(query: str) -> None:
    assert parse_query(query).phrases == ()
    assert parse_query(query).names


@pytest.mark.parametrize(
    "query",
    [
        'error "connection refused"',
        'invalid "date-time"',
        '"TODO:" list of items',
        '"Error: " handling code',
        'note: "x y"',
        'expected value of "random variable"',
        '"rank fusion" already used here',
        'missing "primary key" constraint',
    ],
)
def test_a_phrase_beside_other_words_must_occur(query: str) -> None:
    assert parse_query(query).phrases
