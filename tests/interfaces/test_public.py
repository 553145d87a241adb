"""The public names of the library: few, loaded on use, typed, and cheap to import."""

import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files

import pytest

import waymeet


def test_the_public_names() -> None:
    assert len(waymeet.__all__) <= 11
    assert sorted(waymeet.__all__) == waymeet.__all__
    assert set(waymeet.__all__) <= set(dir(waymeet))
    for name in waymeet.__all__:
        found = getattr(waymeet, name)
        assert name == "__version__" or (found.__name__ == name and found.__doc__)
    assert waymeet.__version__ == version("waymeet")
    assert files("waymeet").joinpath("py.typed").is_file()


@pytest.mark.parametrize("name", ["Project", "Query", "AsyncProject"])
def test_neither_a_project_nor_a_query_loads_numpy_or_sqlite(name: str) -> None:
    code = (
        f"import sys; from waymeet import {name}; print(*[each for each in ('numpy', 'apsw') if each in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
