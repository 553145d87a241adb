"""Measure the page in a Chromium: from a key to results on the screen at 100,000 sections, and the frames of the graph.

The project is written from the text of packages, one section of Markdown per piece of about 700 characters, and is
searched by words and links alone: embedding it would take hours, and a query's vector is part of the server's time.
What the page adds is the time from the key to the frame that shows the results, minus the time from the request to the
end of its response.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Any
from urllib.request import urlopen

from engine_text import File, choose_sentences, download_files
from playwright.sync_api import Browser, Page, sync_playwright

SECTIONS = 100_000
QUERIES = 12
TYPED = 5
"""Letters at the end of each query that are typed one by one."""
DELAYS = {"one key at a time": 400, "fast typing": 90}
"""Milliseconds between two keys."""
_WATCH = """
window.__painted = 0; window.__typed = 0;
document.addEventListener("input", () => { window.__typed = performance.now(); }, true);
addEventListener("DOMContentLoaded", () => {
  const results = document.querySelector("#results");
  if (!results) return;
  const paint = () => requestAnimationFrame(() => setTimeout(() => { window.__painted = performance.now(); }));
  new MutationObserver(paint).observe(results, { childList: true });
});
"""
_READ = """() => {
  const entries = performance.getEntriesByType("resource").filter((entry) => entry.name.includes("/results?"));
  const last = entries.at(-1);
  const server = last.responseEnd - last.requestStart;
  const shown = Number(document.querySelector(".summary")?.textContent.match(/([0-9]+) ms/)?.[1] ?? 0);
  performance.clearResourceTimings();
  return { total: window.__painted - window.__typed, server, search: shown };
}"""


def measure() -> dict[str, object]:
    """Return times in milliseconds: in all, of the server, and what the page adds."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = download_files(Path(folder), SECTIONS)
        queries = [" ".join(sentence.split()[:4]) for sentence in choose_sentences(corpus, QUERIES)]
        root = Path(folder) / "project"
        write_project(root, corpus)
        with serve(root, Path(folder)) as (address, indexing), sync_playwright() as playwright:
            program = os.environ.get("CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            counts = _read_status(address)["status"]["counts"]
            figures: dict[str, object] = {"documents": counts["documents"], "sections": counts["chunks"]}
            figures["indexing_seconds"] = round(indexing, 1)
            figures |= {name: _measure_typing(browser, address, queries, delay) for name, delay in DELAYS.items()}
            figures["graph"] = _measure_graph(browser, address)
            browser.close()
    return figures


def write_project(root: Path, corpus: list[File]) -> None:
    """Write each file as a page with a section per piece, and a link to an earlier page."""
    for number, file in enumerate(corpus):
        path = root / f"{file.path}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        pieces = (
            f"## Part {part}\n\n" + "\n".join(line.lstrip("#") for line in piece.splitlines())
            for part, piece in enumerate(file.pieces, start=1)
        )
        earlier = f"{corpus[number // 8].path}.md"
        link = f"See [{earlier}](/{earlier}).\n\n" if number else ""
        path.write_text(f"# {file.path}\n\n{link}" + "\n\n".join(pieces) + "\n", encoding="utf-8")


@contextmanager
def serve(root: Path, folder: Path) -> Iterator[tuple[str, float]]:
    """Index a project and serve it, away from the user's folders."""
    own = {f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("DATA", "CONFIG", "STATE", "CACHE")}
    environment = {**os.environ, **own, "WAYMEET_EMBEDDING_PROVIDER": "none", "WAYMEET_EMBEDDING_BACKGROUND": "false"}
    environment["WAYMEET_SERVE_REQUEST_SECONDS"] = "600"  # a busy machine must not end the measurement
    command = [sys.executable, "-m", "waymeet"]
    started = perf_counter()
    subprocess.run([*command, "index"], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
    indexing = perf_counter() - started
    whole = [*command, "serve", "--port", "0", "--json"]
    with subprocess.Popen(whole, cwd=root, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address = json.loads(process.stdout.readline())["address"]
            while not _read_status(address)["indexed"]:
                sleep(0.5)
            yield address, indexing
        finally:
            process.terminate()


def _read_status(address: str) -> dict[str, Any]:
    status: dict[str, Any] = json.load(urlopen(f"{address}/v1/status"))  # noqa: S310 - the server started above
    return status


def _measure_typing(browser: Browser, address: str, queries: list[str], delay: int) -> dict[str, object]:
    page = browser.new_page()
    page.add_init_script(_WATCH)
    page.goto(address)
    times = [_type_query(page, query, delay) for query in [queries[0], *queries]][1:]  # the first one opens the index
    page.close()
    added = [time["total"] - time["server"] for time in times]
    return {
        "milliseconds_between_keys": delay,
        "to_results": _summarise([time["total"] for time in times]),
        "server": _summarise([time["server"] for time in times]),
        "search_within_server": _summarise([time["search"] for time in times]),
        "added_by_the_page": _summarise(added),
        "share_within_50_ms": round(sum(value <= 50.0 for value in added) / len(added), 2),
    }


def _type_query(page: Page, query: str, delay: int) -> dict[str, float]:
    """Type the end of a query, and read the times of the search for its last letter."""
    page.locator("#q").fill(query[:-TYPED])
    _wait_for(page, query[:-TYPED])
    page.locator("#q").press_sequentially(query[-TYPED:], delay=delay)
    _wait_for(page, query)
    read: dict[str, float] = page.evaluate(_READ)
    return read


def _wait_for(page: Page, query: str) -> None:
    """Wait until the results of a query are shown and nothing changes any more."""
    before = -1.0
    while before != (before := page.evaluate("window.__painted")) or _is_waiting(page, query):
        page.wait_for_timeout(150)


def _is_waiting(page: Page, query: str) -> bool:
    """Return whether the results of the whole query are not shown yet."""
    shown = page.evaluate("new URLSearchParams(location.search).get('q')?.trim()")
    is_busy = page.evaluate("document.querySelector('#results').hasAttribute('aria-busy')")
    return bool(shown != query.strip() or is_busy or page.evaluate("window.__painted < window.__typed"))


def _measure_graph(browser: Browser, address: str) -> dict[str, object]:
    """Measure the first and the second drawing of the whole project, and the frames while it is moved."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(120_000)
    seconds = []
    for _ in range(2):
        started = perf_counter()
        page.goto(f"{address}/graph")
        page.wait_for_selector("#stage[data-ready]")
        seconds.append(round(perf_counter() - started, 2))
    frames: list[float] = page.evaluate("document.querySelector('#graph').view.measure(240)")
    painting: Any = page.evaluate("document.querySelector('#graph').view.painting")
    nodes = int(page.locator("#stage").get_attribute("data-ready") or 0)
    page.close()
    return {
        "nodes": nodes,
        "seconds_to_the_first_drawing": seconds[0],
        "seconds_to_the_second": seconds[1],
        "milliseconds_between_frames": _summarise(frames),
        "milliseconds_to_paint_at_rest": round(painting, 1),
    }


def _summarise(values: list[float]) -> dict[str, float]:
    return {"median": round(median(values), 1), "p95": round(quantiles(values, n=20)[-1], 1)}
