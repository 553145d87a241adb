"""Figures that were kept, to notice later that answers became worse."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet.errors import CollectionError
from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, MeasuredRun, beside

_VERSION = 1
_DIGITS = 6


class Kept(Struct, frozen=True):
    """The value of every query of one run."""

    collection: str
    recipe: str
    scores: Mapping[str, float]


class Baseline(Struct, frozen=True):
    """What is kept of an evaluation."""

    runs: tuple[Kept, ...]
    measure: str = MAIN_METRIC
    version: int = _VERSION


def save_baseline(path: Path, found: Iterable[MeasuredRun]) -> None:
    """Keep what was measured; the same figures make the same bytes."""
    runs = tuple(
        Kept(
            each.summary.collection,
            each.summary.recipe,
            {query: round(value, _DIGITS) for query, value in each.scores[MAIN_METRIC].items()},
        )
        for each in found
    )
    text = msgspec.json.format(msgspec.json.encode(Baseline(runs), order="sorted"), indent=1)
    try:
        path.write_bytes(text + b"\n")
    except OSError as error:
        raise CollectionError(f"{path} cannot be written: {error.strerror}.", "Check who may write there.") from error


def load_baseline(path: Path) -> Baseline:
    """Read kept figures.

    Raises:
        CollectionError: the file cannot be read or is none of ours.
    """
    hint = "Make one: waymeet eval COLLECTION --save-baseline FILE"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Baseline)
    except OSError as error:
        raise CollectionError(f"{path} cannot be read: {error.strerror}.", hint) from error
    except msgspec.MsgspecError as error:
        raise CollectionError(f"{path} is no baseline: {error}.", hint) from error
    if found.version != _VERSION or found.measure != MAIN_METRIC:
        raise CollectionError(f"{path} was made by another version of Waymeet.", hint)
    return found


def compare_with_baseline(found: Sequence[MeasuredRun], baseline: Baseline) -> tuple[list[Comparison], list[str]]:
    """Compare what was measured with what was kept, and name what has nothing to be compared with."""
    kept = {(each.collection, each.recipe): each.scores for each in baseline.runs}
    compared, missing = [], []
    for each in found:
        key = (each.summary.collection, each.summary.recipe)
        if each.scores[MAIN_METRIC].keys() & kept.get(key, {}).keys():
            compared.append(beside(each, kept.pop(key), "baseline"))
        else:
            missing.append(f"{key[0]}, {key[1]}: not in the baseline")
    missing += [f"{collection}, {recipe}: in the baseline, but not measured now" for collection, recipe in kept]
    return compared, missing
