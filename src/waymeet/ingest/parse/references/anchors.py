"""Anchors of headings, spelled the way GitHub spells them."""

import re

_DROPPED = re.compile(r"[^\w\- ]")


class Anchors:
    """Gives each heading of a document an anchor of its own.

    >>> anchors = Anchors()
    >>> anchors.next("Getting Started!"), anchors.next("Getting started"), anchors.next("検索の設定")
    ('getting-started', 'getting-started-1', '検索の設定')
    """

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def next(self, heading: str) -> str:
        """Make the anchor of the next heading."""
        wanted = anchor = slug(heading)
        while anchor in self._times:
            self._times[wanted] += 1
            anchor = f"{wanted}-{self._times[wanted]}"
        self._times[anchor] = 0
        return anchor


def label_key(label: str) -> str:
    """Give the key of a label that documents of one project know each other's places by.

    >>> label_key("Setup Guide")
    'a:setup-guide'
    """
    return f"a:{slug(label)}"


def slug(heading: str) -> str:
    """Spell a heading as an anchor, without regard to others of the same name.

    >>> slug("What's new in 2.0?")
    'whats-new-in-20'
    """
    return _DROPPED.sub("", heading.strip().lower()).replace(" ", "-")
