"""Take the pictures of the page from the notes of the vault: `make page-pictures`. It needs a Chromium."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
CORPUS = DOCS.parent / "benchmarks" / "vault" / "corpus"
QUERY = "what to do when a scale shows the wrong weight"
PICTURES = {
    "page-search.png": (f"/?{urlencode({'q': QUERY})}", "light", ".why summary"),
    "page-compare.png": (f"/compare?{urlencode({'q': QUERY, 'with': 'threeway'})}", "dark", ""),
    "page-graph.png": ("/graph", "light", "#stage[data-ready] #zoom-all"),
}
"""File, path, colours, and what is clicked."""


@contextmanager
def serve_copy() -> Iterator[str]:
    """Serve a copy of the vault with its vectors, away from the user's folders."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "hivewatch"
        shutil.copytree(CORPUS, root)
        environment = {**os.environ, **{f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("DATA", "CONFIG", "STATE")}}
        command = [sys.executable, "-m", "waymeet"]
        subprocess.run([*command, "index"], cwd=root, env=environment, check=True)
        serve = [*command, "serve", "--port", "0", "--json"]
        with subprocess.Popen(serve, cwd=root, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                address = json.loads(process.stdout.readline())["address"]
                while not json.load(urlopen(f"{address}/v1/status"))["indexed"]:  # noqa: S310 - the server started above
                    sleep(0.5)
                yield address
            finally:
                process.terminate()


def main() -> int:
    """Write the pictures."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with serve_copy() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name, (path, scheme, clicked) in PICTURES.items():
            page = browser.new_page(
                viewport={"width": 1280, "height": 720}, color_scheme="dark" if scheme == "dark" else "light"
            )
            page.goto(address)  # the first query loads the models
            page.goto(address + path)
            page.goto(address + path)
            if clicked:
                page.locator(clicked).first.click()
                page.mouse.move(0, 0)
            page.screenshot(path=DOCS / name)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
