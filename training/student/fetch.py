"""Download of the packages in sources.toml, checked by the digests in sources.lock.toml.

Source distributions come from the index that pip is set up with, Debian packages from the archives of apt. A package
without a record is recorded with its version, digest and licence.
"""

import argparse
import hashlib
import html
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

import tomlkit

FOLDER = Path(__file__).parent
LOCK = FOLDER / "sources.lock.toml"
GROUPS = ("code", "docs", "prose")
_MAX_BYTES = 150_000_000
"""Size of a package from which it is left out; nothing needs that much."""
_SDIST = re.compile(r"-(?P<version>\d[^-]*)\.(tar\.gz|tar\.bz2|zip)$")
_FREE = re.compile(
    r"apache|bsd|mit\b|isc|mpl|mozilla|gpl|gnu|lgpl|psf|python software|zpl|zope|public domain|unlicense|cc0|cc-by|"
    r"creative commons|artistic|boost|bsl-1|hpnd|zlib|eclipse|epl|cecill|afl|academic free|expat|biopython",
    re.IGNORECASE,
)
"""Names of free licences, as packages write them."""


class Source(NamedTuple):
    """A package and the kind of text it adds."""

    name: str
    kind: str
    """`pypi` or `debian`."""
    group: str
    """`code`, `docs` or `prose`."""


class Record(NamedTuple):
    """What was downloaded."""

    version: str
    sha256: str
    licence: str


class FetchError(Exception):
    """A package that cannot be had, with the reason."""


def read_sources() -> tuple[Source, ...]:
    """Read the packages of all groups, each package once."""
    table = tomllib.loads((FOLDER / "sources.toml").read_text(encoding="utf-8"))
    excluded = read_excluded()
    sources: dict[tuple[str, str], Source] = {}
    for group in GROUPS:
        for kind in ("debian", "pypi"):
            for name in table[group][kind].split():
                if name in excluded:
                    raise FetchError(f"{name} is excluded")
                sources.setdefault((kind, name), Source(name, kind, group))
    return tuple(sources.values())


def read_excluded() -> frozenset[str]:
    """Read the names of the projects that are tested on."""
    table = tomllib.loads((FOLDER / "sources.toml").read_text(encoding="utf-8"))
    return frozenset(table["excluded"].split())


def read_limits() -> Mapping[str, int]:
    """Read how many sections one package of each group may add."""
    table = tomllib.loads((FOLDER / "sources.toml").read_text(encoding="utf-8"))
    return {group: table[group]["sections"] for group in GROUPS}


def read_lock() -> dict[tuple[str, str], Record]:
    """Read the recorded packages by kind and name."""
    if not LOCK.exists():
        return {}
    table = tomllib.loads(LOCK.read_text(encoding="utf-8"))
    return {
        (kind, name): Record(row["version"], row["sha256"], row["licence"])
        for kind, rows in table.items()
        for name, row in rows.items()
    }


def write_lock(records: Mapping[tuple[str, str], Record]) -> None:
    """Write the recorded packages."""
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by fetch.py: what was downloaded for the training of the student."))
    for kind in ("debian", "pypi"):
        rows = tomlkit.table()
        for (row_kind, name), record in sorted(records.items()):
            if row_kind == kind:
                row = tomlkit.inline_table()
                row.update(record._asdict())
                rows.add(name, row)
        document.add(kind, rows)
    LOCK.write_text(tomlkit.dumps(document), encoding="utf-8")


def file_of(folder: Path, source: Source) -> Path | None:
    """Find the downloaded file of a package."""
    place = folder / source.kind / source.name
    files = [path for path in place.glob("*") if path.suffix != ".part"] if place.is_dir() else []
    return files[0] if files else None


def fetch(folder: Path, source: Source, record: Record | None) -> Record:
    """Download a package unless it is there, and check or record it.

    Raises:
        FetchError: it does not exist, is too large, has another digest than recorded or no free licence.
    """
    path = file_of(folder, source)
    if path is None:
        if source.kind == "debian":
            raise FetchError("not in the archive, or too large")
        place = folder / source.kind / source.name
        place.mkdir(parents=True, exist_ok=True)
        path = _download_sdist(place, source.name, record)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if record is not None:
        if digest != record.sha256:
            raise FetchError(f"digest {digest} differs from the recorded one")
        return record
    if source.kind == "pypi":
        match = _SDIST.search(path.name)
        version, licence = match["version"] if match else "", _sdist_licence(path)
    else:
        version, licence = _deb_field(path, "Version"), _deb_licence(path)
    if source.kind == "pypi" and not _FREE.search(licence):  # all of Debian main is free software
        raise FetchError(f"no free licence: {licence[:60]!r}")
    return Record(version, digest, licence)


def download_debs(folder: Path, sources: Sequence[Source], lock: Mapping[tuple[str, str], Record]) -> None:
    """Download missing Debian packages in few runs of apt, which is slow to start."""
    names = {source.name for source in sources if source.kind == "debian" and file_of(folder, source) is None}
    if not names:
        return
    wanted = [f"{name}={lock['debian', name].version}" if ("debian", name) in lock else name for name in sorted(names)]
    shown = subprocess.run(
        ["apt-cache", "show", "--no-all-versions", *wanted], capture_output=True, text=True, check=False
    ).stdout
    found = {}
    for entry in shown.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Version|Size): (.*)$", entry, re.MULTILINE))
        if fields and int(fields["Size"]) <= _MAX_BYTES:
            found[fields["Package"]] = f"{fields['Package']}={fields['Version']}"
    place = folder / "debs"
    place.mkdir(parents=True, exist_ok=True)
    for portion in batched(sorted(found.values()), 40):
        _run(["apt-get", "download", "-qq", *portion], cwd=place)
        for path in place.glob("*.deb"):
            target = folder / "debian" / path.name.partition("_")[0]
            target.mkdir(parents=True, exist_ok=True)
            path.replace(target / path.name)


