"""What an evaluation found, whole: for programs as JSON, for people as Markdown or a page."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from waymeet import __version__
from waymeet.errors import UsageError
from waymeet.evaluate.metrics import MAIN_METRIC, METRICS, Comparison, MetricSummary
from waymeet.evaluate.tuning import Fold


class Report(Struct, frozen=True):
    """All that an evaluation found."""

    results: tuple[MetricSummary, ...]
    comparisons: tuple[Comparison, ...] = ()
    """Each recipe against the first."""
    rivals: tuple[Comparison, ...] = ()
    """The first recipe that was named against each of the others, where all are compared with plain BM25."""
    ablations: tuple[Comparison, ...] = ()
    """Recipes without one of their stages or signals, against themselves as they are."""
    needed: tuple[str, ...] = ()
    """Stages that cannot be left out, for others need what they give."""
    folds: tuple[Fold, ...] = ()
    """For each collection: weights found on the others, against those that are set."""
    baseline: tuple[Comparison, ...] = ()
    """What was measured against what was kept."""
    failures: tuple[str, ...] = ()
    """Why a check that relies on this should fail."""
    remarks: tuple[str, ...] = ()
    """What a reader of the figures must know."""
    aside: tuple[str, ...] = ()
    """Collections that have no part in what ablations come to on average."""
    measure: str = MAIN_METRIC
    """What comparisons are about."""
    measures: tuple[str, ...] = tuple(METRICS)
    version: str = __version__


def write(path: Path, report: Report) -> None:
    """Write a report in the form that the file's ending tells.

    Raises:
        UsageError: it tells none, or the file cannot be written.
    """
    made = form(path)(report)
    try:
        path.write_text(made, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "Check who may write there.") from error


def form(path: Path) -> Callable[[Report], str]:
    """Choose the form of a report by the ending of its file."""
    known: Mapping[str, Callable[[Report], str]] = {
        ".json": _json,
        ".md": _markdown,
        ".markdown": _markdown,
        ".html": _page,
        ".htm": _page,
    }
    chosen = known.get(path.suffix.lower())
    if chosen is None:
        raise UsageError(f"The ending of {path.name} does not say what to write.", "End it with .html, .md or .json.")
    return chosen


def _json(report: Report) -> str:
    return msgspec.json.format(msgspec.json.encode(report, order="deterministic"), indent=2).decode() + "\n"


def _markdown(report: Report) -> str:
    from waymeet.interfaces.quality.markdown_report import as_markdown

    return as_markdown(report)


def _page(report: Report) -> str:
    from waymeet.interfaces.quality.html_report import as_page

    return as_page(report)
