"""Every weight, decay, threshold and limit, in one nested frozen object.

The docstring below an attribute is its documentation: `waymeet settings` shows it.
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
    """How much an occurrence counts in each field."""

    title: Weight = 3.0
    """How much a word counts in the document's title."""
    headings: Weight = 2.0
    """How much a word counts in the headings above a section, or the names around a symbol."""
    path: Weight = 1.5
    """How much a word counts in the path."""
    tags: Weight = 2.0
    """How much a word counts in the tags."""
    properties: Weight = 1.0
    """How much a word counts in other values of the front matter."""
    triggers: Weight = 3.0
    """How much a word counts in the phrases that an entry names as its triggers."""
    inbound: Weight = 0.5
    """How much a word counts in what other pages say when they link to the document."""
    body: Weight = 1.0
    """How much a word counts in the text itself."""


class FieldNorms(Struct, frozen=True, forbid_unknown_fields=True):
    """BM25's b for each field: 0 ignores its length, 1 divides by it."""

    title: Part = 0.75
    """How much a long title lessens what a word in it is worth."""
    headings: Part = 0.75
    """The same for headings."""
    path: Part = 0.75
    """The same for paths."""
    tags: Part = 0.75
    """The same for tags."""
    properties: Part = 0.75
    """The same for properties."""
    triggers: Part = 0.75
    """The same for trigger phrases."""
    inbound: Part = 0.75
    """The same for what links say."""
    body: Part = 0.75
    """The same for the text itself."""


class Bm25(Struct, frozen=True, forbid_unknown_fields=True):
    """The lexical score."""

    k1: Weight = 1.2
    """How late repeated occurrences of a word stop counting; 0 counts only whether it occurs."""
    b: FieldNorms = FieldNorms()
    fields: FieldWeights = FieldWeights()
    prefix_terms: Annotated[int, Meta(ge=1, le=10_000)] = 50
    """How many terms a `prefix*` may stand for; the most frequent are taken."""


class Rrf(Struct, frozen=True, forbid_unknown_fields=True):
    """Reciprocal rank fusion."""

    k: Weight = 60.0
    """How little the first ranks stand out: a rank is worth 1 / (k + rank)."""
    lexical: Weight = 1.0
    """Weight of the list by words."""
    vector: Weight = 1.0
    """Weight of the list by meaning."""


class Pool(Struct, frozen=True, forbid_unknown_fields=True):
    """How many candidates are looked at."""

    factor: Annotated[int, Meta(ge=1, le=1000)] = 10
    """Chunks retrieved per requested result, in each list."""
    min: Count = 0
    """Chunks retrieved in each list however few results are requested."""
    seeds: Number = 2
    """Documents a walk starts from, per requested result."""
    query_words: Number = 256
    """Most different words of a query that are looked up."""


class Graph(Struct, frozen=True, forbid_unknown_fields=True):
    """Walking along links."""

    depth: Count = 2
    """Links that a walk follows one after the other."""
    fan_out: Number = 200
    """Most edges followed from one document; an answer says when this cut something off."""


class Aggregate(Struct, frozen=True, forbid_unknown_fields=True):
    """Sections into a document: `best·max + mean·mean(top)`."""

    best: Weight = 0.8
    """Weight of a document's best section."""
    mean: Weight = 0.2
    """Weight of the mean of its best sections."""
    top: Number = 3
    """How many sections that mean is taken of."""


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """What an answer shows."""

    limit: Number = 10
    """Results of an answer, if the asker names no number."""
    snippet_chars: Number = 240
    """Characters of the excerpt shown with a result."""
    linked_pages: Count = 10
    """Most linked pages that are named with a result."""
    whole_text: bool = False
    """Whether sections are given whole, beside the snippet."""


class Relevance(Struct, frozen=True, forbid_unknown_fields=True):
    """Estimated relevance of the results."""

    min: Part = 0.07
    """Estimated relevance below which the ten best results count as not relevant; the answer then has a note.
    0 disables the note."""


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """What is given to somebody with a task (`context`)."""

    budget: Number = 4000
    """Tokens it may cost, by a rough estimate, if the asker names no number."""
    results: Number = 20
    """Most results whose sections are given."""
    linked: Part = 0.2
    """The part of the budget that is kept for summaries of linked pages."""
    linked_pages: Count = 10
    """Most linked pages that are summed up."""
    summary_chars: Number = 240
    """Characters of such a summary."""


class Chunking(Struct, frozen=True, forbid_unknown_fields=True):
    """How a file is cut into sections."""

    max_chars: Number = 1600
    """A longer section is split at paragraphs."""
    min_chars: Count = 120
    """A shorter one is merged with its neighbour under the same heading."""


