"""Open segments shared by threads in different generations, which must not mix."""

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.projects import entry

from waymeet.stores.sqlite import SqliteStore
from waymeet.types import Filters

ROUNDS = 5000


@pytest.fixture(autouse=True)
def _restless() -> Iterator[None]:
    """Switch threads as often as possible, to provoke races."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def _both(store: SqliteStore, ask: Callable[[SqliteStore], int]) -> list[str]:
    """Ask from two generations at once, and return the results of the wrong one."""
    wrong: list[str] = []
    ready, changed = threading.Event(), threading.Event()

    def read(mine: int) -> None:
        with store.snapshot() as generation:
            if mine == 0:
                ready.set()
                assert changed.wait(30)
            for _ in range(ROUNDS):
                result = ask(store)
                if result != mine + 1:
                    wrong.append(f"generation {generation} got {result}, not {mine + 1}")
                    return

    def before() -> None:
        try:
            read(0)
        except Exception as error:  # noqa: BLE001 - the test reports any error
            wrong.append(repr(error))

    other = threading.Thread(target=before)
    other.start()
    assert ready.wait(30)
    store.put([entry("b.md", "# B\n\nTwo, see [a](a.md).\n")])
    changed.set()
    read(1)
    other.join()
    return wrong


def _documents_with_words(store: SqliteStore) -> int:
    session = store._sessions.begin()
    try:
        return store._segments.lexicon(session).statistics.chunks
    finally:
        store._sessions.end(session)


def _neighbours(store: SqliteStore) -> int:
    return len(store.neighbours(["a.md"])["a.md"]) + 1


def test_two_generations_at_once(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "index.sqlite", create=True)
    store.put([entry("a.md", "# A\n\nOne.\n")])
    assert _both(store, _documents_with_words) == []
    store.close()


def test_the_links_of_two_generations_at_once(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "index.sqlite", create=True)
    store.put([entry("a.md", "# A\n\nOne.\n")])
    assert _both(store, _neighbours) == []
    store.close()


def test_many_filters_at_once(tmp_path: Path) -> None:
    """More filters than are cached: one thread removes what another has cached."""
    store = SqliteStore.open(tmp_path / "index.sqlite", create=True)
    store.put([entry(f"docs/{number}.md", "# A\n\nOne.\n") for number in range(40)])
    wrong: list[str] = []

    def ask(start: int) -> None:
        try:
            for number in range(start, start + 600):
                path = f"docs/{number % 40}.md"
                found = store.first_passing_chunks([path, "docs/39.md"], Filters(paths=(path,)))
                if set(found) != {path}:
                    wrong.append(f"{path}: {found}")
        except Exception as error:  # noqa: BLE001 - the test reports any error
            wrong.append(repr(error))

    threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 10, 20, 30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert wrong == []
