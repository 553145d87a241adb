"""The Markdown that is indexed and shown: CommonMark with some extensions."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyromark import Options

_EXPLICIT_ANCHOR = re.compile(r"\s*\{#([\w:.-]+)[^{}]*\}\s*$")


@cache
def markdown_options() -> "Options":
    """Give the extensions of the Markdown parser."""
    from pyromark import Options  # noqa: PLC0415 - a search that finds nothing changed never parses

    return (
        Options.ENABLE_WIKILINKS
        | Options.ENABLE_TABLES
        | Options.ENABLE_FOOTNOTES
        | Options.ENABLE_STRIKETHROUGH
        | Options.ENABLE_TASKLISTS
    )


def split_anchor(heading: str) -> tuple[str, str]:
    """Split a heading into its text and the anchor that is written behind it.

    >>> split_anchor("Setup {#install}"), split_anchor("Setup")
    (('Setup', 'install'), ('Setup', ''))
    """
    explicit = _EXPLICIT_ANCHOR.search(heading)
    return (heading[: explicit.start()], explicit[1]) if explicit else (heading, "")
