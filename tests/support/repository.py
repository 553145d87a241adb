"""Git repositories for tests."""

import os
import subprocess
from pathlib import Path


class Repository:
    """A repository whose commits are made at given times."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *args: str, at: int = 0) -> str:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        person = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
        times = {"GIT_AUTHOR_DATE": f"@{at} +0000", "GIT_COMMITTER_DATE": f"@{at} +0000", "GIT_COMMITTER_EMAIL": "a@b"}
        config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *args],
            cwd=self.root,
            env=inherited | person | times | config,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, at: int, **files: str) -> None:
        for name, text in files.items():
            self.write(name.replace("__", "/") + ".md", text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "x", at=at)

    def read(self, path: str) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.is_file() else None
