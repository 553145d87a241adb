"""Everything that can go wrong in a way the user can act on.

WaymeetError
├── UsageError              what was asked cannot be done as asked            (exit 2)
│   ├── SettingsError       a settings file, variable or flag is wrong
│   ├── UnknownRecipeError  no recipe or mode of that name
│   └── NotFoundError       no such folder or file
│       └── NotIndexedError nothing indexed has that name                     (exit 1)
├── IndexUnavailableError   there is no usable index                          (exit 3)
│   ├── NoIndexError        nothing was indexed here yet
│   ├── DamagedIndexError   the index file cannot be read
│   ├── NewerIndexError     the index was written by a newer Waymeet
│   └── BusyIndexError      another process holds the index
└── EmbeddingError          an embedder failed or returned something unusable (exit 3)

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


class NotFoundError(UsageError):
    """There is no such folder or file."""


class NotIndexedError(NotFoundError):
    """Nothing indexed has that name."""

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


class EmbeddingError(WaymeetError):
    """An embedder failed or returned something unusable."""
