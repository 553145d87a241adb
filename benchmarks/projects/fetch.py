"""Download of the projects that the questions are about, by pip, npm and apt, with pinned versions and digests.

Each project is unpacked into a folder of its own, and the collections get a link `corpus` to it. Nothing of a project
is built, installed or run, except that pip reads the metadata of a source distribution with its build backend.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

FOLDER = Path(__file__).parent
HALVES = ("open", "held-out")
"""The collections of questions: those that may be looked at, and those that are not."""
GROUPS = (*HALVES, "development", "held-out-2", "held-out-3", "held-out-4", "held-out-5")
"""All collections: also questions about other projects, used to develop rules, and later held-out ones."""
DEFAULT_TARGET = FOLDER.parents[1] / "build" / "projects"
_DIGEST = ".sha256"
"""Ending of the file with the digest of the archive that a folder was unpacked from."""
_BLOCK = 1 << 20


class FetchError(Exception):
    """A project that cannot be fetched, with the reason."""


class Project(NamedTuple):
    """A package in a pinned version."""

    name: str
    client: str
    """`pip`, `npm` or `apt`."""
    package: str
    version: str
    sha256: str
    """Digest of the archive."""
    folder: str
    """The part of the archive that is indexed."""
    files: str = "*"
    """Pattern of the names of files that are unpacked."""

    @property
    def requirement(self) -> str:
        """The line of a requirements file with which pip checks the digest before it reads the archive."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}\n"

    def download_command(self, requirements: Path) -> list[str]:
        """Give the command that downloads the archive into the current folder.

        `requirements` is the file with the requirement, for pip.
        """
        if self.client == "pip":
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
            return [*pip, "--no-binary", self.package, "--requirement", str(requirements)]
        if self.client == "npm":
            return ["npm", "pack", "--silent", f"{self.package}@{self.version}"]
        if self.client == "apt":
            return ["apt-get", "download", "-qq", f"{self.package}={self.version}"]
        raise FetchError(f"{self.client} is none of pip, npm and apt.")


def read_projects(file: Path = FOLDER / "projects.toml") -> tuple[Project, ...]:
    """Read the pinned packages."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(Project(name, **row) for name, row in table.items())


def fetch_project(project: Project, target: Path) -> Path:
    """Download and unpack a project, unless its folder is there from the same archive, and return the folder.

    Raises:
        FetchError: the archive cannot be downloaded, has another digest or does not contain the folder.
    """
    folder, record = target / project.name, target / f"{project.name}{_DIGEST}"
    if folder.is_dir() and record.is_file() and record.read_text(encoding="ascii").strip() == project.sha256:
        return folder
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{project.name}-", dir=target) as place:
        downloads, unpacked = Path(place, "download"), Path(place, "unpacked")
        downloads.mkdir()
        archive = download_archive(project, downloads)
        check_digest(archive, project.sha256)
        with open_archive(archive) as stream:
            unpack_folder(stream, project.folder, unpacked, project.files)
        record.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.replace(folder)
    record.write_text(f"{project.sha256}\n", encoding="ascii")
    return folder


def download_archive(project: Project, downloads: Path) -> Path:
    """Download the archive of a project into an empty folder."""
    requirements = downloads.with_name("requirements.txt")
    requirements.write_text(project.requirement, encoding="utf-8")
    command = project.download_command(requirements)
    try:
        result = subprocess.run(command, cwd=downloads, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise FetchError(f"{command[0]} is not installed.") from error
    archives = sorted(path for path in downloads.iterdir() if path.is_file())
    if result.returncode or len(archives) != 1:
        reason = next((line for line in reversed(result.stderr.splitlines()) if line.strip()), "no reason given")
        hint = " Run apt-get update; other releases of Debian have other versions." if project.client == "apt" else ""
        raise FetchError(
            f"{project.client} cannot download {project.package} {project.version} ({reason.strip()}).{hint}"
        )
    return archives[0]


def check_digest(archive: Path, sha256: str) -> None:
    """Compare the digest of an archive with the recorded one."""
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != sha256:
        raise FetchError(f"{archive.name} has the SHA-256 {digest} and not {sha256}.")


@contextmanager
def open_archive(archive: Path) -> Iterator[IO[bytes]]:
    """Open an archive as a stream of tar, which dpkg-deb gives for a Debian package."""
    if archive.suffix != ".deb":
        with archive.open("rb") as stream:
            yield stream
        return
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout
        while process.stdout.read(_BLOCK):  # dpkg-deb fails if the end of the archive is not read
            pass
    if process.returncode:
        raise FetchError(f"dpkg-deb cannot read {archive.name}.")


def unpack_folder(stream: IO[bytes], folder: str, target: Path, files: str = "*") -> None:
    """Unpack the regular files of one folder of an archive that match a pattern, without links and devices.

    Raises:
        FetchError: the folder is not in the archive, or a file would be written outside of the target.
    """
    count = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                if member.isreg() and path.is_relative_to(folder) and path.match(files):
                    inside = member.replace(name=str(path.relative_to(folder)), deep=False)
                    archive.extract(inside, target, filter="data")
                    count += 1
    except tarfile.TarError as error:
        raise FetchError(f"The archive cannot be unpacked: {error}") from error
    if not count:
        raise FetchError(f"The archive has no folder {folder}.")


def link_corpus(project: str, folder: Path, collections: Path = FOLDER) -> None:
    """Make the link `corpus` of all collections of a project."""
    for half in GROUPS:
        link = collections / half / project / "corpus"
        if link.is_symlink():
            link.unlink()
        if link.exists():
            raise FetchError(f"{half}/{project}/corpus is no link; remove it.")
        if link.parent.is_dir():
            link.symlink_to(folder.resolve(), target_is_directory=True)


def main(arguments: list[str] | None = None) -> int:
    """Fetch the projects and link them from the collections of questions."""
    projects = {project.name: project for project in read_projects()}
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--target", type=Path, default=DEFAULT_TARGET, help="folder of projects [build/projects]")
    parser.add_argument("names", nargs="*", metavar="PROJECT", help=f"of {', '.join(projects)} [all]")
    options = parser.parse_args(arguments)
    unknown = sorted({*options.names} - {*projects})
    if unknown:
        parser.error(f"no such project: {', '.join(unknown)}")
    failed = 0
    for name in options.names or projects:
        try:
            link_corpus(name, fetch_project(projects[name], options.target))
            print(f"{name}: {projects[name].package} {projects[name].version}")
        except FetchError as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
