"""Count symbols and edges found in real code, and the time, compared with codegraph.

Both programs index the same trees from scratch, each started from the command line, one after the other. The trees
contain source code only, because codegraph reads nothing else.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

from waymeet.stores.sqlite import SqliteStore

PYPI = ("Django==5.2", "SQLAlchemy==2.0.40", "httpx==0.28.1")
NPM = ("rxjs@7.8.2",)
RIVAL = "@colbymchenry/codegraph@1.6.1"
KINDS = ("contains", "imports", "extends", "implements", "calls")
_SOURCE = (".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx")
_RUNS = 3
_LARGE = 500
"""Number of files from which on one run is enough."""


def measure() -> dict[str, Any]:
    """Return the counts of each program in each tree, and the median times."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        rival = _install_rival(place / "rival")
        return {"trees": [_measure_tree(tree, place, rival) for tree in _download_trees(place)], "rival": RIVAL}


def _download_trees(place: Path) -> list[Path]:
    """Download the packages and copy their source code."""
    downloads = place / "downloads"
    downloads.mkdir()
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps"]
    subprocess.run([*pip, "--dest", str(downloads), *PYPI], check=True)
    for package in NPM:
        subprocess.run(["npm", "pack", "--silent", package], cwd=downloads, check=True, stdout=subprocess.DEVNULL)
    trees = []
    for archive in sorted((*downloads.glob("*.tar.gz"), *downloads.glob("*.tgz")), key=lambda path: path.name.lower()):
        name = archive.name.removesuffix(".tar.gz").removesuffix(".tgz")
        unpacked, tree = place / "unpacked" / name, place / "trees" / name
        with tarfile.open(archive) as packed:
            packed.extractall(unpacked, filter="data")
        (inside,) = unpacked.iterdir()
        top = inside / "src" if archive.suffix == ".tgz" else inside  # an npm package contains its build as well
        for path in sorted(top.rglob("*")):
            if path.suffix in _SOURCE and path.is_file():
                kept = tree / path.relative_to(top)
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, kept)
        trees.append(tree)
    return trees


def _install_rival(folder: Path) -> Path | None:
    """Install the rival and return its path, or None if that fails."""
    folder.mkdir()
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), RIVAL]
    installed = shutil.which("npm") and not subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    return folder / "node_modules" / ".bin" / "codegraph" if installed else None


def _measure_tree(tree: Path, place: Path, rival: Path | None) -> dict[str, Any]:
    files = [path for path in tree.rglob("*") if path.is_file()]
    ours: list[float] = []
    theirs: list[float] = []
    index = place / "index.sqlite"
    runs = _RUNS if len(files) < _LARGE else 1
    for _ in range(runs):
        for left in place.glob("index.sqlite*"):
            left.unlink() if left.is_file() else shutil.rmtree(left)
        ours.append(_seconds([sys.executable, "-m", "waymeet", "index", "--index", str(index), "-C", str(tree)]))
        if rival:
            shutil.rmtree(tree / ".codegraph", ignore_errors=True)
            theirs.append(_seconds([str(rival), "init", "--yes", str(tree)], CODEGRAPH_TELEMETRY="0"))
    result = {
        "tree": tree.name,
        "files": len(files),
        "runs": runs,
        "megabytes": round(sum(path.stat().st_size for path in files) / 1e6, 1),
        "waymeet": _count_index(index, len(files), sorted(ours)[runs // 2]),
    }
    if rival:
        result["codegraph"] = _count_rival(tree, len(files), sorted(theirs)[runs // 2])
        shutil.rmtree(tree / ".codegraph", ignore_errors=True)
    return result


def _seconds(command: list[str], **environment: str) -> float:
    started = perf_counter()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | environment
    )
    return perf_counter() - started


def _count_index(index: Path, files: int, seconds: float) -> dict[str, Any]:
    """Count the symbols and edges of our index."""
    store = SqliteStore.open(index)
    try:
        documents = store.documents(list(store.fingerprints()))
        chunks = store.chunks_of(list(documents))
        symbols = Counter(symbol.kind for each in chunks.values() for chunk in each for symbol in chunk.symbols)
        edges = [edge for edge in store.edges(list(documents)) if edge.kind in KINDS]
    finally:
        store.close()
    languages = Counter(document.language for document in documents.values())
    counted = Counter((documents[edge.source.document].language, edge.kind, edge.target is not None) for edge in edges)
    return {
        "seconds": round(seconds, 2),
        "seconds_per_1000_files": round(1000 * seconds / files, 2),
        "symbols": dict(symbols.most_common()),
        "edges": {
            language: {
                kind: {"resolved": counted[language, kind, True], "dangling": counted[language, kind, False]}
                for kind in KINDS
            }
            for language in sorted(filter(None, languages))
            if any(counted[language, kind, True] for kind in KINDS)
        },
    }


def _count_rival(tree: Path, files: int, seconds: float) -> dict[str, Any]:
    """Count the nodes of the rival's index, without files and imports, and its edges."""
    with sqlite3.connect(tree / ".codegraph" / "codegraph.db") as connection:
        nodes = dict(connection.execute("SELECT kind, count(*) FROM nodes GROUP BY kind ORDER BY 2 DESC"))
        edges = dict(
            connection.execute(
                "SELECT kind, count(*) FROM (SELECT DISTINCT source, target, kind FROM edges) "
                "GROUP BY kind ORDER BY 2 DESC"
            )
        )
    connection.close()
    return {
        "seconds": round(seconds, 2),
        "seconds_per_1000_files": round(1000 * seconds / files, 2),
        "symbols": {kind: number for kind, number in nodes.items() if kind not in {"file", "import"}},
        "edges": edges,
    }


def table(figures: dict[str, Any]) -> str:
    """Format the figures as tables."""
    rows = [
        "| tree | files | MB | symbols | s per 1,000 files | codegraph: symbols | s per 1,000 files |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in figures["trees"]:
        ours, theirs = each["waymeet"], each.get("codegraph")
        other = f"{sum(theirs['symbols'].values()):,} | {theirs['seconds_per_1000_files']}" if theirs else "– | –"
        rows.append(
            f"| {each['tree']} | {each['files']:,} | {each['megabytes']} | {sum(ours['symbols'].values()):,} "
            f"| {ours['seconds_per_1000_files']} | {other} |"
        )
    rows += [
        "",
        f"| tree | language | {' | '.join(KINDS)} | codegraph, all languages |",
        "|---" * (len(KINDS) + 3) + "|",
    ]
    for each in figures["trees"]:
        theirs = each.get("codegraph")
        other = ", ".join(f"{kind} {number:,}" for kind, number in theirs["edges"].items()) if theirs else "–"
        for language, kinds in each["waymeet"]["edges"].items():
            cells = " | ".join(f"{kinds[kind]['resolved']:,} ({kinds[kind]['dangling']:,})" for kind in KINDS)
            rows.append(f"| {each['tree']} | {language} | {cells} | {other} |")
            other = ""
    kinds = Counter[str]()
    for each in figures["trees"]:
        kinds.update(each["waymeet"]["symbols"])
    rows += [
        "",
        "Symbols of all trees: " + ", ".join(f"{kind} {number:,}" for kind, number in kinds.most_common()) + ".",
    ]
    rows += [
        "",
        "Edges: resolved ones (in parentheses: those whose target is not in the tree, or is ambiguous).",
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    measured = measure()
    print(json.dumps(measured, indent=2))
    print(table(measured))
