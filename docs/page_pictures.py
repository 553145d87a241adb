"""Take the pictures of the page from the notes of the vault: `make page-pictures`. It needs a Chromium.

With names of pictures as arguments, only these are taken.
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
from time import sleep
from urllib.parse import urlencode
from urllib.request import urlopen

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
CORPUS = DOCS.parent / "benchmarks" / "vault" / "corpus"
QUERY = "what to do when a scale shows the wrong weight"
PICTURES = {
    "page-search.png": (f"/?{urlencode({'q': QUERY})}", "light", ".why summary"),
    "page-board.png": ("/tasks", "light", ""),
    "page-compare.png": (f"/compare?{urlencode({'q': QUERY, 'with': 'threeway'})}", "dark", ""),
    "page-graph.png": ("/graph", "light", "#stage[data-ready] #zoom-all"),
    "page-projects.png": (
        f"/all?{urlencode({'q': 'calibrate every scale before spring'})}",
        "light",
        "#switch summary",
    ),
}
"""File, path, colours, and what is clicked."""
TASKS = (
    ("Replace the load cells of scale 7", "todo", "priority: high\ndue: 2027-03-01\nassignee: Mara\ntags: [scales]"),
    ("Calibrate the scales before spring", "in_progress", "priority: critical\ndue: 2027-02-15\ntags: [scales]"),
    ("Describe the alarm for low weight", "review", "assignee: Iven\ntags: [docs, alarms]"),
    ("巣箱の温度グラフを確認する", "todo", "assignee: 佐藤\ntags: [sensors]"),
    ("Compare batteries for the gateway", "backlog", "priority: low\ntags: [hardware]"),
    ("Ask beekeepers which alarms they mute", "backlog", "tags: [alarms]"),
    ("Move the dashboard to the new server", "done", "assignee: Mara"),
    ("Buy a second gateway", "cancelled", "tags: [hardware]"),
)
"""Tasks of the board: title, status, and other fields."""
OTHERS = {
    "field-manual": (
        "scales.md",
        (
            "# Scales\n\n## Calibration\n\nCalibrate each scale twice a year, before spring and after the harvest. "
            "Use the brass weights.\n\n## Repair\n\nA scale that shows the wrong weight has a wet load cell.\n"
        ),
    ),
    "養蜂ノート": (
        "巣箱.md",
        "# 巣箱のはかり\n\nはかり（scale）は春と収穫の後に校正（calibration）します。\n",
    ),
    "供应商": ("秤.md", "# 秤的校准\n\n每年春天校准（calibrate）所有的秤（scales）。\n"),
}
"""Other projects of the user: name, file and text."""


@contextmanager
def serve_copy() -> Iterator[str]:
    """Serve a copy of the vault with its vectors, away from the user's folders."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "hivewatch"
        shutil.copytree(CORPUS, root)
        write_tasks(root)
        environment = {**os.environ, **{f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("DATA", "CONFIG", "STATE")}}
        command = [sys.executable, "-m", "waymeet"]
        for name, (file, text) in OTHERS.items():
            (Path(folder) / name).mkdir()
            (Path(folder) / name / file).write_text(text, "utf-8")
            subprocess.run([*command, "index"], cwd=Path(folder) / name, env=environment, check=True)
        subprocess.run([*command, "index"], cwd=root, env=environment, check=True)
        serve = [*command, "serve", "--port", "0", "--json"]
        with subprocess.Popen(serve, cwd=root, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                address = json.loads(process.stdout.readline())["address"]
                while not json.load(urlopen(f"{address}/v1/status"))["indexed"]:  # noqa: S310 - the server started above
                    sleep(0.5)
                opened = subprocess.run(
                    [*command, "open", "--no-browser", "--json"],
                    cwd=root,
                    env=environment,
                    check=True,
                    capture_output=True,
                )
                yield json.loads(opened.stdout)["sign_in"]
            finally:
                process.terminate()


def write_tasks(root: Path) -> None:
    """Write the tasks of the board."""
    folder = root / ".waymeet" / "tasks"
    folder.mkdir(parents=True)
    for number, (title, status, fields) in enumerate(TASKS):
        (folder / f"task-{number}.md").write_text(f"---\ntitle: {title}\nstatus: {status}\n{fields}\n---\n", "utf-8")


def main() -> int:
    """Write the pictures."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with serve_copy() as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(base_url=link, viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.goto(link)  # signs in
        for name, (path, scheme, clicked) in PICTURES.items():
            if sys.argv[1:] and name not in sys.argv[1:]:
                continue
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.goto("/")  # the first query loads the models
            page.goto(path)
            page.goto(path)
            if clicked:
                page.locator(clicked).first.click()
                page.mouse.move(0, 0)
            page.screenshot(path=DOCS / name)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
