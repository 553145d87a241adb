"""Processes that write one note at the same time: agents through the API, editors without a lock.

`note_process.py agent ROOT NAME ROUNDS` or `note_process.py editor FILE NAME ROUNDS in-place|rename`.
"""

from __future__ import annotations

import os
import random
import sys
from contextlib import suppress
from pathlib import Path
from time import sleep

from waymeet.errors import ConflictError, ItemNotFoundError
from waymeet.notebook import Notebook
from waymeet.settings import NotebookSettings, Settings

NOTE = ".waymeet/notes/shared.md"
_MAX_TRIES = 10_000


def notebook(root: Path) -> Notebook:
    """Open the notebook, with a history that is long enough for all edits."""
    return Notebook(root, Settings(notebook=NotebookSettings(history=100_000)), root.parent / "beside" / "index.db")


def agent(root: str, name: str, rounds: int) -> str:
    """Add lines to a note, each based on the version that was read, and retry after a conflict."""
    items, conflicts = notebook(Path(root)), 0
    for number in range(rounds):
        for _ in range(_MAX_TRIES):
            try:
                item = items.read(NOTE)
                items.update(NOTE, version=item.version, body=f"{item.body}{name}-{number}.\n")
                print(f"{name}-{number}.", flush=True)  # noqa: T201 - acknowledged: from now on it must not be lost
                break
            except (ConflictError, ItemNotFoundError):
                conflicts += 1
        else:
            return "too many conflicts"
    return f"done {conflicts}"


def editor(file: str, name: str, rounds: int, how: str) -> str:
    """Open a file, add a line, and save it without checking for changes, as simple editors do."""
    path, rng = Path(file), random.Random(name)  # noqa: S311 - not a secret
    for number in range(rounds):
        text = ""
        with suppress(FileNotFoundError):  # where files cannot be exchanged, it is missing for a moment
            text = path.read_text(encoding="utf-8")
        sleep(rng.random() * 0.002)
        text += f"{name}-{number}.\n"
        if how == "rename":
            draft = path.with_name(f".{name}.tmp")
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
            continue
        with path.open("w", encoding="utf-8") as out:  # empties the file first
            for part in range(0, len(text), 50):
                out.write(text[part : part + 50])
                out.flush()
                if rng.random() < 0.05:
                    sleep(0.001)
            out.flush()
            os.fsync(out.fileno())
    return "done"


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        kind, path, writer, rounds, *more = sys.argv[1:]
        print(agent(path, writer, int(rounds)) if kind == "agent" else editor(path, writer, int(rounds), more[0]))  # noqa: T201
