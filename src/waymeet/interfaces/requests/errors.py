"""What every error is called for a program, and what it is over HTTP."""

from typing import NamedTuple

from msgspec import Struct

from waymeet import errors
from waymeet.errors import ConflictError, WaymeetError


class _Called(NamedTuple):
    code: str
    status: int
    """Of HTTP."""
    next_step: str
    """What to do if the error itself does not say."""


_TABLE: dict[type[WaymeetError], _Called] = {
    errors.WaymeetError: _Called("failed", 500, "Look at `status`; if that does not help, report it."),
    errors.UsageError: _Called("refused", 400, "Change the request as the message says."),
    errors.SettingsError: _Called("settings", 500, "Correct the setting that the message names."),
    errors.UnknownRecipeError: _Called("unknown_recipe", 400, "Choose a recipe and mode that exist, or name none."),
    errors.RequestError: _Called("bad_request", 400, "Compare the request with its schema."),
    errors.CursorError: _Called("bad_cursor", 400, "Ask again without a cursor."),
    errors.ConflictError: _Called("conflict", 409, "Read the entry again and build the change on its new version."),
    errors.CollectionError: _Called("collection", 400, "Correct the test collection."),
    errors.RemovalsError: _Called("removals", 409, "If the files are meant to be gone, index with `accept_removals`."),
    errors.NotFoundError: _Called("not_found", 404, "Check the name."),
    errors.NotIndexedError: _Called(
        "not_indexed", 404, "Use an id that `search` shows, or the path of an indexed file."
    ),
    errors.ItemNotFoundError: _Called("no_such_entry", 404, "Search for the note, task or skill first."),
    errors.IndexUnavailableError: _Called("index_unavailable", 503, "Look at `status`, then try again."),
    errors.NoIndexError: _Called(
        "no_index", 503, "Index the project first: `index`, or `waymeet index` in its folder."
    ),
    errors.DamagedIndexError: _Called("damaged_index", 503, "Run: waymeet check --repair"),
    errors.NewerIndexError: _Called("newer_index", 503, "Update Waymeet, or index anew into another file."),
    errors.BusyIndexError: _Called("busy_index", 503, "Try again in a moment."),
    errors.ModelError: _Called("model", 502, "Look at the model's settings, or ask without it."),
    errors.EmbeddingError: _Called("embedding", 502, "Look at the settings of `embedding`."),
    errors.UnusableVectorError: _Called("unusable_vector", 502, "Choose another model in the settings of `embedding`."),
    errors.CircuitOpenError: _Called("resting_model", 503, "Try again in a minute, or ask without the model."),
}


class Failure(Struct, frozen=True):
    """An error as a program gets it."""

    code: str
    """What went wrong, as a name that does not change."""
    status: int
    """The status of HTTP."""
    message: str
    next_step: str
    version: str = ""
    """Of a conflict: the version to build another try on; empty if the entry is gone."""
    current: str = ""
    """Of a conflict: what the file holds now."""
    refused: str = ""
    """Of a conflict: what was not written."""


def to_failure(error: WaymeetError) -> Failure:
    """Say what an error is to a program."""
    called = next(_TABLE[kind] for kind in type(error).__mro__ if kind in _TABLE)
    told = Failure(called.code, called.status, error.message, error.hint or called.next_step)
    if not isinstance(error, ConflictError):
        return told
    first = error.message.partition("\n")[0]  # both texts follow there, for people
    return Failure(
        told.code,
        told.status,
        first,
        told.next_step,
        version=error.version,
        current=error.current,
        refused=error.refused,
    )


def statuses() -> frozenset[int]:
    """List the statuses of HTTP that errors may have."""
    return frozenset(called.status for called in _TABLE.values())
