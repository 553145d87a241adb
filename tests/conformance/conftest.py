from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.postgres_server import missing_reason

from waymeet.ports import Store

from .backends import BACKENDS, ON_SERVER, Backend


@pytest.fixture(params=BACKENDS, ids=lambda backend: str(backend.name))
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = request.param
    if found in ON_SERVER and missing_reason():
        pytest.skip(missing_reason())
    return found


@pytest.fixture
def store(backend: Backend, tmp_path: Path) -> Iterator[Store]:
    """Give an empty store of each kind."""
    store = backend.make(tmp_path)
    yield store
    store.close()


@pytest.fixture
def reopen(backend: Backend, tmp_path: Path) -> Iterator[Callable[[Store], Store]]:
    """Close a store and open it again."""
    opened: list[Store] = []

    def again(store: Store) -> Store:
        opened.append(backend.reopen(store, tmp_path))
        return opened[-1]

    yield again
    for store in opened:
        store.close()
