"""`waymeet tune`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waymeet.errors import UsageError
from waymeet.interfaces.cli.common import bars, json_option, open_project, print_json, print_lines, project_options, say
from waymeet.interfaces.cli.help import manual

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waymeet.evaluate.tuning import TuningResult
    from waymeet.interfaces.agents.config_file import Plan
    from waymeet.interfaces.quality.bench import Bench
    from waymeet.interfaces.render.text import Line

_EPILOG = manual(
    """
    waymeet tune                 shows what it found, then asks
    waymeet tune --dry-run       writes nothing
    waymeet tune --yes --most 300
    waymeet tune --undo          takes back what it wrote
    waymeet eval --mine          how good is it now?
    """,
    exits={0: "better weights were found, or taken back", 1: "there are none, or you said no"},
    see="waymeet eval, waymeet settings auto",
)


@click.command(short_help="Fit the weights of auto to this project, if that helps.", epilog=_EPILOG)
@click.option(
    "--most", default=100, show_default=True, type=click.IntRange(20, 5000), help="Questions of each kind to ask."
)
@click.option("--yes", is_flag=True, help="Do not ask before writing.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--undo", is_flag=True, help="Give the file back as it was before the last weights were written.")
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
    """Fit a few weights of the recipe auto to this project, and write them into its waymeet.toml.

    The questions are those of `waymeet eval --mine`: what the project says of its own parts, withheld from a temporary
    index. Weights are searched for on one half of them and judged on the other. Nothing is written if the gain there
    may be chance, or if one kind of questions is answered worse. Weights of fields count for other recipes, too.
    """
    if as_json and not (yes or dry_run):
        raise click.UsageError("With --json nobody can be asked: add --yes or --dry-run.")
    with open_project(root, index, flags) as project:
        folder = project.root
    if undo:
        return _taken_back(folder, yes=yes, dry_run=dry_run, as_json=as_json)
    if not dry_run:
        from waymeet.evaluate.tuning import WEIGHT_KEYS
        from waymeet.interfaces.quality.settings_file import expect_change

        expect_change(folder, WEIGHT_KEYS)
        _expect_somebody(yes=yes)
    tuned, remarks = _tuned(folder, flags, most)
    refusal = tuned.refusal
    plan = None
    if not refusal:
        from waymeet.interfaces.quality.settings_file import plan_weights

        plan = plan_weights(folder, tuned.after)
    if not as_json:
        print_lines(_lines(tuned, remarks))
        if plan:
            from waymeet.interfaces.cli.setup.install import diff_lines

            print_lines(diff_lines(plan))
        else:
            say(f"Nothing is changed: {refusal}.")
    done = plan is not None and not dry_run and (yes or _agreed(plan))
    if plan and done:
        from waymeet.interfaces.agents.config_file import apply_plan

        apply_plan(plan, remember=True)
    if as_json:
        print_json({"tuned": tuned, "refusal": refusal, "written": done, "remarks": remarks})
    elif plan and done:
        say(f"Wrote {plan.path}. Back: waymeet tune --undo")
    return 0 if done or (plan and dry_run) else 1


def _tuned(root: Path, flags: tuple[str, ...], most: int) -> "tuple[TuningResult, tuple[str, ...]]":
    from waymeet.evaluate.tuning import tune_weights
    from waymeet.interfaces.quality.bench import asker, project_bench

    with (
        bars("Indexing", "Embedding", "Tuning") as (reading, embedding, tuning),
        project_bench(root, flags, most, reading, embedding) as bench,
    ):
        return tune_weights(bench.collections, asker([bench]), _weights(bench), tuning), bench.remarks


def _weights(bench: "Bench") -> dict[str, float]:
    """Give the weights that are looked at, as they are now; without a model of meaning, not that of meaning."""
    import msgspec

    from waymeet.evaluate.tuning import VECTOR_KEYS, WEIGHT_KEYS
    from waymeet.recipes.auto import AUTO
    from waymeet.settings.layers import list_keys

    values = dict(list_keys(msgspec.to_builtins(bench.settings(AUTO))))
    wanted = [key for key in WEIGHT_KEYS if bench.tools.embedders or key not in VECTOR_KEYS]
    return {key: float(values[key]) for key in wanted if values[key] is not None}


def _lines(tuned: "TuningResult", remarks: tuple[str, ...]) -> "Iterator[Line]":
    from waymeet.interfaces.quality.text_report import differences

    for key, value in tuned.after.items():
        yield [(key, "cyan"), (f"  {tuned.before[key]:g} → ", ""), (f"{value:g}", "bold")]
    if tuned.learnt:
        yield from differences("On the half that was searched (nDCG@10)", [tuned.learnt])
        yield from differences("On the half that was held out (nDCG@10)", tuned.held_out)
        yield []
    for each in remarks:
        yield [(each, "dim")]


def _taken_back(root: Path, *, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Give the project's settings file back as it was."""
    from waymeet.interfaces.agents.config_file import apply_plan, plan_restore
    from waymeet.interfaces.cli.setup.install import diff_lines
    from waymeet.interfaces.quality.settings_file import settings_file

    path = settings_file(root)
    plan = plan_restore(path)
    if not as_json:
        print_lines(diff_lines(plan) if plan else [[(f"{path} was not tuned, or was changed since.", "")]])
    _expect_somebody(yes=yes or dry_run or not plan)
    done = plan is not None and not dry_run and (yes or click.confirm("Give it back so?", default=True, err=True))
    if plan and done:
        apply_plan(plan, remember=False)
    if as_json:
        print_json({"path": str(path), "taken_back": done})
    return 0 if done or (plan and dry_run) else 1


def _expect_somebody(*, yes: bool) -> None:
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("Nobody is there to be asked.", "Add --yes to agree, or --dry-run to see what would change.")


def _agreed(plan: "Plan") -> bool:
    return click.confirm(f"Write these weights into {plan.path}?", default=True, err=True)
