"""Fetching the projects of the benchmark: digests, safe unpacking and links, with small local archives."""

import hashlib
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from projects import fetch
from projects.fetch import FetchError, Project, fetch_project, link_corpus, read_projects, unpack_folder

PAGES = {"demo-1/README.md": b"# Demo\n", "demo-1/docs/a.md": b"# A\n", "other/b.md": b"# B\n"}


def _write_archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def _make_project(archive: Path, **changes: str) -> Project:
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Project("demo", "npm", "demo", "1", digest, "demo-1")._replace(**changes)


def _list_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return _write_archive(tmp_path / "demo-1.tgz", PAGES)


@pytest.fixture
def downloads(archive: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Copy the local archive in place of a download, and list the downloaded projects."""
    names: list[str] = []

    def copy_archive(project: Project, folder: Path) -> Path:
        names.append(project.name)
        copy = folder / archive.name
        copy.write_bytes(archive.read_bytes())
        return copy

    monkeypatch.setattr(fetch, "download_archive", copy_archive)
    return names


@pytest.mark.usefixtures("downloads")
def test_only_the_indexed_folder_is_unpacked(archive: Path, tmp_path: Path) -> None:
    folder = fetch_project(_make_project(archive), tmp_path / "target")
    assert _list_files(folder) == ["README.md", "docs/a.md"]
    assert _list_files(tmp_path / "target") == ["demo.sha256", "demo/README.md", "demo/docs/a.md"]


def test_a_project_is_downloaded_once_and_again_after_a_change(
    archive: Path, tmp_path: Path, downloads: list[str]
) -> None:
    project = _make_project(archive)
    first = fetch_project(project, tmp_path / "target")
    (first / "stale.md").touch()
    assert fetch_project(project, tmp_path / "target") == first
    assert downloads == ["demo"]
    _write_archive(archive, {"demo-1/new.md": b"# New\n"})
    fetch_project(_make_project(archive), tmp_path / "target")
    assert downloads == ["demo", "demo"]
    assert _list_files(first) == ["new.md"]


@pytest.mark.usefixtures("downloads")
def test_another_digest_is_refused_and_nothing_is_kept(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="SHA-256"):
        fetch_project(_make_project(archive, sha256="0" * 64), tmp_path / "target")
    assert _list_files(tmp_path / "target") == []


@pytest.mark.usefixtures("downloads")
def test_a_missing_folder_is_an_error(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="no folder nowhere"):
        fetch_project(_make_project(archive, folder="nowhere"), tmp_path / "target")


def test_a_file_outside_of_the_target_is_refused(tmp_path: Path) -> None:
    archive = _write_archive(tmp_path / "evil.tgz", {"demo-1/../../escaped.md": b"# Escaped\n"})
    with archive.open("rb") as stream, pytest.raises(FetchError, match="cannot be unpacked"):
        unpack_folder(stream, "demo-1", tmp_path / "a" / "b")
    assert not list(tmp_path.rglob("escaped.md"))


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "links.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name, kind in {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "pipe": tarfile.FIFOTYPE}.items():
            member = tarfile.TarInfo(f"demo-1/{name}")
            member.type, member.linkname = kind, "../../etc/passwd"
            archive.addfile(member)
        archive.addfile(tarfile.TarInfo("demo-1/empty.md"))
    with path.open("rb") as stream:
        unpack_folder(stream, "demo-1", tmp_path / "target")
    assert [entry.name for entry in (tmp_path / "target").iterdir()] == ["empty.md"]


def test_a_damaged_archive_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="cannot be unpacked"):
        unpack_folder(io.BytesIO(b"not an archive"), "demo-1", tmp_path)


def test_names_as_in_debian_packages_are_unpacked(tmp_path: Path) -> None:
    archive = _write_archive(tmp_path / "deb.tgz", {"./usr/share/doc/demo/a.html": b"<h1>A</h1>"})
    with archive.open("rb") as stream:
        unpack_folder(stream, "usr/share/doc/demo", tmp_path / "target")
    assert _list_files(tmp_path / "target") == ["a.html"]


def test_only_files_that_match_the_pattern_are_unpacked(tmp_path: Path) -> None:
    archive = _write_archive(
        tmp_path / "mixed.tgz", {"demo-1/a.html": b"a", "demo-1/b/c.html": b"c", "demo-1/d.txt": b"d"}
    )
    with archive.open("rb") as stream:
        unpack_folder(stream, "demo-1", tmp_path / "target", "*.html")
    assert _list_files(tmp_path / "target") == ["a.html", "b/c.html"]


def test_both_halves_get_a_link_which_is_renewed(tmp_path: Path) -> None:
    for half in fetch.HALVES:
        (tmp_path / half / "demo").mkdir(parents=True)
    for target in (tmp_path / "gone", tmp_path / "project"):
        link_corpus("demo", target, tmp_path)
    assert {(tmp_path / half / "demo" / "corpus").readlink() for half in fetch.HALVES} == {tmp_path / "project"}


def test_a_folder_in_place_of_the_link_is_kept(tmp_path: Path) -> None:
    (tmp_path / "open" / "demo" / "corpus").mkdir(parents=True)
    with pytest.raises(FetchError, match="open/demo/corpus is no link"):
        link_corpus("demo", tmp_path / "project", tmp_path)


def test_a_failed_download_names_the_client_the_version_and_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project("demo", "apt", "demo-doc", "1:2", "0" * 64, "usr")
    command = [sys.executable, "-c", "import sys; sys.exit('E: Version not found\\n')"]
    monkeypatch.setattr(Project, "download_command", lambda *_: command)
    (tmp_path / "downloads").mkdir()
    with pytest.raises(
        FetchError, match=r"apt cannot download demo-doc 1:2 \(E: Version not found\)\. Run apt-get update"
    ):
        fetch.download_archive(project, tmp_path / "downloads")
    monkeypatch.setattr(Project, "download_command", lambda *_: ["no-such-program-here"])
    with pytest.raises(FetchError, match="no-such-program-here is not installed"):
        fetch.download_archive(project, tmp_path / "downloads")


def test_every_client_gets_the_pinned_version() -> None:
    for project in read_projects():
        command = " ".join(project.download_command(Path("requirements.txt")))
        pinned = project.requirement if project.client == "pip" else command
        assert project.version in pinned
        assert re.fullmatch(r"[0-9a-f]{64}", project.sha256)
        assert project.sha256 in project.requirement
    with pytest.raises(FetchError, match="none of pip, npm and apt"):
        read_projects()[0]._replace(client="curl").download_command(Path("requirements.txt"))


def test_an_unknown_project_is_a_usage_error() -> None:
    script = str(fetch.FOLDER / "fetch.py")
    result = subprocess.run([sys.executable, script, "nothing"], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "no such project: nothing" in result.stderr
