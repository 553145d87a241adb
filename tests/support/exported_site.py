"""A site exported from this repository's own pages and code, and a plain server for it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

REPOSITORY = Path(__file__).parents[2]
_COPIED = (
    *("README.md", "ARCHITECTURE.md", "docs/*.md", "docs/demo/*/*.md", "benchmarks/vault/corpus/**/*.*"),
    *("src/waymeet/search/**/*.py", "src/waymeet/formulas/*.py", "src/waymeet/stores/shared/*.py"),
    "src/waymeet/analysis/*.py",
)
QUESTIONS = (
    "how are ranked lists fused",
    "getUserById",
    "rotating signing keys",
    "where is the length norm of a field computed",
    '"reciprocal rank fusion"',
    '"no such phrase anywhere" fusion',
    "spelling -correction",
    "conf* settings",
    "kind:code path:src/ idf saturation",
    "kind:docs snippets",
    "RRF weights",
    "what does a red light on the box mean?",
    "contains_phrase",
    "who may read the notes of a project?",
    "normalise_text has_cjk",
    "renewing caches",
    "返金はいつ届きますか",
    "検索の設定",
    "如何校准传感器",
    "泊位 发票",
)
"""Questions about these pages: plain words, names, operators, filters, Japanese and Chinese."""


def copy_repository(target: Path) -> Path:
    """Copy a part of this repository: pages in three languages, notes and code."""
    for pattern in _COPIED:
        for file in sorted(REPOSITORY.glob(pattern)):
            if file.is_file() and "__pycache__" not in file.parts:
                copy = target / file.relative_to(REPOSITORY)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
    return target


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the standard library
        """Write no log."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve a folder by the standard library's server, and give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
