"""One file → what became of it: the part of a run that needs no store, and so can be done in another process."""

from msgspec import Struct

from waymeet.ingest.decode import decode, digest
from waymeet.ingest.entry import Made, make
from waymeet.ingest.read import Content, read
from waymeet.settings import Chunking
from waymeet.types import Fingerprint


class Task(Struct, frozen=True):
    """A file to read."""

    path: str
    known: str = ""
    """The digest of what is indexed of it; a file that still has it is not parsed. Empty to parse it anyway."""
    size: int = 0
    """How large it was when it was found."""


class Outcome(Struct, frozen=True):
    """What became of a file: it was made, or it is as before, or it was turned down for a reason."""

    path: str
    made: Made | None = None
    reason: str = ""
    unreadable: bool = False
    """Whether it is there but could not be looked at, so that what is known of it may still be true."""
    fingerprint: Fingerprint | None = None
    """How it was found, if it could be read."""


class Rules(Struct, frozen=True):
    """What all files of a run have in common."""

    root: str
    max_file_bytes: int
    chunking: Chunking


def outcome(task: Task, rules: Rules) -> Outcome:
    """Read a file once and make its entry, unless it is the same as before or cannot be used."""
    try:
        content = read(rules.root, task.path, rules.max_file_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return Outcome(task.path, reason="vanished while the folder was being indexed")
    except OSError as error:
        return Outcome(task.path, reason=f"cannot be read: {error.strerror}", unreadable=True)
    fingerprint = Fingerprint(digest(content.raw), content.size, content.modified_ns)
    if task.known == fingerprint.digest:
        return Outcome(task.path, fingerprint=fingerprint)
    return _parsed(task.path, content, fingerprint, rules.chunking)


def _parsed(path: str, content: Content, fingerprint: Fingerprint, chunking: Chunking) -> Outcome:
    decoded = decode(content.raw)
    if decoded is None:
        return Outcome(path, reason="binary file", fingerprint=fingerprint)
    try:
        return Outcome(path, make(path, decoded, fingerprint, chunking), fingerprint=fingerprint)
    except Exception as error:  # noqa: BLE001 - one odd file must not end the run; it is listed with the reason
        reason = f"could not be parsed: {type(error).__name__}: {error}"
        return Outcome(path, reason=reason, fingerprint=fingerprint)
