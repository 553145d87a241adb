"""The rules of the house: small modules, imports that go one way, and a check that notices when they do not."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "waymeet"
MODULES = sorted(
    path for folder in ("src", "tests", "benchmarks", "docs") for path in (REPOSITORY / folder).rglob("*.py")
)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_no_module_is_longer_than_400_lines(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 400


def _contract(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the import contract on a copy of the package."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--config", "pyproject.toml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={"PYTHONPATH": "src"})


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(SOURCE, tmp_path / "src" / "waymeet", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_import_contract_holds(copy: Path) -> None:
    checked = _contract(copy)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("formulas/bm25.py", "import waymeet.search.fuse.fusion"),
        ("search/fuse/fusion.py", "import waymeet.stores.memory.store"),
        ("search/state.py", "import waymeet.ingest.index"),
        ("types/query.py", "import waymeet.settings"),
        ("stores/memory/store.py", "import waymeet.project"),
    ],
)
def test_the_import_contract_notices_a_wrong_import(copy: Path, module: str, planted: str) -> None:
    path = copy / "src" / "waymeet" / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n{planted}\n", encoding="utf-8")
    checked = _contract(copy)
    assert checked.returncode != 0
    assert "BROKEN" in checked.stdout


def test_a_new_room_must_be_given_a_place_in_the_contract(copy: Path) -> None:
    (copy / "src" / "waymeet" / "attic.py").write_text('"""A room nobody planned."""\n', encoding="utf-8")
    assert _contract(copy).returncode != 0


def test_no_file_names_a_registry_or_a_folder_of_this_machine() -> None:
    for path in REPOSITORY.glob("requirements*.txt"):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text
        assert "--hash=sha256:" in text


def test_the_public_names_are_these_and_all_can_be_loaded() -> None:
    import waymeet

    assert waymeet.__all__ == [
        *("Answer", "AsyncProject", "Explanation", "Filters", "Hit", "Project", "Query", "Variant", "WaymeetError"),
        "__version__",
    ]
    for name in waymeet.__all__:
        assert getattr(waymeet, name)
    with pytest.raises(AttributeError, match="Porject"):
        waymeet.Porject  # noqa: B018 - looking it up is the test


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, waymeet; print(sorted(name for name in sys.modules if name.startswith('waymeet.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
