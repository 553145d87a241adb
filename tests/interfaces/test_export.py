"""`waymeet export`: the files of a site, the folder it is written to, and secrets."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from interfaces.conftest import Run
from support.secret_project import find_secrets, plant

from waymeet.interfaces.export import site as site_module
from waymeet.interfaces.export.search_files import SearchFiles, build_files
from waymeet.interfaces.export.search_index import SearchIndex

_LOADED = re.compile(r"(?:src|href|action)=\"([^\"]*)\"")


def _digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_site_is_complete_and_always_the_same(project: Path, run: Run, tmp_path: Path) -> None:
    ran = run("export", "--html", str(tmp_path / "site"), "--json")
    assert ran.code == 0, ran.err
    summary = json.loads(ran.out)
    files = _digests(tmp_path / "site")
    assert {"index.html", "read/docs/fusion.md.html", "read/src/users.py.html", "assets/page.css"} <= set(files)
    sizes = sum((tmp_path / "site" / path).stat().st_size for path in files)
    assert (summary["files"], summary["bytes"], summary["removed"]) == (len(files), sizes, 0)
    assert summary["documents"] == 6
    assert set(summary["bytes_by_part"]) == {"assets", "pages", "search"}
    assert run("export", "--html", str(tmp_path / "site")).code == 0
    assert run("export", "--html", str(tmp_path / "other")).code == 0
    assert _digests(tmp_path / "site") == files == _digests(tmp_path / "other")
    assert project.is_dir()


def test_pages_refer_to_the_site_only(project: Path, run: Run, tmp_path: Path) -> None:
    assert run("export", "--html", str(tmp_path / "site")).code == 0
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) == 7
    for page in pages:
        html = page.read_text(encoding="utf-8")
        assert "Content-Security-Policy" in html
        for link in _LOADED.findall(html):
            assert not re.match(r"/|[a-z]+:", link), link
            path = link.partition("#")[0].partition("?")[0]
            assert not path or (page.parent / path).resolve().is_file(), f"{page}: {link}"
    fusion = (tmp_path / "site/read/docs/fusion.md.html").read_text(encoding="utf-8")
    assert 'href="setup.md.html"' in fusion  # a wiki link
    assert "Links to here" in fusion
    assert "Related" in fusion
    assert project.is_dir()


def test_files_of_others_are_never_lost(project: Path, run: Run, tmp_path: Path) -> None:
    target = tmp_path / "site"
    target.mkdir()
    (target / "CNAME").write_text("docs.example.org", encoding="utf-8")
    refused = run("export", "--html", str(target))
    assert refused.code == 2
    assert "--force" in refused.err
    assert list(_digests(target)) == ["CNAME"]
    assert run("export", "--html", str(target), "--force").code == 0
    (project / "docs" / "setup.md").unlink()
    assert run("export", "--html", str(target)).code == 0
    assert (target / "CNAME").read_text(encoding="utf-8") == "docs.example.org"
    assert not (target / "read/docs/setup.md.html").exists()
    assert len(list(target.glob("search-*"))) == 1
    (project / "new.md").write_text("# New\n", encoding="utf-8")
    (target / "read" / "new.md.html").write_text("mine", encoding="utf-8")
    refused = run("export", "--html", str(target))
    assert (refused.code, "new.md.html" in refused.err) == (2, True)
    assert (target / "read" / "new.md.html").read_text(encoding="utf-8") == "mine"
    file = run("export", "--html", str(target / "CNAME"))
    assert (file.code, "is a file" in file.err) == (2, True)


def test_a_failed_export_leaves_the_earlier_site(
    project: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "site"
    assert run("export", "--html", str(target)).code == 0
    before = _digests(target)
    (project / "docs" / "setup.md").write_text("# Changed\n", encoding="utf-8")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(site_module, "build_files", fail)
    failed = run("export", "--html", str(target))
    assert (failed.code, "No space left on device" in failed.err) == (2, True)
    assert _digests(target) == before
    assert list(tmp_path.rglob("*.part")) == []


def test_what_a_killed_export_left_is_removed(project: Path, run: Run, tmp_path: Path) -> None:
    leftover = tmp_path / "site" / ".waymeet-export-x.part"
    leftover.mkdir(parents=True)
    (leftover / "index.html").write_text("half", encoding="utf-8")
    assert run("export", "--html", str(tmp_path / "site")).code == 0
    assert not leftover.exists()
    assert (project.is_dir(), (tmp_path / "site" / "index.html").is_file()) == (True, True)


def test_a_site_inside_the_project_is_not_indexed(project: Path, run: Run) -> None:
    assert run("export", "--html", "site").code == 0
    files = json.loads(run("export", "--html", "site", "--json").out)["documents"]
    assert files == 6
    assert (project / "site" / "index.html").is_file()


def test_no_file_has_a_secret(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(plant(tmp_path / "planted"))
    terms: set[str] = set()

    def collect(index: SearchIndex, *rest: Any) -> SearchFiles:
        terms.update(index.records, index.chunks, rest[1])
        return build_files(index, *rest)

    monkeypatch.setattr(site_module, "build_files", collect)
    ran = run("export", "--html", str(tmp_path / "site"))
    assert ran.code == 0, ran.err
    assert find_secrets("\n".join(terms)) == []  # terms in files are compressed
    for path in (tmp_path / "site").rglob("*"):
        assert find_secrets(path.as_posix()) == []
        assert not path.is_file() or find_secrets(path.read_bytes().decode("utf-8", "replace")) == [], path
