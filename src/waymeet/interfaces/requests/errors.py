"""Codes, HTTP statuses and next steps of all errors."""

from typing import NamedTuple

from msgspec import Struct

from waymeet import errors
from waymeet.errors import ConflictError, WaymeetError

STARTED = "started"
"""Result of a change in the audit log before it is made; later lines have `done` or the code of an error."""


class _ErrorKind(NamedTuple):
    code: str
    status: int
    """HTTP status."""
    next_step: str
    """Used if the error has no hint of its own."""


_KINDS: dict[type[WaymeetError], _ErrorKind] = {
    errors.WaymeetError: _ErrorKind("failed", 500, "Check `status`. If that does not help, report the error."),
    errors.UsageError: _ErrorKind("refused", 400, "Change the request as the message says."),
    errors.SettingsError: _ErrorKind("settings", 500, "Correct the setting that the message names."),
    errors.UnknownRecipeError: _ErrorKind("unknown_recipe", 400, "Choose an existing recipe and mode, or none."),
    errors.UnknownOptionError: _ErrorKind("unknown_option", 400, "Correct the name of the option."),
    errors.RequestError: _ErrorKind("bad_request", 400, "Compare the request with its schema."),
    errors.CursorError: _ErrorKind("bad_cursor", 400, "Search again without a cursor."),
    errors.ConflictError: _ErrorKind("conflict", 409, "Read the item again and base the change on its new version."),
    errors.MaskedValueError: _ErrorKind(
        "masked_text", 409, "Leave the lines with [secret] as `read` shows them, or write the values."
    ),
    errors.CollectionError: _ErrorKind("collection", 400, "Correct the test collection."),
    errors.RemovalsError: _ErrorKind("removals", 409, "If the files were removed on purpose, set `accept_removals`."),
    errors.NotFoundError: _ErrorKind("not_found", 404, "Check the name."),
    errors.NotIndexedError: _ErrorKind(
        "not_indexed", 404, "Use an id that `search` returned, or the path of an indexed file."
    ),
    errors.ItemNotFoundError: _ErrorKind("no_such_entry", 404, "Search for the note, task or skill first."),
    errors.IndexUnavailableError: _ErrorKind("index_unavailable", 503, "Check `status`, then try again."),
    errors.NoIndexError: _ErrorKind(
        "no_index", 503, "Index the project first: `index`, or `waymeet index` in its folder."
    ),
    errors.DamagedIndexError: _ErrorKind("damaged_index", 503, "Run: waymeet check --repair"),
    errors.NewerIndexError: _ErrorKind("newer_index", 503, "Update Waymeet, or index into another file."),
    errors.ReadOnlyIndexError: _ErrorKind("read_only_index", 503, "Allow writing to the index, or use another one."),
    errors.BusyIndexError: _ErrorKind("busy_index", 503, "Try again in a moment."),
    errors.ModelError: _ErrorKind("model", 502, "Check the settings of the model, or search without it."),
    errors.EmbeddingError: _ErrorKind("embedding", 502, "Check the settings of `embedding`."),
    errors.UnusableVectorError: _ErrorKind(
        "unusable_vector", 502, "Choose another model in the settings of `embedding`."
    ),
    errors.CircuitOpenError: _ErrorKind("resting_model", 503, "Try again in a minute, or search without the model."),
    errors.SearchCancelledError: _ErrorKind("cancelled", 409, "Search again."),
    errors.SearchFailedError: _ErrorKind("search_failed", 500, "Run: waymeet check"),
    errors.AuditError: _ErrorKind("audit_unavailable", 503, "Ask who runs the server to make the log writable."),
}


class Failure(Struct, frozen=True):
    """An error in JSON."""

    code: str
    """Stable name of the error."""
    status: int
    """HTTP status."""
    message: str
    next_step: str
    version: str = ""
    """Of a conflict: the version to base the next change on; empty if the item is gone."""
    current: str = ""
    """Of a conflict: the content of the file."""
    refused: str = ""
    """Of a conflict: the content that was not written."""


def to_failure(error: WaymeetError) -> Failure:
    """Convert an error to its JSON form."""
    kind = next(_KINDS[base] for base in type(error).__mro__ if base in _KINDS)
    next_step = error.hint or kind.next_step
    if not isinstance(error, ConflictError):
        return Failure(kind.code, kind.status, error.message, next_step)
    return Failure(
        kind.code,
        kind.status,
        error.message.partition("\n")[0],  # the lines below show both texts to people
        next_step,
        version=error.version,
        current=error.current,
        refused=error.refused,
    )


def list_statuses() -> frozenset[int]:
    """List the HTTP statuses of all errors."""
    return frozenset(kind.status for kind in _KINDS.values())
