"""One file → what became of it: the part of a run that needs no store, and so can be done in another process."""

from functools import partial

from msgspec import Struct, msgpack
from msgspec.structs import replace

from waymeet.ingest.build.entry import BuiltEntry, build_entry
from waymeet.ingest.filetypes import file_type, most_bytes
from waymeet.ingest.parse import code
from waymeet.ingest.read.decode import Decoded, content_digest
from waymeet.ingest.read.extract import ExtractError, text_of
from waymeet.ingest.read.safe_read import Content, read_file
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.settings import Chunking, NotebookSettings
from waymeet.types import Fingerprint

_PROSE = 96_000
_CODE = 8_000
_BY_GRAMMAR = frozenset({*code.LANGUAGES, "html"})
_NEVER = frozenset({"pdf", "docx"})


def is_tame(path: str, size: int) -> bool:
    """Tell whether a file of that size needs no process of its own.

    >>> is_tame("a.md", 50_000), is_tame("a.py", 50_000), is_tame("a.pdf", 50)
    (True, False, False)
    """
    language = file_type(path).language
    return language not in _NEVER and size <= (_CODE if language in _BY_GRAMMAR else _PROSE)


_LONGEST_REASON = 200
_MOST_PLAIN = 500_000
"""Characters that are searched of a file which could not be understood: they take less than half a second."""


class Task(Struct, frozen=True):
    """A file to read."""

    path: str
    known: str = ""
    """The digest of what is indexed of it; a file that still has it is not parsed. Empty to parse it anyway."""
    size: int = 0
    """How large it was when it was found."""
    plain: str = ""
    """Why it is to be taken for plain text, whatever it is; empty if it is not."""


class Outcome(Struct, frozen=True):
    """What became of a file: it was made, or it is as before, or it was turned down for a reason."""

    path: str
    made: BuiltEntry | None = None
    reason: str = ""
    unreadable: bool = False
    """Whether it is there but could not be looked at, so that what is known of it may still be true."""
    fingerprint: Fingerprint | None = None
    """How it was found, if it could be read."""
    bare: bool = False
    """Whether its path is to be indexed although its content is not."""


class ParseRules(Struct, frozen=True):
    """What all files of a run have in common."""

    root: str
    max_file_bytes: int
    chunking: Chunking
    notebook: NotebookSettings = NotebookSettings()
    """The folders of notes, tasks and skills."""
    mask_secrets: bool = True
    """Whether what looks like a secret is masked."""
    seconds: float = 1.2
    """Time of the processor that a file may take in another process."""
    megabytes: int = 512
    """And how much memory."""


def outcome(task: Task, rules: ParseRules) -> Outcome:
    """Read a file once and make its entry, unless it is the same as before or cannot be used.

    Raises:
        MemoryError: there is not enough memory for it.
    """
    opened = opening(task, rules)
    return opened if isinstance(opened, Outcome) else parsed(task, opened, rules)


def opening(task: Task, rules: ParseRules) -> Outcome | Content:
    """Read a file, or say what became of it if it cannot be read or is the same as before."""
    try:
        content = read_file(rules.root, task.path, most_bytes(task.path, rules.max_file_bytes))
    except (FileNotFoundError, NotADirectoryError):
        return Outcome(task.path, reason="vanished while the folder was being indexed")
    except OSError as error:
        return Outcome(task.path, reason=f"cannot be read: {error.strerror}", unreadable=True)
    if task.known and task.known == content_digest(content.raw):
        return Outcome(task.path, fingerprint=_fingerprint(content))
    return content


def parsed(task: Task, content: Content, rules: ParseRules) -> Outcome:
    """Make the entry of a file that was read; one that its parser cannot cope with is taken for plain text."""
    path, fingerprint = task.path, _fingerprint(content)
    try:
        decoded = text_of(path, content.raw)
    except ExtractError as error:
        return Outcome(path, reason=str(error), fingerprint=fingerprint, bare=True)
    except Exception as error:  # noqa: BLE001 - one odd file must not end the run; it is listed with the reason
        return Outcome(path, reason=_complaint(error), fingerprint=fingerprint, bare=True)
    if decoded is None:
        return Outcome(path, reason="binary file", fingerprint=fingerprint, bare=True)
    made = _made(task, decoded, fingerprint, rules)
    if isinstance(made, str) and not task.plain:
        made = _made(replace(task, plain=made), decoded, fingerprint, rules)
    if isinstance(made, str):
        return Outcome(path, reason=made, fingerprint=fingerprint, bare=True)
    return Outcome(path, made, fingerprint=fingerprint)


def refused(task: Task, rules: ParseRules, reason: str) -> Outcome:
    """Say that a file was turned down, without looking at more than its bytes."""
    opened = opening(replace(task, known=""), rules)
    if isinstance(opened, Outcome):
        return opened
    return Outcome(task.path, reason=reason, fingerprint=_fingerprint(opened), bare=True)


def _made(task: Task, decoded: Decoded, fingerprint: Fingerprint, rules: ParseRules) -> BuiltEntry | str:
    """Make an entry of a text without its secrets, or say why that cannot be done."""
    found = mask_secrets(decoded.text, task.path) if rules.mask_secrets else None
    text = found.text if found else decoded.text
    much = task.plain and len(text) > _MOST_PLAIN
    decoded = replace(decoded, text=text[:_MOST_PLAIN] if much else text)
    try:
        maker = build_entry if rules.mask_secrets else partial(build_entry, mask=False)
        made = maker(task.path, decoded, fingerprint, rules.chunking, rules.notebook, plain=bool(task.plain))
        msgpack.encode(made)  # half a character, which a parser may have put together, cannot be kept
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - one odd file must not end the run, also when Rust panics
        return _complaint(error)
    which = f"the first {_MOST_PLAIN:,} characters are" if much else "it is"
    plain = f"{task.plain}: {which} searched as plain text" if task.plain else ""
    notes = (plain, found.note if found else "", *made.notes)
    return replace(made, notes=tuple(filter(None, notes)))


def _complaint(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        raise error
    return f"could not be parsed: {type(error).__name__}: {error}"[:_LONGEST_REASON]


def _fingerprint(content: Content) -> Fingerprint:
    return Fingerprint(content_digest(content.raw), content.size, content.modified_ns)
