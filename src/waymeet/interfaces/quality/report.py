"""The results of an evaluation as data, which is also their JSON form."""

from msgspec import Struct

from waymeet import __version__
from waymeet.evaluate.metrics import MAIN_METRIC, METRICS, Comparison, MeanResult, MetricSummary
from waymeet.evaluate.tuning import Fold


class Report(Struct, frozen=True):
    """All results of an evaluation."""

    results: tuple[MetricSummary, ...]
    comparisons: tuple[Comparison, ...] = ()
    """Each recipe against the first one."""
    against_others: tuple[Comparison, ...] = ()
    """With plain BM25 as the first recipe: the second recipe against each of those after it."""
    ablations: tuple[Comparison, ...] = ()
    """Recipes without one stage or signal, against the complete recipe."""
    required_stages: tuple[str, ...] = ()
    """Stages that cannot be left out because later stages need their output."""
    folds: tuple[Fold, ...] = ()
    """For each collection: weights tuned on the other collections, against the current weights."""
    baseline: tuple[Comparison, ...] = ()
    """The runs measured now, against a saved baseline."""
    failures: tuple[str, ...] = ()
    """Reasons for which a check with `--fail-below` fails."""
    remarks: tuple[str, ...] = ()
    """Limits of the results that a reader has to know."""
    means: tuple[MeanResult, ...] = ()
    """The mean metrics of each recipe and level, if there are several collections."""
    excluded_from_mean: tuple[str, ...] = ()
    """Collections that the mean of the ablations leaves out."""
    metric: str = MAIN_METRIC
    """The metric of all comparisons."""
    metrics: tuple[str, ...] = tuple(METRICS)
    version: str = __version__
