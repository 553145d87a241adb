"""Progress bars on a terminal. This module imports rich, so it is imported only there."""

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from waymeet.interfaces.cli.common import format_duration, mask
from waymeet.interfaces.render.text import to_single_line
from waymeet.ports import RunProgress

_MAX_ITEM = 60


class _Rate(ProgressColumn):
    """Bytes or items per second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(task.fields["rate"] or (f"{speed:,.0f}/s" if speed else ""), style="dim")


class _TimeLeft(TimeRemainingColumn):
    """The remaining time by the estimate of a run, else by the number of items."""

    def render(self, task: Task) -> Text:
        return Text(task.fields["left"], style="dim") if task.fields["left"] else super().render(task)


class Bar:
    """One bar."""

    def __init__(self, bars: Progress, title: str) -> None:
        self._bars = bars
        self._task = bars.add_task(title, total=None, item="", rate="", left="", visible=False)

    def __call__(self, done: int, total: int, item: str) -> None:
        """Show the number of items."""
        text = escape(to_single_line(mask(item))[-_MAX_ITEM:])
        self._bars.update(self._task, completed=done, total=total, item=text, visible=True)

    def show_time(self, progress: RunProgress) -> None:
        """Show the rate and the remaining time."""
        left = "" if progress.seconds_left is None else f"{format_duration(progress.seconds_left)} left"
        self._bars.update(self._task, rate=f"{progress.rate / 1e6:.1f} MB/s", left=left)


def make_bars() -> Progress:
    """Make the display of bars, which is removed at its end."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        _TimeLeft(),
        TextColumn("[dim]{task.fields[item]}"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
