import gzip
import io
import tarfile
import zipfile
from pathlib import Path

from unpack import Sample, unpack, write_strings

ONTOLOGY = """format-version: 1.2

[Term]
id: X:1
name: tremor
def: "An unintentional, oscillating to-and-fro muscle movement." [X:a]
synonym: "shaking" EXACT []
comment: Often of the hands.

[Term]
id: X:2
name: without a definition
"""


def _sdist(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(f"package-1/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def _everything(_: str) -> int:
    return 0


def test_files_are_unpacked_and_converted(tmp_path: Path) -> None:
    text = b"A long enough line of text about nothing in particular. " * 3
    manual = (
        b".TH LS 1\n.SH NAME\nls \\- list files\n.PP\nLists \\fBfiles\\fP of a folder, and more, and more, and more.\n"
    )
    words = {"a.txt": text, "b.txt.gz": gzip.compress(bytes(range(32, 127)) * 4), "hp.obo": ONTOLOGY.encode()}
    archive = _sdist(tmp_path / "package-1.tar.gz", {**words, "ls.1.gz": gzip.compress(manual * 2, 0)})
    unpack(archive, tmp_path / "out", Sample(100, _everything))
    folder = tmp_path / "out" / "package-1"
    assert (folder / "a.txt").read_bytes() == text
    assert (folder / "b.txt").exists()
    assert "Lists files of a folder" in (folder / "ls.1.md").read_text()
    page = (folder / "hp-entries" / "hp-0.md").read_text()
    assert page.startswith("## tremor\n\nAn unintentional")
    assert "without a definition" not in page


def test_a_sample_does_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    files = {f"{number}.txt": b"x" * 100 for number in range(40)}
    first = _sdist(tmp_path / "a-1.tar.gz", files)
    second = _sdist(tmp_path / "b-1.tar.gz", dict(reversed(files.items())))
    kept = []
    for archive in (first, second):
        unpack(archive, tmp_path / archive.stem, Sample(7, _everything))
        kept.append(sorted(path.name for path in (tmp_path / archive.stem).rglob("*.txt")))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 7


def test_files_that_are_not_wanted_are_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "package-1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("package-1/keep.txt", "k" * 100)
        archive.writestr("package-1/leave.txt", "l" * 100)
    unpack(path, tmp_path / "out", Sample(9, lambda name: None if "leave" in name else 1))
    assert [file.name for file in (tmp_path / "out").rglob("*.txt")] == ["keep.txt"]


def test_long_strings_of_a_game_become_a_text(tmp_path: Path) -> None:
    path = tmp_path / "quest.cfg"
    speech = "You should feel honored, for it has been half a century since any man stood in this hall of elves."
    path.write_text(f'name="x"\ntext="{speech}"\n' * 3, encoding="utf-8")
    strings = write_strings(path)
    assert strings is not None
    assert strings.read_text(encoding="utf-8").split("\n\n") == [speech] * 3
    assert write_strings(tmp_path / "code.py") is None
