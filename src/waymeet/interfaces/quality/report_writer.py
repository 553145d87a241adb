"""Writing a report to a file as JSON, Markdown or HTML."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from waymeet.errors import UsageError
from waymeet.interfaces.quality.html_report import format_html
from waymeet.interfaces.quality.markdown_report import format_markdown
from waymeet.interfaces.quality.report import Report


def format_json(report: Report) -> str:
    """Format a report as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(report, order="deterministic"), indent=2).decode() + "\n"


_FORMATS: Mapping[str, Callable[[Report], str]] = {
    ".json": format_json,
    ".md": format_markdown,
    ".markdown": format_markdown,
    ".html": format_html,
    ".htm": format_html,
}


def report_format(path: Path) -> Callable[[Report], str]:
    """Choose the format of a report by the ending of its file name.

    Raises:
        UsageError: the ending is unknown.
    """
    chosen = _FORMATS.get(path.suffix.lower())
    if chosen is None:
        raise UsageError(f"{path.name} has no known ending for a report.", "Use .html, .md or .json.")
    return chosen


def write_report(path: Path, report: Report) -> None:
    """Write a report in the format of the file name's ending.

    Raises:
        UsageError: the ending is unknown, or the file cannot be written.
    """
    text = report_format(path)(report)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", "Check the permissions.") from error
