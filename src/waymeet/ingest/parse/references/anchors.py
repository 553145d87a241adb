"""Anchors of headings, in the form that GitHub uses."""

import re

_DROPPED = re.compile(r"[^\w\- ]")


class Anchors:
    """Unique anchors for the headings of one document.

    >>> anchors = Anchors()
    >>> anchors.next("Getting Started!"), anchors.next("Getting started"), anchors.next("検索の設定")
    ('getting-started', 'getting-started-1', '検索の設定')
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def next(self, heading: str) -> str:
        """Make the anchor of the next heading."""
        base = anchor = slug(heading)
        while anchor in self._counts:
            self._counts[base] += 1
            anchor = f"{base}-{self._counts[base]}"
        self._counts[anchor] = 0
        return anchor


def label_key(label: str) -> str:
    """Build the key of a label, which is shared by all documents of a project.

    >>> label_key("Setup Guide")
    'a:setup-guide'
    """
    return f"a:{slug(label)}"


def slug(heading: str) -> str:
    """Build the anchor of a heading, without a number for repeated headings.

    >>> slug("What's new in 2.0?")
    'whats-new-in-20'
    """
    return _DROPPED.sub("", heading.strip().lower()).replace(" ", "-")
