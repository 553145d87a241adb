"""What the student is trained on is recorded, and nothing that Waymeet is tested on is among it."""

import re

from fetch import read_excluded, read_lock, read_sources


def test_every_package_is_recorded_with_version_digest_and_licence() -> None:
    lock = read_lock()
    assert {(source.kind, source.name) for source in read_sources()} == set(lock)
    for record in lock.values():
        assert record.version
        assert re.fullmatch(r"[0-9a-f]{64}", record.sha256)
        assert record.licence


def test_no_tested_project_is_a_source() -> None:
    excluded = read_excluded()
    assert {"flask", "fastify", "zod", "express", "django", "requests", "click", "aiohttp", "gin"} <= excluded
    for source in read_sources():
        name = re.sub(r"^(python3?|node|ruby|golang|librust|php)-|-(doc|dev|docs)$", "", source.name)
        assert name not in excluded
