"""Errors that a user can act on.

WaymeetError
├── UsageError              invalid request                                   (exit 2)
│   ├── SettingsError       invalid settings file, variable or flag
│   ├── UnknownRecipeError  unknown recipe or mode
│   ├── UnknownOptionError  unknown keyword argument; a TypeError as well
│   ├── RequestError        malformed request of a program
│   ├── CursorError         invalid cursor, or one of another query
│   ├── ConflictError       changed since it was read; has both texts         (exit 4)
│   ├── MaskedValueError    a mask in the new text may stand for several values
│   ├── CollectionError     unusable test collection
│   ├── RemovalsError       most files are missing; removal needs confirmation
│   └── NotFoundError       no such folder or file
│       ├── NotIndexedError no such indexed document                          (exit 1)
│       └── ItemNotFoundError  no such note, task or skill                    (exit 1)
├── IndexUnavailableError   no usable index                                   (exit 3)
│   ├── NoIndexError        not indexed yet
│   ├── DamagedIndexError   the index is corrupt
│   ├── NewerIndexError     written by a newer version
│   ├── ReadOnlyIndexError  it can be read, but not written
│   └── BusyIndexError      locked by another process
├── ModelError              a model failed                                    (exit 3)
│   ├── EmbeddingError      an embedder failed
│   │   └── UnusableVectorError  invalid vector
│   └── CircuitOpenError    disabled for a while because it was too slow
├── SearchFailedError       every way to rank failed                          (exit 3)
├── SearchCancelledError    the client left, or sent a newer search           (exit 3)
└── AuditError              a change cannot be recorded in the audit log      (exit 3)

A message states what happened and why, a hint the next step.
"""


class WaymeetError(Exception):
    """An error with a message, a hint and an exit code."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(WaymeetError):
    """The request is invalid."""

    exit_code = 2


class SettingsError(UsageError):
    """A settings file, variable or flag is invalid."""


class UnknownRecipeError(UsageError):
    """The recipe or mode is unknown."""


class UnknownOptionError(UsageError, TypeError):
    """A search of the library has no keyword argument of this name."""


class RequestError(UsageError):
    """The request of a program is malformed."""


class CursorError(UsageError):
    """A cursor is invalid, or belongs to another query."""


class ConflictError(UsageError):
    """An item was changed since it was read. Nothing was written."""

    exit_code = 4

    def __init__(
        self, message: str, hint: str = "", *, current: str = "", refused: str = "", version: str = ""
    ) -> None:
        super().__init__(message, hint)
        self.current = current
        """The current text of the file."""
        self.refused = refused
        """The text that was not written."""
        self.version = version
        """The current version; empty if the item was deleted."""


class MaskedValueError(UsageError):
    """It is not certain which values the masks in a new text stand for. Nothing was written."""


class CollectionError(UsageError):
    """A test collection cannot be used."""


class RemovalsError(UsageError):
    """Most files are missing, perhaps because a disk is not mounted. Removal needs confirmation."""


class NotFoundError(UsageError):
    """The folder or file does not exist."""


class NotIndexedError(NotFoundError):
    """No indexed document has that name."""

    exit_code = 1


class ItemNotFoundError(NotFoundError):
    """No note, task or skill has that name."""

    exit_code = 1


class IndexUnavailableError(WaymeetError):
    """There is no usable index."""


class NoIndexError(IndexUnavailableError):
    """The project is not indexed yet."""


class DamagedIndexError(IndexUnavailableError):
    """The index is corrupt."""


class NewerIndexError(IndexUnavailableError):
    """The index was written by a newer version."""


class ReadOnlyIndexError(IndexUnavailableError):
    """The index can be read, but not written."""


class BusyIndexError(IndexUnavailableError):
    """Another process has locked the index."""


class ModelError(WaymeetError):
    """A model failed, was too slow or returned something unusable."""


class EmbeddingError(ModelError):
    """An embedder failed or returned something unusable."""


class UnusableVectorError(EmbeddingError):
    """An embedder returned an invalid vector. A retry is unlikely to help."""


class CircuitOpenError(ModelError):
    """A model is disabled for a while because it was too slow."""


class SearchFailedError(WaymeetError):
    """Every way to rank failed, so that there is no answer."""


class SearchCancelledError(WaymeetError):
    """A search was cancelled: its client has left, or has sent a newer search."""


class AuditError(WaymeetError):
    """A change cannot be recorded in the audit log. Nothing was changed."""
