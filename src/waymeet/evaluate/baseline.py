"""Saved results of an evaluation, to notice later that quality became worse."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet.errors import CollectionError
from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, MeasuredRun, compare_with_scores, name_with_level

_VERSION = 1
_DIGITS = 6


class SavedRun(Struct, frozen=True):
    """The value of every query of one run."""

    collection: str
    recipe: str
    scores: Mapping[str, float]
    level: str = ""
    """`section` or `file` if the level was chosen, else empty."""


class Baseline(Struct, frozen=True):
    """The saved runs of an evaluation."""

    runs: tuple[SavedRun, ...]
    metric: str = MAIN_METRIC
    version: int = _VERSION


def save_baseline(path: Path, measured_runs: Iterable[MeasuredRun]) -> None:
    """Save measured runs to a file, with equal bytes for equal results."""
    runs = tuple(
        SavedRun(
            measured.summary.collection,
            measured.summary.recipe,
            {query: round(value, _DIGITS) for query, value in measured.scores[MAIN_METRIC].items()},
            measured.summary.level,
        )
        for measured in measured_runs
    )
    text = msgspec.json.format(msgspec.json.encode(Baseline(runs), order="sorted"), indent=1)
    try:
        path.write_bytes(text + b"\n")
    except OSError as error:
        raise CollectionError(f"{path} cannot be written: {error.strerror}.", "Check the permissions.") from error


def load_baseline(path: Path) -> Baseline:
    """Load a saved baseline.

    Raises:
        CollectionError: the file cannot be read, or is not a baseline of this version.
    """
    hint = "Make a new one: waymeet eval COLLECTION --save-baseline FILE"
    try:
        baseline = msgspec.json.decode(path.read_bytes(), type=Baseline)
    except OSError as error:
        raise CollectionError(f"{path} cannot be read: {error.strerror}.", hint) from error
    except msgspec.MsgspecError as error:
        raise CollectionError(f"{path} is not a baseline: {error}.", hint) from error
    if baseline.version != _VERSION or baseline.metric != MAIN_METRIC:
        raise CollectionError(f"{path} was saved by another version of Waymeet.", hint)
    return baseline


def compare_with_baseline(
    measured_runs: Sequence[MeasuredRun], baseline: Baseline
) -> tuple[list[Comparison], list[str]]:
    """Compare measured runs with a baseline, and list the runs that only one of the two has."""
    saved = {(run.collection, name_with_level(run.recipe, run.level)): run.scores for run in baseline.runs}
    comparisons, missing = [], []
    for measured in measured_runs:
        key = (measured.summary.collection, measured.summary.label)
        if measured.scores[MAIN_METRIC].keys() & saved.get(key, {}).keys():
            comparisons.append(compare_with_scores(measured, saved.pop(key), "baseline"))
        else:
            missing.append(f"{key[0]}, {key[1]}: not in the baseline")
    missing += [f"{collection}, {name}: in the baseline, but not measured now" for collection, name in saved]
    return comparisons, missing