def batched(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield items in portions."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _run(command: list[str], cwd: Path | None = None) -> str:
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode:
        raise FetchError(f"{command[0]} failed")
    return result.stdout


def _deb_field(path: Path, field: str) -> str:
    return _run(["dpkg-deb", "--field", str(path), field]).strip()


def _deb_licence(path: Path) -> str:
    """List the short names of licences in the copyright file of a package of Debian main."""
    if "/" in _deb_field(path, "Section"):
        raise FetchError("not in Debian main")
    shown = _read_copyright(path)
    names = dict.fromkeys(name.strip() for name in re.findall(r"^License: *(\S.*)$", shown, re.MULTILINE))
    return ", ".join([*names][:6]) or "free software of Debian main; see the copyright file of the package"


def _read_copyright(path: Path) -> str:
    """Read the copyright file of a Debian package, without unpacking what follows it."""
    command = ["dpkg-deb", "--fsys-tarfile", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
                for member in archive:
                    if member.isfile() and re.fullmatch(r"\./usr/share/doc/[^/]+/copyright", member.name):
                        file = archive.extractfile(member)
                        return file.read().decode(errors="replace") if file else ""
        finally:
            process.kill()
    return ""


def _sdist_licence(path: Path) -> str:
    text = read_metadata(path)
    expression = re.search(r"^License-Expression: *(\S.*)$", text, re.MULTILINE)
    classifiers = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(\S.*)$", text, re.MULTILINE)
    licence = re.search(r"^License: *(\S.*)$", text, re.MULTILINE)
    found = [expression[1]] if expression else classifiers or ([licence[1]] if licence else [])
    return ", ".join(found)[:200]


def read_metadata(path: Path) -> str:
    """Read the metadata of a source distribution."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith("PKG-INFO")]
            return archive.read(min(names, key=len)).decode(errors="replace") if names else ""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.name.endswith("PKG-INFO") and member.name.count("/") == 1:
                file = archive.extractfile(member)
                return file.read().decode(errors="replace") if file else ""
    return ""


def _download_sdist(place: Path, name: str, record: Record | None) -> Path:
    from pip._internal.configuration import Configuration
    from pip._internal.models.index import PyPI
    from pip._internal.network.session import PipSession

    settings = Configuration(isolated=False)
    settings.load()
    options = dict(settings.items())
    session = PipSession(retries=3, index_urls=[])
    session.verify = options.get(":env:.cert") or options.get("global.cert") or True
    index = options.get(":env:.index-url") or options.get("global.index-url") or PyPI.simple_url
    page = session.get(f"{index.rstrip('/')}/{name}/", timeout=60)
    if page.status_code != 200:
        raise FetchError("not in the index")
    link = _choose_link(page.text, record)
    address = urljoin(page.url, link)
    with session.get(address, stream=True, timeout=60) as answer:
        if int(answer.headers.get("Content-Length") or 0) > _MAX_BYTES:
            raise FetchError("too large")
        path = place / Path(address.partition("#")[0]).name
        part = path.with_suffix(".part")
        part.write_bytes(answer.content)
        part.replace(path)
    return path


def _choose_link(page: str, record: Record | None) -> str:
    """Choose the recorded source distribution, or the last final one."""
    chosen = ""
    for href, label in re.findall(r'<a[^>]+href="([^"]+)"[^>]*>\s*([^<\s]+)\s*</a>', page):
        match = _SDIST.search(label)
        if not match or (record is None and re.search(r"(a|b|rc|dev)\d", match["version"])):
            continue
        if record is None or match["version"] == record.version:
            chosen = html.unescape(href)
    if not chosen:
        raise FetchError("no source distribution")
    return chosen


def _fetch_all(folder: Path, sources: tuple[Source, ...]) -> Iterator[tuple[Source, Record | str]]:
    lock = read_lock()
    download_debs(folder, sources, lock)

    def attempt(source: Source) -> tuple[Source, Record | str]:
        try:
            return source, fetch(folder, source, lock.get((source.kind, source.name)))
        except (FetchError, OSError, tarfile.TarError, zipfile.BadZipFile, StopIteration) as error:
            return source, str(error) or type(error).__name__
        except Exception as error:  # noqa: BLE001 - network errors of pip's libraries have no common base
            return source, f"{type(error).__name__}"

    with ThreadPoolExecutor(8) as pool:
        yield from pool.map(attempt, sources)


def main() -> None:
    """Download every package and record the new ones."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="folder of downloads")
    parser.add_argument("--record", action="store_true", help="record packages that have no digest yet")
    arguments = parser.parse_args()
    records, failed = read_lock(), 0
    sources = read_sources()
    if not arguments.record:
        sources = tuple(source for source in sources if (source.kind, source.name) in records)
    for source, result in _fetch_all(arguments.folder, sources):
        if isinstance(result, Record):
            records[source.kind, source.name] = result
        else:
            failed += 1
            print(f"{source.kind} {source.name}: {result}", file=sys.stderr)
    write_lock(records)
    print(f"{len(records)} packages, {failed} not downloaded")


if __name__ == "__main__":
    os.environ.setdefault("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    main()
