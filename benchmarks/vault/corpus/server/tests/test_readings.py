"""Tests of parse_reading and without_doubles."""

from hivewatch.readings import Reading, parse_reading, without_doubles


def test_parse_reading() -> None:
    assert parse_reading("h1;60;41000") == Reading("h1", 60, 41000)


def test_parse_reading_smoothed() -> None:
    assert not parse_reading("h1;60;41000;s").raw


def test_doubles() -> None:
    twice = [parse_reading("h1;60;41000"), parse_reading("h1;60;41000")]
    assert len(without_doubles(twice)) == 1
