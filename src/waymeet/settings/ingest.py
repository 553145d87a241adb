"""Settings of indexing: chunking, files, limits, watching, where the index is stored."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Weight


class Chunking(Struct, frozen=True, forbid_unknown_fields=True):
    """Splitting of files into sections."""

    max_chars: Number = 1600
    """Longer sections are split at paragraphs."""
    min_chars: Count = 120
    """Shorter sections are merged with the adjacent one under the same heading."""


class Ingest(Struct, frozen=True, forbid_unknown_fields=True):
    """Reading and indexing of files."""

    max_file_bytes: Number = 2_000_000
    """Of larger files only the path is indexed; PDFs, Word documents and Jupyter notebooks may be ten times as
    large."""
    ignore: tuple[str, ...] = ()
    """Patterns as in .gitignore, in addition to .gitignore, .waymeetignore and `ingest.default_ignore`."""
    default_ignore: tuple[str, ...] = (
        ".git/",
        ".hg/",
        ".svn/",
        "node_modules/",
        "__pycache__/",
        ".venv/",
        "venv/",
        ".tox/",
        ".mypy_cache/",
        ".ruff_cache/",
        ".pytest_cache/",
        ".hypothesis/",
        ".idea/",
        ".waymeetignore",
        ".aside/",
    )
    """Patterns of files that are rarely worth searching. A negation in .waymeetignore includes them again."""
    secret_files: tuple[str, ...] = (
        ".env",
        ".env.*",
        "!.env.example",
        "!.env.sample",
        "!.env.template",
        "*.env",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
        "*.jks",
        "*.keystore",
        "*.kdbx",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "id_ecdsa_sk",
        "id_ed25519_sk",
        "*.ppk",
        "*.tfstate",
        "*.tfstate.backup",
        ".vault-token",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".htpasswd",
        ".git-credentials",
        "**/.aws/credentials",
        "**/.docker/config.json",
        "**/.kube/config",
    )
    """Patterns of files with keys and passwords. They are never read, even if an ignore file includes them again."""
    mask_secrets: bool = True
    """Whether keys, tokens and passwords in other files are masked before anything is stored or shown."""
    parse_seconds: Annotated[float, Meta(ge=0.05, le=3600.0)] = 1.2
    """CPU seconds for parsing one file; a file that takes longer is indexed as plain text."""
    parse_megabytes: Annotated[int, Meta(ge=16, le=65_536)] = 512
    """Memory for parsing one file, where the system can limit it (Linux)."""
    batch_files: Number = 80
    """Files written in one transaction."""
    batch_bytes: Number = 8_000_000
    """Bytes of text after which a transaction is committed, even with fewer files."""
    refresh_seconds: Weight = 0.5
    """Time a search may spend checking for changed files before it uses the index as it is; 0 disables the check."""
    refresh_files: Count = 100
    """Number of changed files that a search indexes before it answers, and more if they take less than
    `refresh_seconds`; of more files those likely to answer the query come first; 0 to index none."""
    confirm_removals_above: Count = 20
    """Number of missing files that are removed from the index without confirmation; more than that, and more than half
    of all, need confirmation."""


class Watch(Struct, frozen=True, forbid_unknown_fields=True):
    """Automatic updates of the index (`waymeet index --watch`)."""

    debounce_seconds: Weight = 0.5
    """Time without changes before the index is updated; the update is delayed at most three times as long."""
    rescan_seconds: Weight = 30.0
    """Interval of full scans, in case the system missed a change notification."""
    poll_seconds: Weight = 1.0
    """Interval of scans on systems without change notifications."""


class StoreSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the index is stored. Not read from a project's file."""

    dsn: str = ""
    """Address of a PostgreSQL server, such as postgresql://ada@db.example/team; `sqlite` for the index file; empty for
    where `waymeet index` stored it last, at first the index file. Passwords belong in ~/.pgpass."""
    collection: str = ""
    """Name of the project's collection on the server; empty for the name of its folder."""
