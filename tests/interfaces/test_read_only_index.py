"""Every command that reads works on an index that cannot be written, and leaves nothing there."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from support.server_process import PATIENCE, command, isolated_environment, make

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="permissions and mounts of Linux"),
]

READING = (
    ("search", "rotate keys", "--json"),
    ("read", "docs/setup.md"),
    ("related", "docs/setup.md"),
    ("links", "docs/setup.md"),
    ("status",),
    ("check",),
    ("graph",),
    ("stale",),
    ("orphans",),
    ("broken-links",),
    ("why-not", "rotate keys", "docs/fusion.md"),
)
_VECTORS = {"WAYMEET_EMBEDDING_PROVIDER": "hashing", "WAYMEET_EMBEDDING_DIMENSION": "16"}


class Kept(NamedTuple):
    """A project and the folder of its index, which a command can only read."""

    root: Path
    folder: Path
    environment: dict[str, str]
    prefix: tuple[str, ...]
    """The command that runs another one without the right to write."""

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command."""
        whole = [*self.prefix, sys.executable, "-m", "waymeet", *arguments]
        return subprocess.run(
            whole, env=self.environment, cwd=self.root, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    def listing(self) -> dict[str, tuple[int, int]]:
        """Give size and time of every file in the folder."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


@pytest.fixture(params=["permissions", "mount"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    """Index a project and take the right to write away, or skip where that is not possible."""
    root, folder = make(tmp_path / "project"), tmp_path / "kept"
    environment = {**isolated_environment(tmp_path), **_VECTORS, "WAYMEET_INDEX": str(folder / "index.db")}
    indexed = command(environment, root, "index")
    assert indexed.returncode == 0, indexed.stderr
    if request.param == "permissions":
        prefix: tuple[str, ...] = () if os.geteuid() else ("setpriv", "--bounding-set", "-all")
        for path in (*folder.rglob("*"), folder):
            path.chmod(0o555 if path.is_dir() else 0o444)
    else:
        mounting = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        user = ("--map-root-user",) if os.geteuid() else ()
        prefix = ("unshare", *user, "--mount", "sh", "-c", mounting, str(folder))
    probe = [*prefix, "sh", "-c", f"! touch '{folder / 'probe'}' 2> /dev/null"]
    if prefix and (not shutil.which(prefix[0]) or subprocess.run(probe, check=False, timeout=PATIENCE).returncode):
        pytest.skip("this system does not allow it")
    return Kept(root, folder, environment, prefix)


def test_every_reading_command_works_and_writes_nothing(kept: Kept) -> None:
    before = kept.listing()
    for arguments in READING:
        ran = kept.run(*arguments)
        assert ran.returncode in {0, 1}, (arguments, ran.stderr)
        assert "cannot be" not in ran.stderr, arguments
        assert "Traceback" not in ran.stderr, arguments
    found = json.loads(kept.run(*READING[0]).stdout)
    assert found["hits"][0]["document"] == "docs/setup.md"
    assert found["degraded"] == []
    assert kept.listing() == before


def test_what_could_not_be_indexed_is_announced(kept: Kept) -> None:
    (kept.root / "docs" / "new.md").write_text("# Quokkas\n")
    found = json.loads(kept.run("search", "rotate keys", "--json").stdout)
    assert found["hits"]
    (degraded,) = [entry for entry in found["degraded"] if entry["code"] == "behind"]
    assert "cannot be written" in degraded["detail"]
    refused = kept.run("index")
    assert refused.returncode == 3
    assert "cannot be written" in refused.stderr
