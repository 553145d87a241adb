"""Files made to crash, hang or exhaust whoever reads them, three hundred and more, each of its own sort."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from random import Random

CODE = "py js ts tsx go rs java c cpp cs rb php kt swift scala sh".split()
SMALL, LARGE = 30_000, 1_900_000
FINE = "fine/page.md"
"""A file with nothing wrong, which must be found among all the others."""


def plant(root: Path, rng: Random, rounds: int) -> int:
    """Write the whole corpus, some of it several times in other sizes, and count the files."""
    number = 0
    named = [*_texts(rng, rounds), *_manifests(), *_encodings(rng), *_archives()]
    for path, content in (*((os.fsencode(name), content) for name, content in named), *_names()):
        file = os.path.join(os.fsencode(root), path)  # noqa: PTH118
        os.makedirs(os.path.dirname(file), exist_ok=True)  # noqa: PTH103, PTH120 - names may be any bytes
        with open(file, "wb") as out:  # noqa: PTH123 - likewise
            out.write(content)
        number += 1
    fine = root / FINE
    fine.parent.mkdir(parents=True, exist_ok=True)
    fine.write_text("# Harbour lights\n\nThe lighthouse keeper writes a perfectly ordinary page.\n")
    return number + 1 + _specials(root)


def repeated(piece: str, size: int) -> str:
    """Repeat a piece up to a size."""
    return (piece * (size // len(piece) + 1))[:size]


_MARKDOWN: dict[str, Callable[[int], str]] = {
    "quotes": lambda n: repeated("> ", n) + "a",
    "quote-stairs": lambda n: "\n".join(">" * min(i, 900) + " a" for i in range(int((2 * n) ** 0.5)))[:n],
    "lists": lambda n: "\n".join(" " * (2 * i) + "- a" for i in range(int(n**0.5)))[:n],
    "dashes": lambda n: repeated("- ", n) + "a",
    "brackets": lambda n: "[" * n,
    "brackets-closed": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "images": lambda n: repeated("![", n),
    "links-open": lambda n: repeated("[a](", n),
    "links-nested": lambda n: "[" * (n // 4) + "a" + "](b)" * (n // 6),
    "links-many": lambda n: repeated("[a](b) ", n),
    "wiki-open": lambda n: repeated("[[", n),
    "wiki-bars": lambda n: repeated("[[a|", n),
    "emphasis": lambda n: repeated("*a_ ", n),
    "emphasis-mixed": lambda n: repeated("**a *b ", n),
    "stars": lambda n: "a" + "*" * n + "b",
    "ticks": lambda n: "".join("`" * i + " " for i in range(int((2 * n) ** 0.5)))[:n],
    "html": lambda n: repeated("<a b=", n),
    "comments": lambda n: repeated("<!--", n),
    "instructions": lambda n: repeated("<?", n),
    "entities": lambda n: repeated("&a", n),
    "definitions": lambda n: "\n\n".join(f"[a{i}]: b" for i in range(n // 12)),
    "references": lambda n: "[a]: b\n\n" + repeated("[a] ", n),
    "footnotes": lambda n: "\n".join(f"[^{i}]: [^{i + 1}]" for i in range(n // 16)),
    "table-wide": lambda n: "|a" * (n // 6) + "|\n" + "|-" * (n // 6) + "|\n" + "|b" * (n // 6),
    "table-long": lambda n: "a|b\n-|-\n" + repeated("a|b\n", n),
    "headings": lambda n: repeated("# a\n", n),
    "underlined": lambda n: repeated("a\n=\n", n),
    "fences": lambda n: repeated("```\n", n),
    "letters": lambda n: "a" * n,
    "line": lambda n: repeated("word ", n),
    "newlines": lambda n: "\n" * n,
    "spaces": lambda n: " " * n,
    "hyphens": lambda n: repeated("a-", n),
    "humps": lambda n: repeated("aB", n),
    "marks": lambda n: "a" + "\u0301" * (n // 2),
    "ligatures": lambda n: "\ufdfa" * (n // 3),
    "han": lambda n: "".join(chr(0x4E00 + i * 7 % 0x5000) for i in range(n // 3)),
    "right-to-left": lambda n: repeated("\u202eevil\u202c \u2066x\u2069 \u200f", n // 3),
    "escapes": lambda n: repeated("\x1b]0;title\x07\x1b[2J ", n),
    "passwords": lambda n: repeated("pass=", 500) + "\n" + repeated("password='a1B2c3D4 ", n),
    "keys": lambda n: repeated("-----BEGIN PRIVATE KEY-----\n", n),
    "tokens": lambda n: repeated(".eyJ", n),
    "front-open": lambda n: "---\n" + repeated("a: b\n", n),
    "front-deep": lambda n: "---\na: " + "[" * n + "\n---\n",
    "front-blocks": lambda n: "---\n" + "\n".join(" " * i + "a:" for i in range(int((2 * n) ** 0.5))) + "\n---\n",
    "front-bomb": lambda n: "---\n" + _bomb() + "\n---\n" + repeated("x ", n // 10),
    "front-keys": lambda n: "---\n" + "".join(f"k{i}: v\n" for i in range(min(n, 60_000) // 10)) + "---\n",
    "front-tags": lambda _: "---\na: !!python/object/apply:os.system ['true']\n---\nx\n",
}
_SOURCE: dict[str, Callable[[int], str]] = {
    "parens": lambda n: "(" * n,
    "closed": lambda n: "(" * (n // 2) + ")" * (n // 2),
    "braces": lambda n: "{" * n,
    "less": lambda n: repeated("a<", n),
    "junk": lambda n: repeated("@#$%^&*)}]", n),
    "strings": lambda n: repeated('"a\n', n),
    "choices": lambda n: repeated("a?b:", n),
    "classes": lambda n: repeated("class A {", n),
}
_DATA: dict[str, Callable[[int], str]] = {
    "bomb.yaml": lambda _: _bomb(),
    "deep.yaml": lambda n: "[" * n,
    "deep.json": lambda n: "[" * n,
    "deep2.json": lambda n: repeated('{"a":', n),
    "line.json": lambda n: '{"a": "' + "x" * n + '"}',
    "deep.xml": lambda n: repeated("<a>", n),
    "laughs.xml": lambda _: (
        "<!DOCTYPE a [" + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(20)) + "]>"
    ),
    "deep.html": lambda n: repeated("<div>", n),
    "attributes.html": lambda n: "<a " + repeated("b=c ", n) + ">",
    "script.html": lambda n: repeated("<script>", n),
    "wide.csv": lambda n: repeated("a,", n),
    "deep.toml": lambda n: "a = " + "[" * n,
    "sections.ini": lambda n: repeated("[a]\n", n),
    "stairs.rst": lambda n: repeated("a\n=\n\nb\n-\n\n", n),
    "roles.rst": lambda n: repeated(":a:`b <", n),
    "directives.rst": lambda n: repeated(".. a:: b\n   ", n),
    "blocks.adoc": lambda n: repeated("====\n", n),
    "cells.ipynb": lambda n: '{"cells": [' + ",".join('{"source": ["a"]}' for _ in range(n // 20)) + "]}",
    "deep.ipynb": lambda n: '{"metadata": ' + "[" * n,
    "half.ipynb": lambda _: '{"cells": [{"cell_type": "markdown", "source": "# \\ud800 half"}]}',
    "log.log": lambda n: repeated("2026-01-01 ERROR 0x7f\n", n),
    "patch.diff": lambda n: repeated("@@ -1 +1 @@\n", n),
}


_MANIFESTS = (
    *(
        "package.json",
        "tsconfig.json",
        "composer.json",
        "deno.json",
        "pyproject.toml",
        "setup.cfg",
        "Cargo.toml",
        "go.mod",
    ),
    *("pom.xml", "build.gradle", ".gitmodules", ".gitignore", "SKILL.md", "requirements.txt", "pnpm-workspace.yaml"),
)
"""Files that are read for what they say of others, too."""


def _bomb() -> str:
    """Give nine lines of YAML that stand for a billion words."""
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    return "\n".join(lines)


def _texts(rng: Random, rounds: int) -> Iterator[tuple[str, bytes]]:
    for round_ in range(rounds):
        size = SMALL if round_ == 0 else rng.randrange(SMALL, LARGE)
        for name, make in _MARKDOWN.items():
            yield f"md/{round_}/{name}.md", make(size).encode()[:LARGE]
        for name, make in _DATA.items():
            yield f"data/{round_}/{name}", make(size).encode()[:LARGE]
        for ending in CODE:
            for name, make in _SOURCE.items():
                yield f"code/{round_}/{name}.{ending}", make(size // 3).encode()
    for name in rng.sample(sorted(_MARKDOWN), min(4 * rounds, len(_MARKDOWN))):
        yield f"large/{name}.md", _MARKDOWN[name](LARGE).encode()[:LARGE]
    for ending in rng.sample(CODE, min(3 * rounds, len(CODE))):
        for name in ("parens", "braces", "junk")[: rounds + 1]:
            yield f"large/{name}.{ending}", _SOURCE[name](200_000).encode()


def _manifests() -> Iterator[tuple[str, bytes]]:
    for number, make in enumerate((_DATA["deep2.json"], _DATA["deep.toml"], _SOURCE["junk"], _MARKDOWN["front-bomb"])):
        for name in _MANIFESTS:
            yield f"manifests/{number}/{name}", make(SMALL).encode()
    yield "manifests/many/.gitignore", ("**/*a*b*c*d*/**\n" * 4_000).encode()
    yield f"manifests/many/{'ab/' * 40}{'abc' * 60}.md", b"# Deep in a folder with many rules\n"


def _encodings(rng: Random) -> Iterator[tuple[str, bytes]]:
    words = "Überschrift 検索の設定 中文文本 привет мир été\n" * 40
    for encoding in "utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be utf-8-sig utf-7".split():
        yield f"encoded/{encoding}.md", words.encode(encoding)
        yield f"encoded/{encoding}-cut.md", words.encode(encoding)[:-1]
    for encoding, text in (
        *(("shift_jis", "日本語のテキスト"), ("euc_jp", "日本語のテキスト"), ("iso2022_jp", "日本語のテキスト")),
        *(("gb18030", "中文文本检索"), ("big5", "中文檢索"), ("euc_kr", "한국어 검색"), ("koi8_r", "привет мир")),
        *(("cp1251", "привет мир"), ("cp1252", "naïve café"), ("iso8859_2", "žluťoučký kůň"), ("cp037", "EBCDIC text")),
    ):
        yield f"encoded/{encoding}.txt", ((text + "\n") * 60).encode(encoding)
    yield "encoded/nul.md", b"# A\n\x00\x00text\n"
    yield "encoded/nul-late.md", b"text\n" * 20_000 + b"\x00"
    yield "encoded/invalid.md", b"\xff\xfe\xfd" * 9_000
    yield "encoded/overlong.md", b"\xc0\xaf\xe0\x80\xaf" * 4_000
    yield "encoded/surrogates.md", b"\xed\xa0\x80\xed\xb0\x80" * 4_000
    yield "encoded/beyond.md", b"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80" * 4_000
    yield "encoded/mark-only.md", b"\xff\xfe"
    yield "encoded/empty.md", b""
    yield "encoded/returns.md", b"a\rb\r\r\n" * 9_000
    yield "encoded/controls.txt", bytes(range(1, 32)) * 900
    for number in range(6):
        yield f"encoded/noise{number}.txt", rng.randbytes(40_000)
        yield f"encoded/noise{number}.py", rng.randbytes(9_000).replace(b"\0", b"\n")


def _archives() -> Iterator[tuple[str, bytes]]:
    """Yield archives that unpack without end, and things that are none."""
    for name, part in (
        ("bomb", b"<w:t>" + b"a" * 60_000_000),
        ("deep", b"<a>" * 100_000),
        ("doctype", b"<!DOCTYPE a []><a/>"),
    ):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", part)
        yield f"office/{name}.docx", packed.getvalue()
        yield f"office/{name}-cut.docx", packed.getvalue()[:-40]
        broken = bytearray(packed.getvalue())
        broken[60:90] = b"\xff" * 30
        yield f"office/{name}-broken.docx", bytes(broken)
    yield "office/text.docx", b"not a zip at all"
    yield "office/text.pdf", b"not a pdf at all"
    yield "office/head.pdf", b"%PDF-1.7\n" + b"1 0 obj << /Kids [1 0 R] /Parent 1 0 R >> endobj\n" * 900
    yield (
        "office/loop.pdf",
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 99999999>>endobj\ntrailer<</Root 1 0 R>>",
    )
    yield "office/archive.zip", b"PK\x03\x04" * 900
    yield "office/empty.ipynb", b""


def _names() -> Iterator[tuple[bytes, bytes]]:
    """Yield files that are odd only by what they are called."""
    page = b"# Odd name\n\nText.\n"
    yield b"names/line\nbreak.md", page
    yield b"names/tab\tand\x1b[31mred.md", page
    yield b"names/invalid\xff\xfe.md", page
    yield "names/right\u202eto left.md".encode(), page
    yield b"names/" + b"l" * 252 + b".md", page
    yield b"names/ .md", page
    yield b"names/-rf", page
    yield b"names/%s%n.md", page
    yield b"names/a#L1-L2.md", page
    yield b"names/quote'\";--.md", page
    yield b"names/[[wiki]]*?.md", page
    yield b"names/back\\slash.md", page
    yield b"names/.hidden", page
    yield b"names/CON.md", page
    yield b"names/dir\xff\xfe/inside.md", page
    yield b"names/" + b"/".join([b"deep"] * 300) + b"/page.md", page


def _specials(root: Path) -> int:
    """Make what is no plain file at all, and count it."""
    odd = root / "odd"
    odd.mkdir()
    os.mkfifo(odd / "pipe.md")
    with socket.socket(socket.AF_UNIX) as unix:
        here = os.open(odd, os.O_RDONLY)
        try:
            unix.bind(f"/proc/self/fd/{here}/socket.md")  # the name of a socket may be no longer than this
        finally:
            os.close(here)
    links = {
        "device.md": "/dev/zero",
        "outside.md": "/etc/passwd",
        "self.md": "self.md",
        "up": "..",
        "gone.md": "nowhere",
    }
    for name, target in links.items():
        (odd / name).symlink_to(target)
    (odd / "ping").symlink_to("pong")
    (odd / "pong").symlink_to("ping")
    with (odd / "sparse.md").open("wb") as sparse:
        sparse.truncate(8_000_000_000)
    with (odd / "sparse-small.md").open("wb") as sparse:
        sparse.truncate(1_500_000)
    locked = odd / "locked.md"
    locked.write_text("nobody may read this\n")
    locked.chmod(0)
    _beyond_the_longest_path(odd)
    return 4 + len(links) + 3


def _beyond_the_longest_path(folder: Path) -> None:
    """Nest folders until no path names the innermost."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("n" * 200, dir_fd=here)
        below = os.open("n" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("page.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
