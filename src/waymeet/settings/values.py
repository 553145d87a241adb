"""Every weight, decay, threshold and limit, in one nested frozen object.

The docstring below an attribute is its documentation: `waymeet settings` shows it.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Weight = Annotated[float, Meta(ge=0.0, le=1e6)]
Part = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Number = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class FieldWeights(Struct, frozen=True, forbid_unknown_fields=True):
    """How much an occurrence counts in each field."""

    title: Weight = 3.0
    headings: Weight = 2.0
    path: Weight = 1.5
    tags: Weight = 2.0
    properties: Weight = 1.0
    triggers: Weight = 3.0
    inbound: Weight = 0.5
    body: Weight = 1.0


class FieldNorms(Struct, frozen=True, forbid_unknown_fields=True):
    """BM25's b for each field: 0 ignores its length, 1 divides by it."""

    title: Part = 0.75
    headings: Part = 0.75
    path: Part = 0.75
    tags: Part = 0.75
    properties: Part = 0.75
    triggers: Part = 0.75
    inbound: Part = 0.75
    body: Part = 0.75


class Bm25(Struct, frozen=True, forbid_unknown_fields=True):
    """The lexical score."""

    k1: Weight = 1.2
    b: FieldNorms = FieldNorms()
    fields: FieldWeights = FieldWeights()
    prefix_terms: Annotated[int, Meta(ge=1, le=10_000)] = 50
    """How many terms a `prefix*` may stand for; the most frequent are taken."""


class Rrf(Struct, frozen=True, forbid_unknown_fields=True):
    """Reciprocal rank fusion."""

    k: Weight = 60.0
    lexical: Weight = 1.0
    vector: Weight = 1.0


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """How many candidates are looked at."""

    factor: Annotated[int, Meta(ge=1, le=1000)] = 10
    """Chunks retrieved per requested result, in each list."""
    least: Count = 0
    """Chunks retrieved in each list however few results are requested."""
    starts: Number = 2
    """Documents a walk starts from, per requested result."""
    query_words: Number = 256
    """Most different words of a query that are looked up."""


class Graph(Struct, frozen=True, forbid_unknown_fields=True):
    """Walking along links."""

    depth: Count = 2
    fan_out: Number = 200
    """Most edges followed from one document; an answer says when this cut something off."""


class Aggregate(Struct, frozen=True, forbid_unknown_fields=True):
    """Sections into a document: `best·max + mean·mean(top)`."""

    best: Weight = 0.8
    mean: Weight = 0.2
    top: Number = 3


class Threeway(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `threeway`."""

    alpha: Part = 0.7
    """Weight of vector similarity."""
    fulltext_share: Part = 0.3
    """Full text's part of what alpha leaves over."""
    sections: Number = 3
    """Sections shown for a document."""
    opening_chars: Number = 500
    """Length of the opening shown for a document found without a vector hit."""


class Classic(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `classic`."""

    fusion: Literal["rrf", "linear"] = "rrf"
    lexical: Weight = 0.7
    """Weight of words in `linear` fusion."""
    vector: Weight = 0.3
    """Weight of meaning in `linear` fusion."""


class Auto(Struct, frozen=True, forbid_unknown_fields=True):
    """The recipe `auto`."""

    vector: Part = 0.6
    """Weight of meaning beside words, which get the rest."""
    exact: Weight = 0.2
    """Bonus for a document whose title or file name stands in the query, times the part of the query it covers."""
    out_link: Weight = 0.3
    """Part of its score that a document hands to those it links to, divided by 1 + ln(degree)."""
    in_link: Weight = 0.1
    """The same for those that link to it."""
    per_document: Number = 3
    """Most sections of one document in an answer."""


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """What an answer shows."""

    limit: Number = 10
    snippet_chars: Number = 240
    linked_pages: Count = 10


class Chunking(Struct, frozen=True, forbid_unknown_fields=True):
    """How a file is cut into sections."""

    max_chars: Number = 1600
    """A longer section is split at paragraphs."""
    min_chars: Count = 120
    """A shorter one is merged with its neighbour under the same heading."""


class Ingest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which files are read."""

    max_file_bytes: Number = 2_000_000
    ignore: tuple[str, ...] = ()
    """Patterns in the manner of .gitignore, applied beside .gitignore, .waymeetignore and `usual_ignores`."""
    usual_ignores: tuple[str, ...] = (
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
        "*.min.js",
        "*.min.css",
        "*.map",
        "*.lock",
        "package-lock.json",
        ".waymeetignore",
    )
    """Patterns of what hardly anybody wants to find. A negation in .waymeetignore brings things back."""
    secrets: tuple[str, ...] = (
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
    """Patterns of files that hold keys and passwords. They are never read, whatever an ignore file brings back."""
    batch_files: Number = 80
    """Files written in one transaction."""
    batch_bytes: Number = 8_000_000
    """Text that is enough for one transaction, however few the files."""
    refresh_seconds: Weight = 0.5
    """How long a search may look for changed files before it answers from the index as it is; 0 never looks."""
    refresh_files: Count = 100
    """Most changed files that a search takes in by itself before it answers."""


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """Where vectors come from. Never read from a project's own file."""

    provider: Literal["none", "hashing"] = "none"
    """`hashing` is a deterministic stand-in for tests: it knows words, not meaning."""
    dimension: Annotated[int, Meta(ge=1, le=65_536)] = 256
    batch_chunks: Number = 64


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Every number there is to set."""

    bm25: Bm25 = Bm25()
    pool: Pool = Pool()
    rrf: Rrf = Rrf()
    graph: Graph = Graph()
    aggregate: Aggregate = Aggregate()
    threeway: Threeway = Threeway()
    classic: Classic = Classic()
    auto: Auto = Auto()
    shape: Shape = Shape()
    chunking: Chunking = Chunking()
    ingest: Ingest = Ingest()
    embedding: Embedding = Embedding()


PRIVATE = frozenset({"embedding", "ingest.secrets", "ingest.max_file_bytes"})
"""Settings and sections that only the user may set: a project's own file may come from a stranger."""