class Ingest(Struct, frozen=True, forbid_unknown_fields=True):
    """Which files are read."""

    max_file_bytes: Number = 2_000_000
    """Of a larger file only the path is indexed; PDFs, Word documents and notebooks may be ten times as large."""
    ignore: tuple[str, ...] = ()
    """Patterns in the manner of .gitignore, applied beside .gitignore, .waymeetignore and `usual_ignores`."""
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
    """Patterns of what hardly anybody wants to find. A negation in .waymeetignore brings things back."""
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
    """Patterns of files that hold keys and passwords. They are never read, whatever an ignore file brings back."""
    mask_secrets: bool = True
    """Whether keys, tokens and passwords that stand in other files are masked before anything is kept or shown."""
    parse_seconds: Annotated[float, Meta(ge=0.05, le=3600.0)] = 1.2
    """Seconds of computing that understanding a file may take; one that takes longer is searched as plain text."""
    parse_megabytes: Annotated[int, Meta(ge=16, le=65_536)] = 512
    """Memory that understanding a file may take, where the system can hold a process to it (Linux)."""
    batch_files: Number = 80
    """Files written in one transaction."""
    batch_bytes: Number = 8_000_000
    """Text that is enough for one transaction, however few the files."""
    refresh_seconds: Weight = 0.5
    """How long a search may look for changed files before it answers from the index as it is; 0 never looks."""
    refresh_files: Count = 100
    """Most changed files that a search takes in by itself before it answers."""
    confirm_removals_above: Count = 20
    """Files that may vanish without a question; if more do, and more than half of all, somebody has to agree first."""


class Watch(Struct, frozen=True, forbid_unknown_fields=True):
    """Keeping the index up to date by itself (`waymeet index --watch`)."""

    debounce_seconds: Weight = 0.5
    """How long nothing must have changed before changes are taken in; they wait three times that at most."""
    rescan_seconds: Weight = 30.0
    """How often to look without having been told of a change, because such tidings can get lost."""
    poll_seconds: Weight = 1.0
    """How often to look where the system cannot tell of changes at all."""


class NotebookSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Notes, tasks and skills: plain Markdown files that people and programs write alike."""

    notes: str = ".waymeet/notes"
    """The folder of notes, below the project's root."""
    tasks: str = ".waymeet/tasks"
    """The folder of tasks."""
    skills: str = ".waymeet/skills"
    """The folder of skills. Files called SKILL.md are skills wherever they lie."""
    max_bytes: Number = 500_000
    """The largest note, task or skill that is written."""
    history: Count = 20
    """Past versions that are kept of each, beside the index."""
    same: Part = 0.95
    """Likeness (of meaning or of terms) from which on two notes count as the same."""
    update_similarity: Part = 0.85
    """Likeness from which on one should probably update or supersede the other."""
    related_similarity: Part = 0.70
    """Likeness from which on they are reported as related."""
    max_compared: Number = 20
    """Most entries that a saved note is compared with, the likeliest first."""


class Staleness(Struct, frozen=True, forbid_unknown_fields=True):
    """When a document counts as left behind by what it describes."""

    threshold_days: Weight = 7.0
    """How long a document stays fresh when a source it names only got another path."""
    git_seconds: Annotated[float, Meta(ge=0.1, le=3600.0)] = 10.0
    """How long git may take to tell when files changed; file times are used for the rest."""


class Terminal(Struct, frozen=True, forbid_unknown_fields=True):
    """What a terminal is given while a person is looking. Never read from a project's own file."""

    links: str = "file"
    """Where a click on the name of a file leads: `file`, `vscode`, `cursor`, `idea`, `none`, or an address of your own
    with {path} and {line} in it."""
    pager: bool = True
    """Whether output that is longer than the screen goes through $PAGER, or `less` if there is none."""
    preview_seconds: Weight = 0.5
    """How long the first search in a folder may look through its files before they are indexed; 0 never does."""


class Mcp(Struct, frozen=True, forbid_unknown_fields=True):
    """The server for agents, `waymeet mcp`."""

    budget: Number = 4000
    """Most tokens of an answer whose caller names no budget, by a rough estimate."""
    wait_seconds: Weight = 20.0
    """How long a question waits for a project to be indexed for the first time; clients give up after a while."""
    index_at_start: bool = True
    """Whether a server reads what changed, and indexes a project that never was, as soon as it starts."""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Every number there is to set."""

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
    """Rankings of one's own by name, each with `base` or `stages`, and `description`, `modes`, `settings`."""
    contexts: Mapping[str, str] = {}
    """What folders or files are, by path: shown with every result that lies below."""
    namespaces: Mapping[str, str] = {}
    """Names for folders, by path, beside those of packages and submodules, which are found by themselves."""
    roots: Mapping[str, str] = {}
    """Folders outside of the project that are indexed with it, by the name that their paths begin with (`name:/`)."""


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
"""Settings and sections that only the user may set: a project's own file may come from a stranger."""
