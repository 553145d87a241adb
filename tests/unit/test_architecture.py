"""Rules for the whole tree: sizes of folders, modules and functions, module names, and import directions."""

import ast
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "waymeet"
MODULES = sorted(
    path
    for folder in ("src", "tests", "benchmarks", "docs")
    for path in (REPOSITORY / folder).rglob("*.py")
    if "fixtures" not in path.parts
)
SOURCES = sorted(SOURCE.rglob("*.py"))

MAX_MODULES_IN_FOLDER = 15
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_BRANCHES = 20

MISLEADING_NAMES = frozenset(
    "about again alongside around aside asked asking bake bare beside chosen completing desk door endings evaluating "
    "gaps gate glance graphproof graphs graphshelf head hop judging kept lane library lift loose making mentioned "
    "missing names near notes opening outside pack pagewords proof queue reading remembered renewal scripts sentences "
    "shelf shelves signs spaces splitter suit tame testing textures tokens trouble trust truth twins vectorkeep "
    "vectorproof vectorshelf vouched ways weights without wording".split()
)
"""Former module names that did not tell what was inside."""


def _relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def test_no_folder_holds_more_than_15_modules() -> None:
    counts = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    assert {_relative(folder): n for folder, n in counts.items() if n > MAX_MODULES_IN_FOLDER} == {}


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {_relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: n for path, n in lengths.items() if n > MAX_MODULE_LINES} == {}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in SOURCES:
        for node in ast.walk(_tree(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{_relative(path)}:{node.lineno} {node.name}", node


def _branches(function: ast.AST) -> int:
    """Count the ways through a function (cyclomatic complexity)."""
    single = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension, ast.Assert, ast.match_case)
    return 1 + sum(
        len(node.values) - 1 if isinstance(node, ast.BoolOp) else isinstance(node, single)
        for node in ast.walk(function)
    )


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function; the options that click puts above a command are not part of it."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def test_no_function_is_longer_than_40_lines() -> None:
    assert {name: _lines(node) for name, node in _functions() if _lines(node) > MAX_FUNCTION_LINES} == {}


def test_no_function_has_more_than_20_branches() -> None:
    assert {name: _branches(node) for name, node in _functions() if _branches(node) > MAX_BRANCHES} == {}


def test_no_module_has_a_misleading_name() -> None:
    assert {_relative(path) for path in SOURCES if path.stem in MISLEADING_NAMES} == set()


def test_only_the_project_names_a_store_backend() -> None:
    """Another backend is one package and one line in project/backend.py."""
    allowed = {SOURCE / "project" / "backend.py"}
    naming = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCES
        if path not in allowed and not path.is_relative_to(SOURCE / "stores")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("waymeet.stores.sqlite")
        if not (node.module or "").endswith("check.check")  # a type of the public interface
    }
    assert naming == set()


def _contract(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the import contracts on a copy of the package."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--config", "pyproject.toml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={"PYTHONPATH": "src"})


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(SOURCE, tmp_path / "src" / "waymeet", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_import_contracts_hold(copy: Path) -> None:
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
        ("search/retrieve/dense.py", "import waymeet.search.rank.rerank"),
        ("search/understand/query.py", "import waymeet.search.retrieve.dense"),
        ("ingest/discover/walk.py", "import waymeet.ingest.build.entry"),
    ],
)
def test_the_import_contracts_notice_a_wrong_import(copy: Path, module: str, planted: str) -> None:
    path = copy / "src" / "waymeet" / module
    path.write_text(path.read_text(encoding="utf-8") + f"\n{planted}\n", encoding="utf-8")
    checked = _contract(copy)
    assert checked.returncode != 0
    assert "BROKEN" in checked.stdout


def test_a_new_module_must_be_given_a_place_in_the_contract(copy: Path) -> None:
    (copy / "src" / "waymeet" / "unplanned.py").write_text('"""A module without a layer."""\n', encoding="utf-8")
    assert _contract(copy).returncode != 0


def test_no_file_names_a_registry_or_a_folder_of_this_machine() -> None:
    for path in REPOSITORY.glob("requirements*.txt"):
        text = path.read_text(encoding="utf-8")
        assert "://" not in text
        assert "--hash=sha256:" in text


def test_the_public_names_are_these_and_all_can_be_loaded() -> None:
    import waymeet

    assert waymeet.__all__ == [
        *("Answer", "AsyncProject", "Explanation", "Filters", "Hit", "Project", "Projects", "Query", "Variant"),
        *("WaymeetError", "__version__"),
    ]
    for name in waymeet.__all__:
        assert getattr(waymeet, name)
    with pytest.raises(AttributeError, match="Porject"):
        waymeet.Porject  # noqa: B018 - looking it up is the test


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, waymeet; print(sorted(name for name in sys.modules if name.startswith('waymeet.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
