"""The settings object: all weights, decays, thresholds and limits, nested and frozen.

`waymeet settings` shows the docstring below an attribute as its documentation.
"""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from waymeet.settings.constraints import Count, Number, Part, Weight
from waymeet.settings.models import Embedding, Expand, Rerank
from waymeet.settings.query import CustomRecipe, Feedback, Understand
from waymeet.settings.recipes import Auto, Classic, Deep, Memory, Neighbours, Threeway
from waymeet.settings.serve import Serve


class FieldWeights(Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of the fields in the lexical score."""

    title: Weight = 3.0
    """Weight of a word in the document's title."""
    headings: Weight = 2.0
    """Weight of a word in the headings above a section, or the names around a symbol."""
    path: Weight = 1.5
    """Weight of a word in the path."""
    tags: Weight = 2.0
    """Weight of a word in the tags."""
    properties: Weight = 1.0
    """Weight of a word in other front matter values."""
    triggers: Weight = 3.0
    """Weight of a word in the trigger phrases of an item."""
    inbound: Weight = 0.5
    """Weight of a word in the texts of links to the document."""
    body: Weight = 1.0
    """Weight of a word in the text of the section."""


class FieldNorms(Struct, frozen=True, forbid_unknown_fields=True):
    """BM25 length normalisation b of each field: 0 ignores the length, 1 applies it fully."""

    title: Part = 0.75
    """BM25 length normalisation b of titles."""
    headings: Part = 0.75
    """BM25 length normalisation b of headings."""
    path: Part = 0.75
    """BM25 length normalisation b of paths."""
    tags: Part = 0.75
    """BM25 length normalisation b of tags."""
    properties: Part = 0.75
    """BM25 length normalisation b of front matter values."""
    triggers: Part = 0.75
    """BM25 length normalisation b of trigger phrases."""
    inbound: Part = 0.75
    """BM25 length normalisation b of texts of links to the document."""
    body: Part = 0.75
    """BM25 length normalisation b of section texts."""


class Bm25(Struct, frozen=True, forbid_unknown_fields=True):
    """The lexical score (BM25F)."""

    k1: Weight = 1.2
    """BM25 term frequency saturation: the higher, the more repeated occurrences count; 0 ignores the frequency."""
    b: FieldNorms = FieldNorms()
    fields: FieldWeights = FieldWeights()
    prefix_terms: Annotated[int, Meta(ge=1, le=10_000)] = 50
    """Maximum number of terms that a `prefix*` expands to, the most frequent first."""


class Rrf(Struct, frozen=True, forbid_unknown_fields=True):
    """Reciprocal rank fusion."""

    k: Weight = 60.0
    """Rank constant: a rank contributes 1 / (k + rank)."""
    lexical: Weight = 1.0
    """Weight of the lexical list."""
    vector: Weight = 1.0
    """Weight of the vector list."""


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers of candidates."""

    factor: Annotated[int, Meta(ge=1, le=1000)] = 10
    """Candidates per list and requested result."""
    min: Count = 0
    """Minimum number of candidates per list."""
    seeds: Number = 2
    """Documents per requested result from which links are followed."""
    query_words: Number = 256
    """Maximum number of different query words."""


class Graph(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of following links."""

    depth: Count = 2
    """Maximum number of links followed in a row."""
    fan_out: Number = 200
    """Maximum number of edges followed from one document; a note reports when edges were dropped."""


class Aggregate(Struct, frozen=True, forbid_unknown_fields=True):
    """Score of a document from its sections: `best·max + mean·mean(top)`."""

    best: Weight = 0.8
    """Weight of a document's best section."""
    mean: Weight = 0.2
    """Weight of the mean of its top sections."""
    top: Number = 3
    """Number of sections in that mean."""


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of an answer."""

    limit: Number = 10
    """Number of results, unless the request sets it."""
    snippet_chars: Number = 240
    """Length of the snippet of a result, in characters."""
    linked_pages: Count = 10
    """Maximum number of linked pages listed with a result."""
    whole_text: bool = False
    """Whether results include the whole text of sections, in addition to the snippet."""


class Relevance(Struct, frozen=True, forbid_unknown_fields=True):
    """Estimated relevance of the results."""

    min: Part = 0.07
    """Estimated relevance that one of the ten best results must reach; otherwise the answer is marked as low relevance.
    0 disables the check."""


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Text collected for a task (`context`)."""

    budget: Number = 4000
    """Approximate size of the result in tokens, unless the request sets it."""
    results: Number = 20
    """Maximum number of search results whose sections are included."""
    linked: Part = 0.2
    """Share of the budget reserved for summaries of linked pages."""
    linked_pages: Count = 10
    """Maximum number of linked pages that are summarised."""
    summary_chars: Number = 240
    """Length of such a summary, in characters."""


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
        "*.min.js",
        "*.min.css",
        "*.map",
        "*.lock",
        "package-lock.json",
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
    """Maximum number of changed files that a search indexes before it answers."""
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


class NotebookSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Notes, tasks and skills, stored as Markdown files."""

    notes: str = ".waymeet/notes"
    """Folder of notes, relative to the project's root."""
    tasks: str = ".waymeet/tasks"
    """Folder of tasks."""
    skills: str = ".waymeet/skills"
    """Folder of skills. Files named SKILL.md are skills in any folder."""
    max_bytes: Number = 500_000
    """Maximum size of a note, task or skill."""
    history: Count = 20
    """Number of past versions kept of each item, next to the index."""
    same: Part = 0.95
    """Similarity (of vectors or terms) from which two notes count as duplicates."""
    update_similarity: Part = 0.85
    """Similarity from which one note should probably update or supersede the other."""
    related_similarity: Part = 0.70
    """Similarity from which notes are reported as related."""
    max_compared: Number = 20
    """Maximum number of items that a saved note is compared with, the most similar first."""


class Staleness(Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions under which a document is stale."""

    threshold_days: Weight = 7.0
    """Days for which a document stays fresh after a source it names was only moved."""
    git_seconds: Annotated[float, Meta(ge=0.1, le=3600.0)] = 10.0
    """Time limit for reading change dates from git; after that, file dates are used."""


class Terminal(Struct, frozen=True, forbid_unknown_fields=True):
    """Output on a terminal. Not read from a project's file."""

    links: str = "file"
    """Target of links on file names: `file`, `vscode`, `cursor`, `idea`, `none`, or a URL with {path} and {line} in
    it."""
    pager: bool = True
    """Whether output longer than the screen is shown in $PAGER, or in `less`."""
    preview_seconds: Weight = 0.5
    """Time for a preview of matching lines before the first indexing of a folder; 0 disables it."""


class Mcp(Struct, frozen=True, forbid_unknown_fields=True):
    """The MCP server, `waymeet mcp`."""

    budget: Number = 4000
    """Maximum size of an answer in tokens (estimated), unless the request sets it."""
    wait_seconds: Weight = 20.0
    """Time that a request waits for the first indexing of a project; MCP clients have timeouts of their own."""
    index_at_start: bool = True
    """Whether the server updates the index, or creates it, as soon as it starts."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings."""

    understand: Understand = Understand()
    bm25: Bm25 = Bm25()
    pool: Pool = Pool()
    rrf: Rrf = Rrf()
    graph: Graph = Graph()
    aggregate: Aggregate = Aggregate()
    threeway: Threeway = Threeway()
    classic: Classic = Classic()
    memory: Memory = Memory()
    neighbours: Neighbours = Neighbours()
    auto: Auto = Auto()
    deep: Deep = Deep()
    rerank: Rerank = Rerank()
    expand: Expand = Expand()
    feedback: Feedback = Feedback()
    shape: Shape = Shape()
    relevance: Relevance = Relevance()
    context: Context = Context()
    chunking: Chunking = Chunking()
    ingest: Ingest = Ingest()
    embedding: Embedding = Embedding()
    notebook: NotebookSettings = NotebookSettings()
    staleness: Staleness = Staleness()
    watch: Watch = Watch()
    terminal: Terminal = Terminal()
    mcp: Mcp = Mcp()
    serve: Serve = Serve()
    recipes: Mapping[str, CustomRecipe] = {}
    """Custom recipes by name, each with `base` or `stages`, and `description`, `modes`, `settings`."""
    contexts: Mapping[str, str] = {}
    """Descriptions of folders or files, by path, shown with every result below that path."""
    namespaces: Mapping[str, str] = {}
    """Names of folders, by path, in addition to those of packages and submodules, which are detected."""
    roots: Mapping[str, str] = {}
    """Folders outside the project that are indexed with it, by name; their paths begin with `name:/`."""


PRIVATE = frozenset(
    {
        "roots",
        "terminal",
        "serve",
        "embedding",
        "rerank",
        "expand",
        "ingest.secret_files",
        "ingest.max_file_bytes",
        "staleness.git_seconds",
        "ingest.mask_secrets",
        "ingest.parse_seconds",
        "ingest.parse_megabytes",
    }
)
"""Settings and sections that a project's file cannot set, because the file may be untrusted."""
