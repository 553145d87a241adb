"""Paths of installed copies of packages, as stack traces of their users have them."""

import re
from typing import NamedTuple

_INSTALLED = (
    # The package's own folder is part of the path in its repository: `src/flask/app.py`.
    re.compile(r"(?:.*/)?(?:site|dist)-packages/(?P<path>.+)"),
    # The folder of the package is the root of its repository, or a folder of a monorepo.
    re.compile(r"(?:.*/)?node_modules/(?P<package>@[^/]+/[^/]+|[^@/.][^/]*)/(?P<inside>.+)"),
    re.compile(r"(?:.*/)?pkg/mod/(?P<package>[^@]+)@v[^/]+/(?P<inside>.+)"),
    re.compile(r"(?:.*/)?(?:\.cargo/)?registry/src/[^/]+/(?P<package>[\w-]+?)-\d+\.[^/]*/(?P<inside>.+)"),
    re.compile(r"(?:.*/)?gems/(?P<package>[\w-]+?)-\d+\.[^/]*/(?P<inside>.+)"),
    re.compile(r"(?:.*/)?vendor/(?P<package>[\w-]+\.[\w.-]+/[^/]+/[^/]+)/(?P<inside>.+)"),
    re.compile(r"(?:.*/)?vendor/(?P<package>[^/]+/[^/]+)/(?P<inside>.+)"),
)
"""Python; Node.js; Go; Rust; Ruby; vendored packages of Go; those of PHP and others."""


class InstalledFile(NamedTuple):
    """A file of an installed package."""

    package: str
    """Name of the package by which it is installed; empty if the path contains its folder."""
    path: str
    """Path inside of the package, or with the package's folder if the name is empty."""


def parse_installed(path: str) -> InstalledFile | None:
    """Parse the path of a file of an installed package, or return None if it is another one.

    >>> parse_installed("/usr/lib/python3/dist-packages/flask/app.py")
    InstalledFile(package='', path='flask/app.py')
    >>> parse_installed("/srv/node_modules/@acme/web/lib/x.js"), parse_installed("src/app.py")
    (InstalledFile(package='@acme/web', path='lib/x.js'), None)
    >>> parse_installed("/root/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.3/lex.go").package
    'github.com/BurntSushi/toml'
    """
    for pattern in _INSTALLED:
        match = pattern.fullmatch(path.replace("\\", "/"))
        if match:
            parts = match.groupdict()
            # Go writes a capital letter as `!` with the small letter.
            package = re.sub(r"!([a-z])", lambda letter: letter[1].upper(), parts.get("package") or "")
            return InstalledFile(package, parts.get("path") or match["inside"])
    return None
