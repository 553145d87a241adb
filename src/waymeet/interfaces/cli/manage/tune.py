"""`waymeet tune`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import bars, json_option, open_project, print_json, print_lines, project_options, say
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.slow_notice import terminal_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waymeet.evaluate.tuning import TuningResult
    from waymeet.interfaces.agents.config_file import Plan
    from waymeet.interfaces.quality.bench import Bench
    from waymeet.interfaces.render.text import Line

_EPILOG = manual(
    """
    waymeet tune                 shows the new weights, then asks
    waymeet tune --dry-run       writes nothing
    waymeet tune --yes --most 300
    waymeet tune --undo          restores the settings file
    waymeet eval --mine          how good is it now?
    """,
    exits={0: "better weights found, or settings restored", 1: "no better weights, or declined"},
    see="waymeet eval, waymeet settings auto",
)


class _Output(NamedTuple):
    """The options that say whether to write, and how to print."""

    yes: bool
    dry_run: bool
    as_json: bool


@click.command(short_help="Fit the weights of auto to this project, if that helps.", epilog=_EPILOG)
@click.option("--most", default=100, show_default=True, type=click.IntRange(20, 5000), help="Queries of each kind.")
@click.option("--yes", is_flag=True, help="Do not ask before writing.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--undo", is_flag=True, help="Restore the file from before the last weights were written.")
@project_options
@json_option
def command(
    most: int,
    yes: bool,
    dry_run: bool,
    undo: bool,
    root: Path | None,
    index: Path | None,
    flags: tuple[str, ...],
    as_json: bool,
) -> int:
    """Fit weights of the recipe auto to this project, and write them into its waymeet.toml.

    The queries are those of `waymeet eval --mine`: texts of the project that are withheld from a temporary index.
    Weights are tuned on one half of the queries and measured on the other. Nothing is written if the gain there may be
    chance, or if one kind of queries gets worse results. Weights of fields count for other recipes, too.
    """
    if as_json and not (yes or dry_run):
        raise click.UsageError("--json cannot ask for confirmation: add --yes or --dry-run.")
    output = _Output(yes, dry_run, as_json)
    with open_project(root, index, flags) as project:
        folder = project.root
    return _undo(folder, output) if undo else _tune(folder, flags, most, output)


def _tune(root: Path, flags: tuple[str, ...], most: int, output: _Output) -> int:
    """Tune the weights, print them, and write them if they are better and confirmed."""
    from waymeet.interfaces.agents.config_file import apply_plan
    from waymeet.interfaces.quality.settings_file import plan_weights

    if not output.dry_run:
        _check_before_tuning(root, output)
    result, remarks = _run_tuning(root, flags, most)
    plan = None if result.refusal else plan_weights(root, result.after)
    if not output.as_json:
        print_lines(_result_lines(result, remarks))
        _print_plan(plan, result.refusal)
    written = plan is not None and not output.dry_run and (output.yes or _confirm(plan))
    if plan and written:
        apply_plan(plan, remember=True)
    if output.as_json:
        print_json({"tuned": result, "refusal": result.refusal, "written": written, "remarks": remarks})
    elif plan and written:
        say(f"Wrote {plan.path}. To undo: waymeet tune --undo")
    return 0 if written or (plan and output.dry_run) else 1


def _check_before_tuning(root: Path, output: _Output) -> None:
    """Check that weights could be written, because tuning takes long."""
    from waymeet.evaluate.tuning import WEIGHT_KEYS
    from waymeet.interfaces.quality.settings_file import expect_change

    expect_change(root, WEIGHT_KEYS)
    _require_terminal(yes=output.yes)


def _run_tuning(root: Path, flags: tuple[str, ...], most: int) -> "tuple[TuningResult, tuple[str, ...]]":
    from waymeet.evaluate.tuning import tune_weights
    from waymeet.interfaces.quality.bench import make_weight_measurer, project_bench

    with (
        bars(terminal_settings(flags), "Indexing", "Embedding", "Tuning") as (indexing, embedding, tuning),
        project_bench(root, flags, most, indexing, embedding) as bench,
    ):
        measure = make_weight_measurer([bench])
        return tune_weights(bench.collections, measure, _current_weights(bench), tuning), bench.remarks


def _current_weights(bench: "Bench") -> dict[str, float]:
    """Read the current weights to tune, without vector weights if there is no model."""
    import msgspec

    from waymeet.evaluate.tuning import VECTOR_KEYS, WEIGHT_KEYS
    from waymeet.recipes.auto import AUTO
    from waymeet.settings.layers import list_keys

    values = dict(list_keys(msgspec.to_builtins(bench.settings(AUTO))))
    keys = [key for key in WEIGHT_KEYS if bench.tools.embedders or key not in VECTOR_KEYS]
    return {key: float(values[key]) for key in keys if values[key] is not None}


def _result_lines(result: "TuningResult", remarks: tuple[str, ...]) -> "Iterator[Line]":
    from waymeet.interfaces.quality.text_report import comparison_lines

    for key, value in result.after.items():
        yield [(key, "cyan"), (f"  {result.before[key]:g} → ", ""), (f"{value:g}", "bold")]
    if result.training:
        yield from comparison_lines("On the half used for tuning (nDCG@10)", [result.training])
        yield from comparison_lines("On the half that was held out (nDCG@10)", result.held_out)
        yield []
    for remark in remarks:
        yield [(remark, "dim")]


def _print_plan(plan: "Plan | None", refusal: str) -> None:
    from waymeet.interfaces.cli.setup.install import diff_lines

    if plan:
        print_lines(diff_lines(plan))
    else:
        say(f"Nothing is changed: {refusal}.")


def _undo(root: Path, output: _Output) -> int:
    """Restore the project's settings file."""
    from waymeet.interfaces.agents.config_file import apply_plan, plan_restore
    from waymeet.interfaces.cli.setup.install import diff_lines
    from waymeet.interfaces.quality.settings_file import settings_file

    path = settings_file(root)
    plan = plan_restore(path)
    if not output.as_json:
        print_lines(diff_lines(plan) if plan else [[(f"{path} was not tuned, or was changed since.", "")]])
    _require_terminal(yes=output.yes or output.dry_run or not plan)
    restored = (
        plan is not None
        and not output.dry_run
        and (output.yes or click.confirm(f"Restore {path} like this?", default=True, err=True))
    )
    if plan and restored:
        apply_plan(plan, remember=False)
    if output.as_json:
        print_json({"path": str(path), "restored": restored})
    return 0 if restored or (plan and output.dry_run) else 1


def _require_terminal(*, yes: bool) -> None:
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "Not a terminal: cannot ask for confirmation.", "Add --yes to confirm, or --dry-run to preview."
        )


def _confirm(plan: "Plan") -> bool:
    return click.confirm(f"Write these weights into {plan.path}?", default=True, err=True)
