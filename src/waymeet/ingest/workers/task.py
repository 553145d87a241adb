"""Reading and parsing of one file, without a store, so that a worker process can do it."""

from functools import partial

from msgspec import Struct, msgpack
from msgspec.structs import replace

from waymeet.analysis.file_roles import MINIFIED, is_minified
from waymeet.ingest.build.entry import BuiltEntry, build_entry
from waymeet.ingest.filetypes import file_type, max_bytes
from waymeet.ingest.parse import code
from waymeet.ingest.read.decode import Decoded, content_digest
from waymeet.ingest.read.extract import ExtractError, extract_text
from waymeet.ingest.read.safe_read import Content, read_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.settings import Chunking, NotebookSettings
from waymeet.types import Fingerprint

_QUICK_PROSE_BYTES = 96_000
_QUICK_CODE_BYTES = 8_000
_TREE_PARSED = frozenset({*code.LANGUAGES, "html"})
"""Languages whose parsers build a syntax tree."""
_NEVER_QUICK = frozenset({"pdf", "docx"})
_MAX_REASON = 200
_MAX_PLAIN = 500_000
"""Characters that are indexed of a file whose parser failed: as plain text they take less than half a second."""


class Task(Struct, frozen=True):
    """A file to read and parse."""

    path: str
    known: str = ""
    """Digest of its indexed content; a file that still has it is not parsed. Empty to parse it in any case."""
    size: int = 0
    """Size when it was found."""
    plain: str = ""
    """Why it is parsed as plain text; empty to use the parser of its type."""


class Outcome(Struct, frozen=True):
    """Result of a task: an entry, no change, or a reason why there is no entry."""

    path: str
    built: BuiltEntry | None = None
    reason: str = ""
    unreadable: bool = False
    """Whether it exists but could not be read, so that its indexed content is kept."""
    fingerprint: Fingerprint | None = None
    """Digest, size and time, if it could be read."""
    is_path_only: bool = False
    """Whether its path is to be indexed although its content is not."""
    role: str = ""
    """Role of a file of which only the path is indexed, if its content shows one."""


class ParseRules(Struct, frozen=True):
    """Settings and limits that all tasks of a run share."""

    root: str
    max_file_bytes: int
    chunking: Chunking
    notebook: NotebookSettings = NotebookSettings()
    """The folders of notes, tasks and skills."""
    mask_secrets: bool = True
    """Whether secrets are masked."""
    seconds: float = 1.2
    """Processor time for one file in a worker process."""
    megabytes: int = 512
    """Memory for one file in a worker process."""


def parses_quickly(path: str, size: int) -> bool:
    """Return whether a file of that size can be parsed without a worker process.

    >>> parses_quickly("a.md", 50_000), parses_quickly("a.py", 50_000), parses_quickly("a.pdf", 50)
    (True, False, False)
    """
    language = file_type(path).language
    limit = _QUICK_CODE_BYTES if language in _TREE_PARSED else _QUICK_PROSE_BYTES
    return language not in _NEVER_QUICK and size <= limit


def run_task(task: Task, rules: ParseRules) -> Outcome:
    """Read a file and build its entry, unless it is unchanged or cannot be used.

    Raises:
        MemoryError: there is not enough memory for it.
    """
    opened = open_file(task, rules)
    return opened if isinstance(opened, Outcome) else parse_content(task, opened, rules)


def open_file(task: Task, rules: ParseRules) -> Outcome | Content:
    """Read a file, or return the outcome if it is unchanged or cannot be read."""
    try:
        content = read_file(rules.root, task.path, max_bytes(task.path, rules.max_file_bytes))
    except (FileNotFoundError, NotADirectoryError):
        return Outcome(task.path, reason="vanished while the folder was being indexed")
    except OSError as error:
        return Outcome(task.path, reason=f"cannot be read: {error.strerror}", unreadable=True)
    if task.known and task.known == content_digest(content.raw):
        return Outcome(task.path, fingerprint=_fingerprint(content))
    return content


def parse_content(task: Task, content: Content, rules: ParseRules) -> Outcome:
    """Build the entry of a file's content, as plain text if its parser fails."""
    path, fingerprint = task.path, _fingerprint(content)
    try:
        decoded = extract_text(path, content.raw)
    except ExtractError as error:
        return Outcome(path, reason=str(error), fingerprint=fingerprint, is_path_only=True)
    except Exception as error:  # noqa: BLE001 - one odd file must not end the run; it is listed with the reason
        return Outcome(path, reason=_error_reason(error), fingerprint=fingerprint, is_path_only=True)
    if decoded is None:
        return Outcome(path, reason="binary file", fingerprint=fingerprint, is_path_only=True)
    if file_type(path).language in {"javascript", "css"} and is_minified(decoded.text):
        reason = f"{MINIFIED} file"
        return Outcome(path, reason=reason, fingerprint=fingerprint, is_path_only=True, role=MINIFIED)
    built = _build(task, decoded, fingerprint, rules)
    if isinstance(built, str) and not task.plain:
        built = _build(replace(task, plain=built), decoded, fingerprint, rules)
    if isinstance(built, str):
        return Outcome(path, reason=built, fingerprint=fingerprint, is_path_only=True)
    return Outcome(path, built, fingerprint=fingerprint)


def reject(task: Task, rules: ParseRules, reason: str) -> Outcome:
    """Return the outcome of a file whose content is not indexed for the given reason."""
    opened = open_file(replace(task, known=""), rules)
    if isinstance(opened, Outcome):
        return opened
    return Outcome(task.path, reason=reason, fingerprint=_fingerprint(opened), is_path_only=True)


def _build(task: Task, decoded: Decoded, fingerprint: Fingerprint, rules: ParseRules) -> BuiltEntry | str:
    """Build an entry of a text with masked secrets, or return the reason of a failure."""
    masked = mask_secrets(decoded.text, task.path) if rules.mask_secrets else None
    text = masked.text if masked else decoded.text
    is_cut = task.plain and len(text) > _MAX_PLAIN
    decoded = replace(decoded, text=text[:_MAX_PLAIN] if is_cut else text)
    try:
        build = build_entry if rules.mask_secrets else partial(build_entry, mask=False)
        built = build(task.path, decoded, fingerprint, rules.chunking, rules.notebook, plain=bool(task.plain))
        msgpack.encode(built)  # a lone surrogate, which a parser may have produced, cannot be stored
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - one odd file must not end the run, also when Rust panics
        return _error_reason(error)
    part = f"the first {_MAX_PLAIN:,} characters are" if is_cut else "it is"
    plain = f"{task.plain}: {part} searched as plain text" if task.plain else ""
    warnings = (plain, masked.warning if masked else "", *built.warnings)
    return replace(built, warnings=tuple(filter(None, warnings)))


def _error_reason(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        raise error
    return f"could not be parsed: {type(error).__name__}: {error}"[:_MAX_REASON]


def _fingerprint(content: Content) -> Fingerprint:
    return Fingerprint(content_digest(content.raw), content.size, content.modified_ns)
