"""Everything that can go wrong in a way the user can act on.

WaymeetError
├── UsageError              what was asked cannot be done as asked            (exit 2)
│   ├── SettingsError       a settings file, variable or flag is wrong
│   ├── UnknownRecipeError  no recipe or mode of that name
│   ├── RequestError        a request of a program is not understood
│   ├── CursorError         a cursor is broken, or belongs to another question
│   ├── ConflictError       somebody else changed it first; shows both texts  (exit 4)
│   ├── CollectionError     a test collection cannot be used
│   ├── RemovalsError       so much is gone that somebody has to agree to forget it
│   └── NotFoundError       no such folder or file
│       ├── NotIndexedError nothing indexed has that name                     (exit 1)
│       └── NoSuchEntryError  no note, task or skill has that name            (exit 1)
├── IndexUnavailableError   there is no usable index                          (exit 3)
│   ├── NoIndexError        nothing was indexed here yet
│   ├── DamagedIndexError   the index file cannot be read
│   ├── NewerIndexError     the index was written by a newer Waymeet
│   └── BusyIndexError      another process holds the index
└── ModelError              a model failed or returned something unusable     (exit 3)
    ├── EmbeddingError      … an embedder
    │   └── UnusableVectorError  what it returned is no vector that can be used
    └── RestingError        … was so slow that it is left alone for a while

Every message says what happened; every hint says what to do next.
"""


class WaymeetError(Exception):
    """An error with its cause and the next step."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(WaymeetError):
    """What was asked cannot be done as asked."""

    exit_code = 2


class SettingsError(UsageError):
    """A settings file, variable or flag is wrong."""


class UnknownRecipeError(UsageError):
    """There is no recipe or mode of that name."""


class RequestError(UsageError):
    """A request that a program sent is not understood."""


class CursorError(UsageError):
    """A cursor is broken, or belongs to another question."""


class ConflictError(UsageError):
    """An entry was changed by somebody else since it was read; nothing was written."""

    exit_code = 4

    def __init__(
        self, message: str, hint: str = "", *, current: str = "", refused: str = "", version: str = ""
    ) -> None:
        super().__init__(message, hint)
        self.current = current
        """What the file holds now."""
        self.refused = refused
        """What was not written."""
        self.version = version
        """The version to base another try on; empty if the entry is gone."""


class CollectionError(UsageError):
    """A test collection cannot be used."""


class RemovalsError(UsageError):
    """So much is gone that somebody has to agree before the index forgets it: a disk may not be mounted."""


class NotFoundError(UsageError):
    """There is no such folder or file."""


class NotIndexedError(NotFoundError):
    """Nothing indexed has that name."""

    exit_code = 1


class ItemNotFoundError(NotFoundError):
    """No note, task or skill has that name."""

    exit_code = 1


class IndexUnavailableError(WaymeetError):
    """There is no usable index."""


class NoIndexError(IndexUnavailableError):
    """Nothing was indexed here yet."""


class DamagedIndexError(IndexUnavailableError):
    """The index file cannot be read."""


class NewerIndexError(IndexUnavailableError):
    """The index was written by a newer Waymeet."""


class BusyIndexError(IndexUnavailableError):
    """Another process holds the index."""


class ModelError(WaymeetError):
    """A model failed, was too slow or returned something unusable."""


class EmbeddingError(ModelError):
    """An embedder failed or returned something unusable."""


class UnusableVectorError(EmbeddingError):
    """An embedder answered, but with something that is no vector of its kind: asking again will hardly help."""


class CircuitOpenError(ModelError):
    """A model was so slow that it is left alone for a while."""
