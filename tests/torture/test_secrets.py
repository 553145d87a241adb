"""Secrets planted all over a tree: none is in any file of the index, in no answer, and in nothing that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from support.planted_secrets import chosen, lines
from support.random_tree import dice

from waymeet.project import Project

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def plant(root: Path, rng: Random) -> dict[str, str]:
    """Write files that hold secrets in many places, and give each secret by its place."""
    planted: dict[str, str] = {}

    def some(kind: str, where: str) -> str:
        secret, line = lines(rng)[kind]
        planted[f"{kind} in {where}"] = secret
        return line

    kinds = sorted(lines(rng))
    prose = "\n\n".join(f"## Part {number}\n\nSee: {some(kind, 'prose')}\n" for number, kind in enumerate(kinds))
    code = "\n".join(f"# {some(kind, 'code')}".replace("\n", "\n# ") for kind in kinds)
    files = {
        "guide.md": f"# {some('github', 'title')}\n\n[{some('stripe', 'link')}](other.md)\n\n{prose}",
        "front.md": f"---\ntitle: {some('gitlab', 'front')}\ntags: [{some('npm', 'tags')}]\n"
        f"{some('yaml', 'property').strip()}\n---\ntext\n",
        "wiki.md": f"[[other|{some('openai', 'label')}]] and [[{some('google', 'target')}]]\n",
        "src/app.py": f'def connect():\n    """{some("anthropic", "docstring")}"""\n    {some("python", "body")}\n',
        "src/large.py": f"{'x = 1  # filler' * 1_000}\n{code}\n",
        "src/app.ts": f"{some('typed', 'ts')}\n// {some('jwt', 'comment')}\n",
        "page.html": f"<h1>{some('slack', 'heading')}</h1><p>{some('amazon', 'html')}</p>",
        "doc.rst": f"{some('pypi', 'rst')}\n{'=' * 120}\n\n{some('header', 'rst')}\n",
        "set.yaml": f"a:\n{some('yaml', 'yaml')}\n{some('address', 'yaml')}\n",
        "set.json": some("json", "json"),
        "deploy.sh": f"{some('shell', 'shell')}\n{some('ini', 'shell')}\n",
        "book.ipynb": msgspec.json.encode({"cells": [{"source": some("python", "notebook")}]}).decode(),
        "wide.txt": some("key", "utf-16"),
        "unknown.xyz": f"{some('password', 'unknown')}\n{some('key in a string', 'unknown')}\n",
        ".env": some("environment", "env"),
        "id_rsa": some("key", "key file"),
        "certs/server.key": some("key", "certificate"),
        ".waymeet/notes/note.md": f"# Note\n\n{some('digital-ocean', 'note')}\n",
    }
    for kind, (secret, line, name) in chosen(rng).items():
        planted[f"{kind}, chosen"] = secret
        files[f"chosen/{name or 'nameless'}"] = f"{line}\n"
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-16" if name == "wide.txt" else "utf-8")
    return planted


def test_no_planted_secret_is_in_any_file_of_the_index(tmp_path: Path) -> None:
    root, home = tmp_path / "root", tmp_path / "index"
    planted = plant(root, dice("secrets"))
    assert len(planted) > 100
    with Project.open(root, index=home / "index.sqlite", flags=["embedding.provider=hashing"]) as project:
        report = project.index()
        told = [msgspec.json.encode(each) for each in (report, project.status())]
        questions = ("secret", "part", *planted.values())
        told += [msgspec.json.encode(project.search(question, refresh=False).hits) for question in questions]
        told += [
            msgspec.json.encode(project.read(path))
            for path, document in project._open_store().documents(project._open_store().fingerprints()).items()
            if document.kind != "folders"
        ]
    kept = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert len(kept) > 1
    for place, secret in planted.items():
        spellings = {secret.encode(form) for form in ("utf-8", "utf-16-le")} | {secret.lower().encode()}
        assert not {path.name for path, raw in kept.items() if any(each in raw for each in spellings)}, place
        assert not any(secret.encode() in each for each in told), place
    assert dict(report.warnings)["src/app.py"] == "2 secrets masked"
    assert {each.path for each in report.skipped} == {".env", "id_rsa", "certs/server.key"}


def test_only_the_user_may_switch_masking_off(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    secret, line = lines(dice("off"))["github"]
    (root / "a.md").write_text(line)
    with Project.open(root, index=tmp_path / "a.sqlite", flags=["ingest.mask_secrets=false"]) as project:
        project.index()
        assert secret in project.read("a.md").text
        assert [hit.document for hit in project.search(secret).hits] == ["a.md"]
    with Project.open(root, index=tmp_path / "a.sqlite") as project:
        project.index()  # it keeps the option of the last run no longer
        assert project.read("a.md").notes == ("1 secret masked",)
        assert not project.search(secret, refresh=False).hits
